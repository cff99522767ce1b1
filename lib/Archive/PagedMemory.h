//===- PagedMemory.h - An archive's bytes, read on demand -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Memory for an archive whose bytes are compressed or on another machine, and
/// so not in a mapped file. The reader follows pointers all over an archive, so
/// the bytes get the addresses that they would have in a mapping: address space
/// is reserved for the whole archive, and each part has memory while it is in
/// use.
///
/// Page faults do not read anything. Call load() for bytes before reading them,
/// inside a PagedRead; a part that was not loaded reads as zeros.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_PAGEDMEMORY_H
#define LIDIA_LIB_ARCHIVE_PAGEDMEMORY_H

#include "lidia/Error.h"
#include "lidia/Support/ForkLocal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

namespace lidia {

/// Provides the bytes of a file, which is divided into parts of one size.
class PartReader {
public:
  virtual ~PartReader() = default;

  /// The size of each part in bytes: a power of two, and a multiple of the
  /// system's page size. The last part may be shorter.
  virtual uint64_t partSize() const = 0;
  /// The size of all parts together in bytes.
  virtual uint64_t size() const = 0;
  /// Stores part \p Index in \p Out, which has the size of the part. Several
  /// threads call this at once. After an error \p Out may have any bytes.
  virtual llvm::Error read(uint64_t Index, llvm::MutableArrayRef<char> Out) = 0;

  /// Checks what the file has in addition to its parts.
  virtual llvm::Error checkRest() const { return llvm::Error::success(); }

  /// See RandomAccessReader::isFar().
  virtual bool isFar() const { return false; }
  /// Announces that read() will be called for the parts \p Indices, which must
  /// be ascending.
  virtual void prefetch(llvm::ArrayRef<uint64_t>) {}
};

/// Address space for the bytes of a PartReader, and memory for some of them.
/// Thread-safe.
class PagedMemory {
public:
  /// When parts have more than \p CacheSize bytes of memory in total, the least
  /// recently used parts lose theirs. The error says that address space could
  /// not be reserved.
  static llvm::Expected<std::unique_ptr<PagedMemory>>
  create(std::unique_ptr<PartReader> Parts, uint64_t CacheSize);
  PagedMemory(const PagedMemory &) = delete;
  PagedMemory &operator=(const PagedMemory &) = delete;
  ~PagedMemory();

  /// All bytes. Only bytes for which load() or keep() was called may be read.
  llvm::StringRef bytes() const { return {Base, size_t(Size)}; }

  /// Makes the \p Count bytes at \p Begin readable until the innermost
  /// PagedRead of this thread ends.
  void load(const void *Begin, uint64_t Count) const {
    if (Count == 0)
      return;
    uint64_t Offset = uint64_t(static_cast<const char *>(Begin) - Base);
    uint64_t Last = (Offset + Count - 1) >> Shift;
    for (uint64_t Part = Offset >> Shift; Part <= Last; ++Part)
      if (LLVM_UNLIKELY(States[Part].load(std::memory_order_acquire) != Used))
        loadPart(Part);
  }

  /// Whether load() of the \p Count bytes at \p Begin, at least one, would find
  /// them readable.
  bool isLoaded(const void *Begin, uint64_t Count) const;

  /// Whether prefetch() should be called before load() and keep().
  bool isFar() const { return IsFar; }

  /// If isFar(), fetches at once everything that load() or keep() will need for
  /// \p Areas, which must lie inside bytes().
  void prefetch(llvm::ArrayRef<llvm::StringRef> Areas) const;

  /// Makes \p Bytes readable for as long as this object exists. Needs no
  /// PagedRead.
  void keep(llvm::StringRef Bytes) const;
  /// Whether \p Bytes, which must not be empty, are kept.
  bool isKept(llvm::StringRef Bytes) const;
  /// Keeps the text that begins at the start of \p Rest and ends with a NUL
  /// byte, or all of \p Rest if there is none.
  void keepText(llvm::StringRef Rest) const;

  /// Makes all bytes readable for as long as this object exists. Returns the
  /// error of damage() or of PartReader::checkRest(). Must not be called inside
  /// a PagedRead.
  llvm::Error keepAll() const;
  /// Whether keepAll() has done that: reads need neither load() nor PagedRead.
  bool isAllKept() const { return AllKept.load(std::memory_order_acquire); }

  /// An error if parts could not be read, which then read as zeros. It has the
  /// message of the first such part and the number of the others.
  llvm::Error damage() const;
  /// Adds \p E, which a reader of the bytes has found, to damage().
  void noteDamage(llvm::Error E) const;

