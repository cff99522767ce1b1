//===- ByteStream.h - Bytes that can be read once ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_BYTESTREAM_H
#define LIDIA_LIB_PROCESS_BYTESTREAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace lidia {

/// A stream of bytes, such as the contents of a pipe or the output of a
/// decompressor.
class ByteStream {
public:
  virtual ~ByteStream() = default;

  /// Reads the next bytes into \p To, which is not empty, and returns their
  /// number, zero at the end. Errors name the input.
  virtual llvm::Expected<size_t> read(llvm::MutableArrayRef<uint8_t> To) = 0;
};

/// Whether a file that begins with \p Bytes is compressed by zstd, lz4 or xz.
bool isPackedStream(llvm::ArrayRef<uint8_t> Bytes);

/// Reads the descriptor \p Number, which the caller still owns, from its
/// current position on, and unpacks it if it is compressed by zstd, lz4 or xz,
/// in any number of frames. \p Name is for errors. Needs memory for one frame's
/// window, at most 128 MiB.
llvm::Expected<std::unique_ptr<ByteStream>>
openByteStream(int Number, const llvm::Twine &Name);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_BYTESTREAM_H
