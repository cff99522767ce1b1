//===- MSFFile.h - The streams of a multi-stream file -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A multi-stream file (MSF) is the container of a PDB file: streams of bytes,
/// each in blocks that may be anywhere in the file. LLVM's docs/PDB/MsfFile.rst
/// describes it.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_MSFFILE_H
#define LIDIA_LIB_OBJECT_MSFFILE_H

#include "FileBytes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace lidia {

/// A stream of bytes in a file. The file must outlive the stream.
class MSFStream {
public:
  uint64_t size() const { return Size; }

  /// The \p Size bytes at \p Offset; none if they are not all there. Bytes that
  /// are not contiguous in the file are copied to \p Memory.
  std::optional<llvm::StringRef>
  read(uint64_t Offset, uint64_t Size,
       llvm::SmallVectorImpl<char> &Memory) const;

  /// Calls \p Visit with each contiguous run of bytes in the file, in order.
  void forEachRun(llvm::function_ref<void(llvm::StringRef)> Visit) const {
    for (const Run &R : Runs)
      Visit(R.Bytes);
  }

  /// All bytes.
  llvm::StringRef readAll(llvm::SmallVectorImpl<char> &Memory) const {
    return *read(0, Size, Memory);
  }

  /// A copy of the structure at \p Offset; none if it is not all there.
  template <class T> std::optional<T> structAt(uint64_t Offset) const {
    llvm::SmallVector<char, sizeof(T)> Memory;
    std::optional<llvm::StringRef> Bytes = read(Offset, sizeof(T), Memory);
    return Bytes ? lidia::structAt<T>(*Bytes, 0) : std::nullopt;
  }

private:
  friend class MSFFile;

  /// Bytes that are contiguous in the file.
  struct Run {
    uint64_t Start = 0;
    llvm::StringRef Bytes;
  };
  void append(llvm::StringRef Block);

  /// Sorted by Start; together they are the whole stream.
  std::vector<Run> Runs;
  uint64_t Size = 0;
};

/// The directory of a multi-stream file. It is completely checked: streams are
/// within the file, and their total size is at most that of the file.
class MSFFile {
public:
  /// \p Bytes is the whole file and must outlive the result; \p Path is for
  /// messages.
  static llvm::Expected<MSFFile> open(llvm::StringRef Bytes,
                                      llvm::StringRef Path);

  size_t streamCount() const { return Streams.size(); }

  /// The stream \p Index; an empty stream if there is none.
  const MSFStream &stream(uint32_t Index) const;

private:
  std::vector<MSFStream> Streams;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_MSFFILE_H
