//===- Compression.h - Archives compressed by zstd --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A compressed archive (docs/Format.md) is the archive in zstd's seekable
/// format: Archive::open() reads it without unpacking all of it, and zstd -d
/// gives the plain archive.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_COMPRESSION_H
#define LIDIA_ARCHIVE_COMPRESSION_H

#include "lidia/Support/RandomAccessReader.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace lidia {

struct CompressionOptions {
  /// The default and the maximum of --compress. Archives of lower levels than 6
  /// are a tenth larger; higher levels take much longer and save two percent.
  static constexpr int DefaultLevel = 6, MaxLevel = 19;

  /// zstd's level.
  int Level = DefaultLevel;
  /// The number of threads; 0 means as many as the machine has. The result does
  /// not depend on it.
  unsigned Threads = 0;
  /// Bytes of the plain archive in a frame: a power of two, and a multiple of
  /// any machine's page size. A lookup unpacks about ten frames.
  uint32_t FrameSize = 64 * 1024;
};

/// Calls \p Write with a stream, and writes to \p OS, compressed, what \p Write
/// writes to that stream. Returns the error of \p Write; errors of \p OS stay
/// in \p OS.
llvm::Error
writeCompressed(llvm::raw_ostream &OS, const CompressionOptions &Options,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Write);

/// Readers of archives on other machines fetch this number of bytes first, from
/// the beginning: all of a small archive, and what opens a large one.
inline constexpr uint64_t FirstFetch = 256 * 1024;

/// Whether \p Head, the first bytes of a compressed archive of \p FileSize
/// bytes, has all that opening the archive needs.
bool hasOpeningFrame(llvm::StringRef Head, uint64_t FileSize);

/// Whether \p Bytes, the start of a file, look like the output of zstd.
bool isZstd(llvm::StringRef Bytes);

/// Unpacks an archive that is compressed by zstd, seekable or not, to \p OS.
/// Like zstd, it ignores the seek table. \p Next returns the file's bytes piece
/// by piece, and an empty piece at the end; \p Size is the size of the file.
///
/// The file is not trusted. Fails if the content is not an archive, or is
/// larger than 16 MiB plus a hundred times the file's size (compression makes
/// archives seven times smaller). Errors begin with \p Name.
llvm::Error
unpackArchive(llvm::StringRef Name, uint64_t Size,
              llvm::function_ref<llvm::Expected<llvm::StringRef>()> Next,
              llvm::raw_ostream &OS);

/// Unpacks an archive from a file in memory or elsewhere.
llvm::Error unpackArchive(const RandomAccessReader &File,
                          llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_ARCHIVE_COMPRESSION_H
