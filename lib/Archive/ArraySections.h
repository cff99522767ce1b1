//===- ArraySections.h - The extension's array sections ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Most sections of the extension are arrays of equally wide fields after an
/// ArrayHeader (docs/Format.md). This table gives the layout of each. Opening,
/// verifying, dumping, writing and the description in YAML use it, so a new
/// section of this kind is one row here and one member of ArchiveArrays.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_ARRAYSECTIONS_H
#define LIDIA_LIB_ARCHIVE_ARRAYSECTIONS_H

#include "lidia/Archive/Archive.h"
#include "llvm/ADT/STLExtras.h"

namespace lidia {

/// How many entries an array has.
enum class EntryCount : uint8_t { Any, OnePerRange, OnePerRow };

struct ArraySection {
  uint32_t Tag;
  /// Minimum and maximum bytes of a field.
  uint8_t MinWidth;
  uint8_t MaxWidth;
  uint8_t FieldsPerEntry;
  EntryCount Count;
  /// The member of an open archive that holds it.
  FieldView ArchiveArrays::*Member;
};

inline constexpr ArraySection ArraySections[] = {
    {format::ET_Parents, 1, 8, 1, EntryCount::OnePerRange,
     &ArchiveArrays::Parents},
    {format::ET_ForeignRows, 4, 8, 3, EntryCount::Any,
     &ArchiveArrays::ForeignRows},
    {format::ET_RowColumns, 1, 4, 1, EntryCount::OnePerRow,
     &ArchiveArrays::RowColumns},
    {format::ET_CallColumns, 1, 4, 1, EntryCount::OnePerRange,
     &ArchiveArrays::CallColumns},
    {format::ET_Directories, 4, 8, 2, EntryCount::Any,
     &ArchiveArrays::Directories},
    {format::ET_Entries, 4, 8, 2, EntryCount::Any, &ArchiveArrays::Entries},
    {format::ET_Declarations, 4, 8, 3, EntryCount::Any,
     &ArchiveArrays::Declarations},
    {format::ET_DeclarationFiles, 4, 8, 3, EntryCount::Any,
     &ArchiveArrays::DeclarationFiles},
    {format::ET_PlainNames, 4, 8, 2, EntryCount::Any,
     &ArchiveArrays::PlainNames},
    {format::ET_Units, 4, 8, 3, EntryCount::Any, &ArchiveArrays::Units},
    {format::ET_LastDeclarations, 4, 8, 3, EntryCount::Any,
     &ArchiveArrays::LastDeclarations},
    {format::ET_UnitLanguages, 4, 8, 3, EntryCount::Any,
     &ArchiveArrays::UnitLanguages},
    {format::ET_Calls, 4, 8, 2, EntryCount::Any, &ArchiveArrays::Calls},
    {format::ET_SectionPlaces, 4, 8, 3, EntryCount::Any,
     &ArchiveArrays::SectionPlaces},
    {format::ET_LoadSegments, 4, 8, 3, EntryCount::Any,
     &ArchiveArrays::LoadSegments},
};

/// The layout of the section with \p Tag; null if it is not an array.
inline const ArraySection *arraySection(uint32_t Tag) {
  const auto *Found = llvm::find_if(
      ArraySections, [&](const ArraySection &S) { return S.Tag == Tag; });
  return Found == std::end(ArraySections) ? nullptr : Found;
}

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_ARRAYSECTIONS_H
