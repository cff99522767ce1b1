//===- SectionPlaces.h - Sections of relocatable objects --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All sections of a relocatable object (.o, .ko) have address 0. In its
/// archive, each executable section has addresses of its own. The section SECT
/// (docs/Format.md) lists them.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_SECTIONPLACES_H
#define LIDIA_ARCHIVE_SECTIONPLACES_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// An executable section of a relocatable object.
struct SectionPlace {
  /// Several sections may have one name.
  StringOffset Name = 0;
  /// Its first address in the archive's address space.
  uint64_t Address = 0;
  /// In bytes.
  uint64_t Size = 0;

  bool contains(uint64_t A) const { return A >= Address && A - Address < Size; }
};

/// The sections of the object that an archive was made from. Not copied: the
/// archive must outlive it. Values are as untrusted as the archive.
class SectionPlaces {
public:
  explicit SectionPlaces(const Archive &TheA)
      : A(TheA),
        Fields(TheA.array(format::ET_SectionPlaces).value_or(FieldView())) {}

  /// The number of sections. Zero unless the archive is that of a relocatable
  /// object.
  uint64_t size() const { return Fields.Count / FieldsPerEntry; }

  /// The section at \p Index, which must be below size(). Sections are in
  /// ascending order of address.
  SectionPlace operator[](uint64_t Index) const {
    uint64_t I = Index * FieldsPerEntry;
    return {Fields[I], Fields[I + 1], Fields[I + 2]};
  }

  llvm::StringRef name(uint64_t Index) const {
    return A.string((*this)[Index].Name);
  }

  /// The address of the byte at \p Offset in the section \p Name. None if there
  /// is no such section. The error says that several sections have the name, or
  /// that \p Offset is past the end of the section.
  llvm::Expected<std::optional<uint64_t>> address(llvm::StringRef Name,
                                                  uint64_t Offset) const;

private:
  static constexpr unsigned FieldsPerEntry = 3;

  const Archive &A;
  FieldView Fields;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_SECTIONPLACES_H
