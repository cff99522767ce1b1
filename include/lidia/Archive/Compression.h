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

#include "lidia/Archive/RandomAccessReader.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace lidia {

struct CompressionOptions {
  /// Levels that --compress takes. Those below 6 give up a tenth of the size,
  /// those above take much longer for two percent.
  static constexpr int DefaultLevel = 6, MaxLevel = 19;

  /// zstd's level.
  int Level = DefaultLevel;
  /// Threads that compress; 0: as many as the machine has. The bytes do not
  /// depend on it.
  unsigned Threads = 0;
  /// Bytes of the plain archive in a frame: a power of two, and a multiple of
  /// the pages of any machine. A lookup unpacks some ten frames.
  uint32_t FrameSize = 64 * 1024;
};

/// Passes \p Write a stream, and writes to \p OS, compressed, what is written
/// to the stream. Returns the error of \p Write; \p OS keeps its own.
llvm::Error
writeCompressed(llvm::raw_ostream &OS, const CompressionOptions &Options,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Write);

/// Whether \p Bytes, the start of a file, look like something compressed by
/// zstd.
bool isZstd(llvm::StringRef Bytes);

/// Unpacks an archive that is compressed by zstd, seekable or not, to \p OS, as
/// zstd does: a seek table is not looked at. \p Next gives the file's bytes
/// in pieces, and an empty one at the end; \p Size is the size of the file.
///
/// Trusts nothing that the file says. Fails if the content is not an archive,
/// or more than a hundred times the file's size (and 16 MiB): archives shrink
/// to a seventh. Errors begin with \p Name.
llvm::Error
unpackArchive(llvm::StringRef Name, uint64_t Size,
              llvm::function_ref<llvm::Expected<llvm::StringRef>()> Next,
              llvm::raw_ostream &OS);

/// The same for a file in memory or elsewhere.
llvm::Error unpackArchive(const RandomAccessReader &File,
                          llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_ARCHIVE_COMPRESSION_H
