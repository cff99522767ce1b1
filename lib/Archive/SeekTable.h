//===- SeekTable.h - Where the frames of a zstd file are --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// zstd's seekable format (contrib/seekable_format in zstd's sources): frames
/// that are compressed independently, and after them a skippable frame with a
/// table of their sizes. To zstd it is a file like any other.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_SEEKTABLE_H
#define LIDIA_LIB_ARCHIVE_SEEKTABLE_H

#include "lidia/Support/RandomAccessReader.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <vector>

namespace lidia {

struct SeekTable {
  struct Frame {
    /// Where the compressed frame begins in the file.
    uint64_t Offset = 0;
    uint32_t PackedSize = 0;
    /// Bytes of its content.
    uint32_t Size = 0;
    /// The low half of the XXH64 of its content, if HasChecksums.
    uint32_t Checksum = 0;
  };
  std::vector<Frame> Frames;
  bool HasChecksums = false;
  /// Bytes of the contents of all frames.
  uint64_t Size = 0;
  /// The frame after the first one, which Frames leaves out, if it has no
  /// content: see OpeningFrame.h.
  std::optional<Frame> Opening;

  /// Bytes of an entry with a checksum.
  static constexpr uint64_t EntrySize = 12;

  /// Returns the table with \p Entries, as a file has them.
  static SeekTable parse(llvm::StringRef Entries, bool HasChecksums);

  /// Reads the table at the end of \p File; none if there is none. The error
  /// says that the table contradicts itself or the file.
  static llvm::Expected<std::optional<SeekTable>>
  read(const RandomAccessReader &File);

  /// Writes the table, with checksums. Offset and Size are not used.
  void write(llvm::raw_ostream &OS) const;
  /// The same without head and footer.
  void writeEntries(llvm::raw_ostream &OS) const;
  size_t entryCount() const { return Frames.size() + Opening.has_value(); }

  /// The number of bytes that the frames take in the file.
  uint64_t framesSize() const;
  /// The same with the table, if it has checksums.
  uint64_t fileSize() const;

  /// The power of two that is the size of all frames but the last, which may be
  /// smaller; none if sizes differ.
  std::optional<uint64_t> commonSize() const;
};

/// The low half of the XXH64 of \p Content.
uint32_t frameChecksum(llvm::StringRef Content);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_SEEKTABLE_H
