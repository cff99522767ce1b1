//===- NameCost.h - The cost of demangling a name ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SYMBOLIZE_NAMECOST_H
#define LIDIA_LIB_SYMBOLIZE_NAMECOST_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace lidia {

// A mangled name can refer to its own parts, so a few hundred bytes can expand
// to more than any machine can hold. Each of these functions tells, without
// demangling, whether \p Mangled, a name of one scheme including its prefix,
// demangles to at most about \p Limit bytes. The time that this takes, like the
// demangler's, is proportional to Limit and to the size of the name. For a name
// that the demangler refuses, the result is arbitrary.

/// Names that would expand beyond this are not demangled.
constexpr uint64_t MaxDemangled = 1024 * 1024;

/// `_Z`, with the limit MaxDemangled.
bool isItaniumNameWithinLimit(llvm::StringRef Mangled);
/// `_R`.
bool isRustNameWithin(llvm::StringRef Mangled, uint64_t Limit);
/// `_D`.
bool isDNameWithin(llvm::StringRef Mangled, uint64_t Limit);

/// `?`, Microsoft's scheme. Also false for some names that would not expand as
/// much.
bool isMicrosoftNameWithin(llvm::StringRef Mangled, uint64_t Limit);

/// Demangles \p Mangled, `_Z...`, like llvm::itaniumDemangle(). None if it is
/// not such a name, or if isItaniumNameWithinLimit() is false.
std::optional<std::string> demangleItaniumName(llvm::StringRef Mangled,
                                               bool ParseParams);

/// Demangles \p Mangled, `_D...`, like binutils, and writes at most \p Limit
/// bytes including intermediate results. None if it is not such a name, or
/// would take more. With \p IsShort, returns only the function's own name,
/// without scopes and parameters.
std::optional<std::string> demangleDName(llvm::StringRef Mangled,
                                         uint64_t Limit, bool IsShort);

} // namespace lidia

#endif // LIDIA_LIB_SYMBOLIZE_NAMECOST_H
