//===- Names.h - Function names as people read them -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_NAMES_H
#define LIDIA_SYMBOLIZE_NAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lidia {

/// Whether \p Name may be mangled, so that demangleName() is worth its price.
/// Every scheme that an ELF file uses begins with an underscore (Itanium `_Z`,
/// Rust `_R`, D `_D`), which some targets put after a dot.
inline bool mayBeMangled(llvm::StringRef Name) {
  return !Name.empty() && (Name.front() == '_' || Name.front() == '.');
}

/// Whether \p Name can be demangled within bounds of memory, time and stack
/// that its size justifies. Others a demangler must not get: of a few hundred
/// bytes it makes more than any machine can hold.
bool canDemangle(llvm::StringRef Name);

/// The name that was mangled as \p Name: Itanium, Rust or D. A name that is
/// none of these, or cannot be demangled within bounds, comes back as it is.
/// The same text as llvm-symbolizer's. The
/// "@plt" that ends a stub's name is kept.
std::string demangleName(llvm::StringRef Name);

/// The function's own name, without scopes, parameters and return type but
/// with its template arguments: `f<int>` of `_ZN2ns1fIiEEiT_`, which is what
/// DWARF calls the function's name and what llvm-symbolizer prints for
/// `--functions=short`. Also of names that are not mangled but have their
/// scopes written out (`ns::f`, `(anonymous namespace)::f`).
///
/// The hash that ends a legacy Rust name and the suffix of a clone
/// (`.constprop.0`) of a mangled name are left out.
std::string shortName(llvm::StringRef Name);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_NAMES_H
