//===- ELFWriter.h - Lays out an ELF file of debug information --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_ELFWRITER_H
#define LIDIA_LIB_EXPORT_ELFWRITER_H

#include "SectionWriter.h"
#include "lidia/Archive/Archive.h"
#include <optional>
#include <string>
#include <vector>

namespace lidia {

struct ELFSection {
  std::string Name;
  uint32_t Type = 0;
  uint64_t Flags = 0;
  uint64_t Address = 0;
  uint64_t Alignment = 1;
  uint64_t EntrySize = 0;
  /// The index of another section, and a number. Their meanings depend on the
  /// type.
  uint32_t Link = 0;
  uint32_t Info = 0;
  llvm::StringRef Contents;
  /// For SHT_NOBITS, which has no contents.
  uint64_t Size = 0;
};

/// A program header.
struct ELFSegment {
  uint32_t Type = 0;
  uint32_t Flags = 0;
  uint64_t Address = 0;
  /// Size in memory.
  uint64_t Size = 0;
  uint64_t Alignment = 1;
  /// The index in the sections of the section with the segment's contents; none
  /// if the segment has no contents in the file.
  std::optional<size_t> Contents;
};

/// Writes the file header according to \p Info, \p Segments, \p Sections (the
/// first at index 1) and the section header table to \p OS. There must be fewer
/// than PN_XNUM segments and SHN_LORESERVE sections.
void writeELF(llvm::raw_ostream &OS, const Target &T, const ArchiveInfo &Info,
              llvm::ArrayRef<ELFSegment> Segments,
              std::vector<ELFSection> Sections);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_ELFWRITER_H
