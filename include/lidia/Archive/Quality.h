//===- Quality.h - How much an archive knows --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_QUALITY_H
#define LIDIA_ARCHIVE_QUALITY_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/NameOrigins.h"
#include <array>
#include <tuple>

namespace lidia {

/// How many bytes of a binary's code an archive knows.
struct ArchiveQuality {
  /// The bytes of code; the sum of Named and Unnamed if they are more, or if
  /// the archive does not have the binary's segments.
  uint64_t Code = 0;
  /// In functions with a name, and those by origin of the name.
  uint64_t Named = 0;
  std::array<uint64_t, unsigned(NameOrigin::RuntimeNames)> ByOrigin = {};
  /// Of those, where the name is uncertain or refuted.
  uint64_t Doubted = 0;
  /// In functions that only unwind information has.
  uint64_t Unnamed = 0;
  /// With a line, in calls that are inlined, and with unwind rows.
  uint64_t WithLines = 0;
  uint64_t Inlined = 0;
  uint64_t WithUnwindRows = 0;
  /// Archive::leftOut().
  MissCode LeftOut = MissCode::None;

  /// Whether this is of more use to people than \p Other, of the same binary:
  /// more code with lines or, if that is equal, more named code.
  bool isBetterThan(const ArchiveQuality &Other) const {
    return std::tuple(WithLines, Named - Doubted) >
           std::tuple(Other.WithLines, Other.Named - Other.Doubted);
  }
};

/// Reads all ranges and rows of \p A.
ArchiveQuality qualityOf(const Archive &A);

} // namespace lidia

#endif // LIDIA_ARCHIVE_QUALITY_H