  /// Announces that \p Count reads in different places follow.
  void expectReads(uint64_t Count) const;

  /// How often a part was read, for tests and figures.
  uint64_t partsRead() const { return Reads.load(std::memory_order_relaxed); }

private:
  friend class PagedRead;

  /// Present and Used differ in whether the part was touched since room was
  /// last made.
  enum State : uint8_t { Absent, Present, Used };

  PagedMemory(std::unique_ptr<PartReader> Parts, uint64_t CacheSize);
  llvm::Error reserve();
  llvm::MutableArrayRef<char> part(uint64_t Index) const;
  /// The first page of part \p Index and the one after its last.
  std::pair<uint64_t, uint64_t> pagesOf(uint64_t Index) const;
  bool isKept(uint64_t Page) const {
    return Kept[Page].load(std::memory_order_acquire);
  }
  void loadPart(uint64_t Index) const;
  void noteFailed(uint64_t Index) const;
  bool anyFailed(uint64_t FirstPart, uint64_t LastPart) const;
  /// Makes parts that could not be fetched absent, so that they are tried
  /// again.
  void dropFailed() const;
  void prefetchParts(llvm::SmallVectorImpl<uint64_t> &Indices) const;
  void fill(uint64_t Index) const;
  /// Stores the pages of part \p Index that are not kept.
  llvm::Error fillAroundKept(uint64_t Index) const;
  bool isOverLimit(uint64_t Factor) const {
    return Resident.load(std::memory_order_relaxed) > Factor * CacheSize;
  }
  void makeRoom() const;
  /// Pages from First to before End.
  struct PageRun {
    uint64_t First = 0;
    uint64_t End = 0;
  };
  void drop(uint64_t Index, PageRun &Dropped) const;
  void release(PageRun Pages) const;

  std::unique_ptr<PartReader> Parts;
  const bool IsFar;
  const uint64_t CacheSize;
  char *Base = nullptr;
  uint64_t Size = 0;
  uint64_t Reserved = 0;
  unsigned Shift = 0;
  uint64_t PageSize = 0;
  unsigned PageShift = 0;
  uint64_t PartCount = 0;
  /// An array of zeros, which takes no memory until it is written: the number
  /// of parts comes from an untrusted file.
  using StateArray = std::unique_ptr<std::atomic<uint8_t>[], void (*)(void *)>;
  StateArray States{nullptr, std::free};
  /// For each page, whether it must never be evicted.
  StateArray Kept{nullptr, std::free};
  mutable std::atomic<bool> AllKept{false};
  /// Whether expectReads() has asked for huge pages. It is called for each
  /// batch.
  mutable std::atomic<bool> HasHugePages{false};

  struct Locks {
    /// Held shared while memory is read, and exclusively while it is evicted.
    std::shared_mutex Access;
    /// For filling parts; each is used for every 16th part.
    std::mutex Filling[16];
    std::mutex Damage;
  };
  /// In a child of fork(), what threads of the parent were doing under a lock
  /// is as if it had not begun: a part counts as filled, or as evicted, by its
  /// state alone.
  mutable ForkLocal<Locks> LocksOfProcess;
  Locks &locks() const { return LocksOfProcess.get(); }

  /// Bytes of the parts that are present.
  mutable std::atomic<uint64_t> Resident{0};
  mutable std::atomic<uint64_t> Reads{0};
  /// The part at which makeRoom() continues.
  mutable uint64_t Hand = 0;
  mutable RememberedError FirstDamage;
  mutable uint64_t DamagedParts = 0;
  /// Parts of a file on another machine that could not be fetched. They read as
  /// zeros until the reads that encountered this have ended. Guarded by
  /// Locks::Damage.
  mutable std::vector<uint64_t> Failed;
  mutable std::atomic<bool> HasFailed{false};
};

/// While this object exists, the parts of \p Memory that this thread has loaded
/// stay readable. \p Memory may be null. Objects may be nested. Do not keep one
/// while waiting for a user, because nothing is evicted in the meantime.
class PagedRead {
public:
  explicit PagedRead(const PagedMemory *Memory) : Memory(Memory) {
    if (LLVM_UNLIKELY(Memory != nullptr))
      enter();
  }
  PagedRead(const PagedRead &) = delete;
  PagedRead &operator=(const PagedRead &) = delete;
  ~PagedRead() {
    if (LLVM_UNLIKELY(Memory != nullptr))
      leave();
  }

private:
  void enter();
  void leave();

  /// Null if another PagedRead of this thread holds the lock.
  const PagedMemory *Memory;
  const PagedRead *Outer = nullptr;
  static thread_local const PagedRead *Innermost;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_PAGEDMEMORY_H
