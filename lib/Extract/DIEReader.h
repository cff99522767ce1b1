//===- DIEReader.h - One DIE with its attributes ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_DIEREADER_H
#define LIDIA_LIB_EXTRACT_DIEREADER_H

#include "DWARF/Unit.h"
#include "llvm/ADT/SmallVector.h"

namespace lidia {

/// A DIE and its attributes.
struct ReadDIE {
  /// DW_TAG_null for the end of a list of children.
  llvm::dwarf::Tag Tag = llvm::dwarf::DW_TAG_null;
  bool HasChildren = false;
  /// Its DIE reference (see Unit::reference).
  uint64_t Reference = 0;
  llvm::SmallVector<std::pair<llvm::dwarf::Attribute, dwarf::FormValue>, 16>
      Attributes;

  dwarf::FormValue find(llvm::dwarf::Attribute Wanted) const {
    for (const auto &[Attribute, Value] : Attributes)
      if (Attribute == Wanted)
        return Value;
    return dwarf::FormValue();
  }
};

/// Sets \p Out to the DIE of \p U at \p C, and moves \p C behind its
/// attributes. Returns false if it cannot be read. Charges for the attributes,
/// which may take no bytes in the DIE.
inline bool readDIE(const dwarf::Unit &U, dwarf::Cursor &C, ReadDIE &Out,
                    dwarf::WorkBudget &Budget) {
  Out.Attributes.clear();
  Out.Tag = llvm::dwarf::DW_TAG_null;
  Out.HasChildren = false;
  Out.Reference = C.offset() | U.sections().ReferenceMark;
  uint64_t Code = C.uleb();
  if (C.bad())
    return false;
  if (!Code)
    return true;
  const dwarf::Abbreviation *A = U.abbreviations().find(Code);
  if (!A || A->UnknownForm || Budget.exhausted())
    return false;
  Out.Tag = A->Tag;
  Out.HasChildren = A->HasChildren;
  llvm::ArrayRef<dwarf::AttributeSpec> Specs = U.abbreviations().specs(*A);
  Budget.charge(Specs.size());
  for (const dwarf::AttributeSpec &Spec : Specs)
    Out.Attributes.emplace_back(
        Spec.Attribute, dwarf::FormValue::read(C, Spec, U.header().Sizes));
  return !C.bad();
}

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_DIEREADER_H
