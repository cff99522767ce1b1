//===- TypeUnits.h - Types by signature -------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_TYPEUNITS_H
#define LIDIA_LIB_DWARF_TYPEUNITS_H

#include "PackageIndex.h"
#include "Unit.h"
#include <mutex>

namespace lidia {
namespace dwarf {

/// A type unit and the sections it is in: Info is .debug_types for DWARF 4.
struct TypeUnit {
  Sections S;
  UnitHeader Header;
};

/// Finds the type units of a file, or of a package of split units, by their
/// signatures (DWARF 5, section 7.32). Few names need a type unit, so the units
/// are not read before the first lookup. Thread-safe.
class TypeUnits {
public:
  /// The type units among \p Headers, the units of .debug_info, and those in
  /// .debug_types of \p S. Both must outlive this object.
  TypeUnits(const Sections &S, llvm::ArrayRef<UnitHeader> Headers)
      : S(S), Headers(Headers) {}

  /// The type units of a package: \p Index is its .debug_tu_index, \p S its
  /// sections. Both must outlive this object.
  TypeUnits(const Sections &S, const PackageIndex &Index)
      : S(S), Index(&Index) {}

  /// None if there is no type with \p Signature. If several units have it,
  /// because a linker kept them all, they describe the same type, and the first
  /// is returned.
  std::optional<TypeUnit> find(uint64_t Signature, WorkBudget &Budget);

private:
  struct Entry {
    uint64_t Signature;
    /// Index in Headers, or in TypeHeaders if Separate.
    uint32_t Index;
    bool Separate;
  };
  void makeTable();
  std::optional<TypeUnit> findInPackage(uint64_t Signature,
                                        WorkBudget &Budget) const;

  const Sections &S;
  llvm::ArrayRef<UnitHeader> Headers;
  const PackageIndex *Index = nullptr;
  std::once_flag TableMade;
  /// The headers of .debug_types.
  std::vector<UnitHeader> TypeHeaders;
  /// By signature, then in the order of the sections.
  std::vector<Entry> Table;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_TYPEUNITS_H
