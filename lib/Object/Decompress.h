//===- Decompress.h - Decompresses sections and files -----------*- C++ -*-===//
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

/// Decompresses a section step by step.
class Unpacker {
public:
  /// Prepares to decompress \p Packed, which should expand to \p Size bytes.
  /// The output goes to memory, or to a temporary file if it is large or memory
  /// is short. With \p AnySize, output of any size goes to memory, if there is
  /// enough. Rejects a \p Size that the input cannot expand to.
  static llvm::Expected<std::unique_ptr<Unpacker>>
  create(llvm::StringRef Packed, Compression How, uint64_t Size,
         bool AnySize = false);
  ~Unpacker();

  /// Decompresses the next bytes, at most a few megabytes. Fails if the total
  /// number of bytes is not size().
  llvm::Error step();
  bool atEnd() const { return AtEnd; }
  /// The front of the input that will not be read again.
  llvm::StringRef consumed() const;
  /// The number of bytes of the complete output.
  uint64_t size() const { return Size; }
  TemporaryMapping &output() { return *Out; }
  /// The complete output, after the last step.
  std::unique_ptr<TemporaryMapping> takeOutput() { return std::move(Out); }

  /// A compressed stream being read; in Decompress.cpp.
  class Stream;

private:
  Unpacker(llvm::StringRef Packed, uint64_t Size,
           std::unique_ptr<TemporaryMapping> Out, std::unique_ptr<Stream> In);

  llvm::StringRef Packed;
  uint64_t Size;
  std::unique_ptr<TemporaryMapping> Out;
  std::unique_ptr<Stream> In;
  bool AtEnd = false;
};

/// Decompresses \p Packed, which should expand to \p Size bytes, at once.
llvm::Expected<std::unique_ptr<TemporaryMapping>>
decompress(llvm::StringRef Packed, Compression How, uint64_t Size);

/// The maximum number of bytes that \p Packed, which does not announce its
/// size, may expand to.
uint64_t maxUnpackedSize(llvm::StringRef Packed);

/// The same for an xz stream, to a temporary file, because the stream does not
/// announce its size. Rejects output of more than a hundred times the input
/// plus 16 MiB, and a stream that needs more than 80 MiB of memory (xz -9 needs
/// 65).
llvm::Expected<std::unique_ptr<TemporaryMapping>>
decompressXz(llvm::StringRef Packed);

/// The same for a file of one or more zstd frames.
llvm::Expected<std::unique_ptr<TemporaryMapping>>
decompressZstd(llvm::StringRef Packed);

/// Whether \p Packed begins like an xz or a zstd file that contains an ELF
/// file. Unpacks only the first bytes.
bool isPackedELF(llvm::StringRef Packed);

/// Returns an error if \p Packed begins like an xz or a zstd file, but not even
/// its first bytes can be unpacked.
llvm::Error checkPackedStart(llvm::StringRef Packed);

/// Decompresses \p Packed, for which isPackedELF() is true, to a temporary file
/// that the result maps.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
unpackFile(llvm::StringRef Packed);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DECOMPRESS_H
