//===- LinkageNames.h - Linkage names that DWARF lacks ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_LINKAGENAMES_H
#define LIDIA_LIB_EXTRACT_LINKAGENAMES_H

#include "DWARF/Sections.h"
#include "InputFiles.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace lidia {

/// The mangled names of function symbols, for functions whose debug information
/// has no linkage name: those of -g1 and -gmlt, and GCC's in anonymous
/// namespaces and local classes.
class LinkageNames {
public:
  LinkageNames() = default;
  /// Names point into \p Files.
  explicit LinkageNames(const InputFiles &Files);

  /// The linkage name of the function entered at \p Entry that debug
  /// information calls \p Unscoped, with its scopes \p Name: that of a symbol
  /// there whose demangled name ends in \p Unscoped, and preferably contains
  /// \p Name. The suffix of a clone (".constprop.0") is removed. Empty if there
  /// is no such symbol, or several that differ when demangled. Demangling is
  /// charged to \p Budget.
  llvm::StringRef find(uint64_t Entry, llvm::StringRef Name,
                       llvm::StringRef Unscoped,
                       dwarf::WorkBudget &Budget) const;

private:
  /// Symbols at one address after these are not considered.
  static constexpr size_t MaxAliases = 16;

  /// By address, then by name.
  std::vector<std::pair<uint64_t, llvm::StringRef>> Symbols;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_LINKAGENAMES_H
