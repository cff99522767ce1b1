//===- Decompress.h - Decompresses sections ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_DECOMPRESS_H
#define LIDIA_LIB_OBJECT_DECOMPRESS_H

#include "TemporaryMapping.h"

namespace lidia {

/// How a section is compressed: ELFCOMPRESS_ZLIB or ELFCOMPRESS_ZSTD.
enum class Compression : uint8_t { Zlib, Zstd };

/// Decompresses \p Packed, which should expand to \p Size bytes, into a mapped
/// temporary file. Uses a fixed amount of memory, whatever the sizes. A \p Size
/// that the input cannot expand to is refused before anything is written.
llvm::Expected<std::unique_ptr<TemporaryMapping>>
decompress(llvm::StringRef Packed, Compression How, uint64_t Size);

/// The same for an xz stream, which does not announce its size: output of more
/// than a hundred times the input plus 16 MiB is refused, as is a stream that
/// needs more than 80 MiB of memory (xz -9 needs 65).
llvm::Expected<std::unique_ptr<TemporaryMapping>>
decompressXz(llvm::StringRef Packed);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DECOMPRESS_H
