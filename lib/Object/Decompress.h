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
  /// Prepares to decompress \p Packed, which should expand to \p Size bytes, to
  /// memory; to a temporary file if they are many or there is no memory, unless
  /// \p AnySize. A \p Size that the input cannot expand to is refused.
  static llvm::Expected<std::unique_ptr<Unpacker>>
  create(llvm::StringRef Packed, Compression How, uint64_t Size,
         bool AnySize = false);
  ~Unpacker();

  /// Decompresses the next bytes, a few megabytes at most. An error if there
  /// are not as many in all as there should be.
  llvm::Error step();
  bool atEnd() const { return AtEnd; }
  /// The front of the input, which will not be read again.
  llvm::StringRef consumed() const;
  /// The number of bytes that there will be.
  uint64_t size() const { return Size; }
  TemporaryMapping &output() { return *Out; }
  /// The bytes, at the end.
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

/// How many bytes \p Packed, which does not announce its size, may expand to.
uint64_t maxUnpackedSize(llvm::StringRef Packed);

/// The same for an xz stream, to a temporary file, because the stream does not
/// announce its size: output of more than a hundred times the input plus 16 MiB
/// is refused, as is a stream that needs more than 80 MiB of memory (xz -9
/// needs 65).
llvm::Expected<std::unique_ptr<TemporaryMapping>>
decompressXz(llvm::StringRef Packed);

/// The same for a file of one or more zstd frames.
llvm::Expected<std::unique_ptr<TemporaryMapping>>
decompressZstd(llvm::StringRef Packed);

/// Whether \p Packed begins as an xz or a zstd file whose content is an ELF
/// file. Unpacks its first bytes only.
bool isPackedELF(llvm::StringRef Packed);

/// An error if \p Packed begins as an xz or a zstd file, but not even its first
/// bytes can be unpacked.
llvm::Error checkPackedStart(llvm::StringRef Packed);

/// Decompresses \p Packed, for which isPackedELF() is true, to a temporary file
/// that the result maps.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
unpackFile(llvm::StringRef Packed);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DECOMPRESS_H
