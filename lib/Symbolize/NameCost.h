//===- NameCost.h - How dear a name is to demangle --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SYMBOLIZE_NAMECOST_H
#define LIDIA_LIB_SYMBOLIZE_NAMECOST_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

// A mangled name refers to its own parts, so a few hundred bytes can stand for
// more than any machine can hold. Each of these tells whether \p Mangled, a
// name of one scheme from its prefix on, is demangled to about \p Limit bytes
// at the most, without writing them. Neither the time this takes nor the
// demangler's is more than in proportion to Limit and to the size of the name.
// A name that the demangler refuses may be either.

/// `_Z`.
bool isItaniumNameWithin(llvm::StringRef Mangled, uint64_t Limit);
/// `_R`.
bool isRustNameWithin(llvm::StringRef Mangled, uint64_t Limit);
/// `_D`.
bool isDNameWithin(llvm::StringRef Mangled, uint64_t Limit);

} // namespace lidia

#endif // LIDIA_LIB_SYMBOLIZE_NAMECOST_H
