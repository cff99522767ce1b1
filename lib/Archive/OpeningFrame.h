//===- OpeningFrame.h - Copies of what opening reads ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A reader on another machine fetches the first bytes of an archive, and needs
/// more from its end and its middle before it can look up an address. A large
/// compressed archive has copies of that near its beginning, in a skippable
/// frame after the first frame (docs/Format.md, "Compressed archives").
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_OPENINGFRAME_H
#define LIDIA_LIB_ARCHIVE_OPENINGFRAME_H

#include "SeekTable.h"
#include <string>
#include <utility>

namespace lidia {

/// A compressed frame, as it is in the file.
struct PackedFrame {
  /// Offset is not used.
  SeekTable::Frame Entry;
  std::vector<char> Bytes;
};

struct OpeningFrame {
  SeekTable Table;
  /// The index of a frame in Table.Frames, ascending, and its bytes.
  std::vector<std::pair<uint32_t, std::string>> Copies;

  /// Reads the frame from \p Head, the first bytes of a file of \p FileSize
  /// bytes. None if there is none, if it contradicts itself or the size of the
  /// file, or if it is damaged: the file has everything once more.
  static std::optional<OpeningFrame> read(llvm::StringRef Head,
                                          uint64_t FileSize);

  /// Returns the frame of an archive of \p Frames, which a file has after the
  /// first one. Empty if readers fetch the whole archive at once, or if the
  /// frame is too large to be fetched with the beginning of the file.
  static std::string make(llvm::ArrayRef<PackedFrame> Frames);

  /// The entry of the seek table for an opening frame of \p Size bytes.
  static SeekTable::Frame entry(uint64_t Size);

  /// The maximum number of frames of an archive that has one.
  static constexpr size_t MaxFrames = 12 * 1024;
};

/// Checks that the opening frame of \p File, if it has one, says what the rest
/// of the file says.
llvm::Error checkOpeningFrame(const RandomAccessReader &File);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_OPENINGFRAME_H
