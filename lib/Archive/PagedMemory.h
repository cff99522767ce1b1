//===- PagedMemory.h - An archive's bytes, read on demand -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An archive whose bytes are not in a mapped file: they are compressed. The
/// reader follows pointers all over an archive, so the bytes get the addresses
/// that they would have in a mapping: address space is reserved for the whole
/// archive, and a part of it has memory while it is in use.
///
/// Nothing is read by page faults. Whoever reads bytes calls load() for them
/// first, inside a PagedRead; a part that was not loaded reads as zeros.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_PAGEDMEMORY_H
#define LIDIA_LIB_ARCHIVE_PAGEDMEMORY_H

#include "lidia/Error.h"
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

/// Makes the bytes of a file, which is divided into parts of one size.
class PartReader {
public:
  virtual ~PartReader() = default;

  /// Bytes of each part but the last, which may be shorter: a power of two, and
  /// a multiple of the system's page.
  virtual uint64_t partSize() const = 0;
  /// Bytes of all parts.
  virtual uint64_t size() const = 0;
  /// Stores part \p Index in \p Out, which has the size of the part. Several
  /// threads call this at once. After an error \p Out may have any bytes.
  virtual llvm::Error read(uint64_t Index, llvm::MutableArrayRef<char> Out) = 0;

  /// As in RandomAccessReader.
  virtual bool isFar() const { return false; }
  /// Says that read() will be called for the parts \p Indices, which ascend.
  virtual void prefetch(llvm::ArrayRef<uint64_t>) {}
};

/// Address space for the bytes of a PartReader, and memory for some of them.
/// Safe for threads.
class PagedMemory {
public:
  /// Parts whose memory is more than \p CacheSize bytes in total lose it again,
  /// the least recently used first. The error says that the system has no
  /// address space.
  static llvm::Expected<std::unique_ptr<PagedMemory>>
  create(std::unique_ptr<PartReader> Parts, uint64_t CacheSize);
  PagedMemory(const PagedMemory &) = delete;
  PagedMemory &operator=(const PagedMemory &) = delete;
  ~PagedMemory();

  /// All bytes, of which only those may be read that load() or keep() was
  /// called for.
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

  /// Whether it pays to call prefetch() before load() and keep().
  bool isFar() const { return IsFar; }

  /// Fetches what load() or keep() will need for \p Areas, which lie inside
  /// bytes(), all at once if it is far away.
  void prefetch(llvm::ArrayRef<llvm::StringRef> Areas) const;

  /// Makes \p Bytes readable for as long as this object exists. Needs no
  /// PagedRead.
  void keep(llvm::StringRef Bytes) const;
  /// Whether \p Bytes, which must not be empty, are kept.
  bool isKept(llvm::StringRef Bytes) const;
  /// Keeps the text that begins at the start of \p Rest and ends with a NUL
  /// byte, or all of \p Rest if there is none.
  void keepText(llvm::StringRef Rest) const;

  /// Makes all bytes readable for as long as this object exists. The error is
  /// that of damage(). Not to be called inside a PagedRead.
  llvm::Error keepAll() const;

  /// An error if parts could not be read; they read as zeros. It has the
  /// message of the first one, and the number of the others.
  llvm::Error damage() const;
  /// Makes \p E, which a reader of the bytes has found, part of damage().
  void noteDamage(llvm::Error E) const;

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
  void drop(uint64_t Index) const;
  void releasePages(uint64_t First, uint64_t End) const;

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
  /// Of zeros, which take no memory before they are written: the number of
  /// parts is what a file says.
  using StateArray = std::unique_ptr<std::atomic<uint8_t>[], void (*)(void *)>;
  StateArray States{nullptr, std::free};
  /// For each page whether it stays for ever.
  StateArray Kept{nullptr, std::free};

  /// Shared by those who read memory, exclusive for who takes it away.
  mutable std::shared_mutex Access;
  /// For filling parts, each for every 16th part.
  mutable std::mutex Filling[16];
  /// Bytes of the parts that are present.
  mutable std::atomic<uint64_t> Resident{0};
  mutable std::atomic<uint64_t> Reads{0};
  /// The part at which makeRoom() goes on.
  mutable uint64_t Hand = 0;
  mutable std::mutex DamageMutex;
  mutable RememberedError FirstDamage;
  mutable uint64_t DamagedParts = 0;
  /// Parts of a far file that could not be fetched and read as zeros: only
  /// until the reads that found it end. For DamageMutex, too.
  mutable std::vector<uint64_t> Failed;
  mutable std::atomic<bool> HasFailed{false};
};

/// While it exists, what this thread has loaded of \p Memory, which may be
/// null, stays readable. Several may be nested. Not to be kept while waiting
/// for a user: nothing is evicted meanwhile.
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

  /// Null if another one of this thread has locked it.
  const PagedMemory *Memory;
  const PagedRead *Outer = nullptr;
  static thread_local const PagedRead *Innermost;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_PAGEDMEMORY_H
