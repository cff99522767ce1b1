//===- RandomAccessReader.h - Reads parts of a file -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SUPPORT_RANDOMACCESSREADER_H
#define LIDIA_SUPPORT_RANDOMACCESSREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lidia {

/// A part of a file, in bytes.
struct FileRange {
  uint64_t Offset = 0;
  uint64_t Size = 0;
};

/// Reads parts of a file, in memory or elsewhere. Thread-safe.
class RandomAccessReader {
public:
  virtual ~RandomAccessReader() = default;

  /// The file's name, for messages.
  virtual llvm::StringRef name() const = 0;

  /// Bytes in the file.
  virtual uint64_t size() const = 0;

  /// The \p Size bytes at \p Offset, which must lie inside the file. The result
  /// points into memory of the reader, which is valid as long as the reader, or
  /// into \p Storage. The error names the file.
  virtual llvm::Expected<llvm::StringRef>
  read(uint64_t Offset, size_t Size,
       llvm::SmallVectorImpl<char> &Storage) const = 0;

  /// Whether each read() takes a round trip to another machine. If so, call
  /// prefetch() first.
  virtual bool isFar() const { return false; }

  /// Announces that read() will be called for \p Ranges, which must lie inside
  /// the file. If isFar(), fetches all of them at once. Errors are reported by
  /// read().
  virtual void prefetch(llvm::ArrayRef<FileRange>) const {}
};

} // namespace lidia

#endif // LIDIA_SUPPORT_RANDOMACCESSREADER_H
