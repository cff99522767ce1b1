//===- ChecksumParts.h - Parts of an archive with checksums -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_CHECKSUMPARTS_H
#define LIDIA_ARCHIVE_CHECKSUMPARTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace lidia {

/// A selection of the parts of an archive that have a checksum.
struct ChecksumParts {
  bool VAs = false;
  bool Ranges = false;
  bool Strings = false;
  bool Lines = false;
  /// The whole extension, if there is one.
  bool Extension = false;
  /// Sections of the extension, by their tags, with its directory.
  llvm::SmallVector<uint32_t, 4> Sections;

  static ChecksumParts all();

  /// The names that add() accepts in addition to tags of sections.
  static constexpr llvm::StringLiteral Names =
      "vas, ranges, strings, lines, extension";

  /// Adds the part that `dump` calls \p Name: one of Names, or the tag of a
  /// section of the extension. Returns false if there is no such part.
  bool add(llvm::StringRef Name);

  bool isAll() const { return VAs && Ranges && Strings && Lines && Extension; }
  bool empty() const {
    return !VAs && !Ranges && !Strings && !Lines && !Extension &&
           Sections.empty();
  }
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_CHECKSUMPARTS_H
