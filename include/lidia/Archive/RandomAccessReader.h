//===- RandomAccessReader.h - Reads parts of a file -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_RANDOMACCESSREADER_H
#define LIDIA_ARCHIVE_RANDOMACCESSREADER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace lidia {

/// Gives parts of a file, wherever the file is. Safe for threads.
class RandomAccessReader {
public:
  virtual ~RandomAccessReader() = default;

  /// The file's name, for messages.
  virtual llvm::StringRef name() const = 0;

  /// Bytes in the file.
  virtual uint64_t size() const = 0;

  /// The \p Size bytes at \p Offset, which must lie inside the file: in memory
  /// of the reader, which stays valid as long as the reader, or in \p Storage.
  /// The error names the file.
  virtual llvm::Expected<llvm::StringRef>
  read(uint64_t Offset, size_t Size,
       llvm::SmallVectorImpl<char> &Storage) const = 0;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_RANDOMACCESSREADER_H
