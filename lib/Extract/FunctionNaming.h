//===- FunctionNaming.h - Names the functions of a unit ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_FUNCTIONNAMING_H
#define LIDIA_LIB_EXTRACT_FUNCTIONNAMING_H

#include "DWARF/FunctionNames.h"
#include "DWARFSourceOptions.h"
#include "Range.h"
#include "TreeBuilder.h"
#include "UnitLines.h"

namespace lidia {

/// The names of the functions of a unit, and of those that it calls, with the
/// places of their declarations.
class FunctionNaming {
public:
  FunctionNaming(const dwarf::Sections &S, const DWARFSourceOptions &Options,
                 StringPool &Strings, UnitLines &Lines,
                 dwarf::WorkBudget &Budget)
      : S(S), Options(Options), Strings(Strings), Lines(Lines), Budget(Budget) {
  }

  /// Names functions of \p U from here on, by \p NamesOfUnit, those of its file
  /// or of a split unit's. Adds plain names and last declarations to \p To.
  void enter(const dwarf::Unit &U, dwarf::FunctionNames &NamesOfUnit,
             UnitRanges &To);

  FunctionName nameOf(const dwarf::FunctionNode &Node);
  StringID calleeName(uint64_t DIE);

private:
  llvm::StringRef linkageName(const dwarf::FunctionNode &Node,
                              const dwarf::FunctionIdentity &F);
  StringID intern(llvm::StringRef Name);
  void addPlainName(const dwarf::FunctionIdentity &F, StringID Name);
  void addDeclaration(const dwarf::FunctionIdentity &F, FunctionName &Found);
  void addLastDeclaration(const dwarf::FunctionIdentity &F,
                          const FunctionName &Found);
  StringID fileOf(uint64_t DIE, uint64_t Number);

  const dwarf::Sections &S;
  const DWARFSourceOptions &Options;
  StringPool &Strings;
  UnitLines &Lines;
  dwarf::WorkBudget &Budget;
  const dwarf::Unit *Unit = nullptr;
  dwarf::FunctionNames *Names = nullptr;
  UnitRanges *Result = nullptr;
  /// Names of the unit's functions by the DIE they are found from.
  llvm::DenseMap<uint64_t, FunctionName> NameCache;
  /// Names of functions that the unit calls but does not contain, by their DIE.
  llvm::DenseMap<uint64_t, StringID> CalleeNames;
  /// Linkage names of the unit's functions that only symbols have, by the DIE
  /// with the function's name.
  llvm::DenseMap<uint64_t, llvm::StringRef> LinkageOf;
  llvm::SmallString<128> NameStorage;
  /// Names that were interned, by their first bytes in .debug_str.
  llvm::DenseMap<const char *, StringID> InternedNames;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_FUNCTIONNAMING_H
