//===- TemporaryMapping.h - Bytes in memory or in a file --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_TEMPORARYMAPPING_H
#define LIDIA_LIB_OBJECT_TEMPORARYMAPPING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <mutex>
#include <vector>

namespace lidia {

/// The folder that TMPDIR names, or /tmp.
llvm::SmallString<128> temporaryFolder();

/// The error for a temporary file that cannot be created. It names the folder
/// and a remedy.
llvm::Error temporaryFileError(std::error_code EC);

/// Bytes that are written front to back, and then read: the decompressed
/// contents of a section, in memory or in a mapped temporary file.
///
/// A file costs a copy of the bytes and file system work, but the kernel can
/// write its pages back and drop them when memory is short. The file has no
/// name, so nothing is left behind however the process ends.
class TemporaryMapping {
public:
  /// Creates an empty file in the system's folder for temporary files
  /// ($TMPDIR).
  static llvm::Expected<std::unique_ptr<TemporaryMapping>> create();
  /// Reserves memory for at most \p Size bytes; null if that is impossible.
  static std::unique_ptr<TemporaryMapping> createInMemory(uint64_t Size);
  /// Reserves memory for at most \p Size bytes, or creates a file if \p Size is
  /// large or memory is short.
  static llvm::Expected<std::unique_ptr<TemporaryMapping>>
  createFor(uint64_t Size);
  ~TemporaryMapping();
  TemporaryMapping(const TemporaryMapping &) = delete;
  TemporaryMapping &operator=(const TemporaryMapping &) = delete;

  /// The buffer for the next bytes: at least one byte, even if all reserved
  /// memory is used. Valid until append(). In memory, it need not be all that
  /// is left.
  llvm::MutableArrayRef<uint8_t> room();
  /// Appends the first \p Bytes bytes of room().
  llvm::Error append(size_t Bytes);
  uint64_t size() const { return Size; }

  /// Maps the file; nothing can be appended afterwards.
  llvm::Error map();
  /// The bytes, after map(). In memory, those appended so far are valid before.
  llvm::StringRef contents() const;
  /// The same bytes, to be modified in place.
  llvm::MutableArrayRef<uint8_t> writable();

  /// Whether the bytes are in memory: then the bytes written so far can be read
  /// while others are appended.
  bool inMemory() const { return FD < 0; }
  /// Frees the memory of the whole pages before \p End, which will not be read
  /// again, or uses it for later bytes. Other threads may call this at any
  /// time.
  void forget(uint64_t End);

private:
  explicit TemporaryMapping(int FD) : FD(FD) {}
  void giveSpareMemory(uint64_t End);

  /// -1 if the bytes are in memory.
  int FD;
  uint64_t Size = 0;
  /// The mapped file, after map().
  llvm::sys::fs::mapped_file_region Region;
  /// The bytes that will be written to the file next.
  std::vector<uint8_t> Chunk;
  /// Memory begins at a huge page in it.
  llvm::sys::MemoryBlock Reservation;
  llvm::MutableArrayRef<uint8_t> Memory;
  // Multiples of a huge page, in bytes from the start of Memory, guarded by
  // SpareMutex.
  std::mutex SpareMutex;
  uint64_t Forgotten = 0;
  /// The first forgotten page that still has memory.
  uint64_t Spare = 0;
  /// The first page that was never in room().
  uint64_t WithMemory = 0;
  /// The number of pages that were used again.
  unsigned Moved = 0;
};

/// Returns a buffer of the contents of \p Mapping, a mapped file. The buffer
/// owns \p Mapping.
std::unique_ptr<llvm::MemoryBuffer>
asBuffer(std::unique_ptr<TemporaryMapping> Mapping);

/// Tells the kernel that the whole pages within \p Part of a mapped file are
/// not needed for now. Reading them again restores them. \p Part must be memory
/// that maps a file and was not written to.
void releasePages(llvm::StringRef Part);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_TEMPORARYMAPPING_H
