//===- ByteReader.h - Bytes of a file or of memory --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_BYTEREADER_H
#define LIDIA_MODULES_BYTEREADER_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace lidia {

/// Random access to the bytes of a file, a process or a core. Nothing is
/// mapped, so if a file shrinks, the bytes are missing but no SIGBUS is raised.
/// Thread-safe.
class ByteReader {
public:
  virtual ~ByteReader() = default;

  /// Reads the bytes from \p Offset on into \p To and returns their number,
  /// which is less than To.size() at the end, before a gap and after an error.
  virtual size_t read(uint64_t Offset,
                      llvm::MutableArrayRef<uint8_t> To) const = 0;

  /// Whether all of \p To was read.
  bool readAll(uint64_t Offset, llvm::MutableArrayRef<uint8_t> To) const {
    return read(Offset, To) == To.size();
  }
};

} // namespace lidia

#endif // LIDIA_MODULES_BYTEREADER_H
