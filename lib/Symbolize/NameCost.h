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
#include <algorithm>
#include <optional>
#include <string>

namespace lidia {

// A mangled name can refer to its own parts, so a few hundred bytes can expand
// to more than any machine can hold. Each of these functions tells, without
// demangling, whether \p Mangled, a name of one scheme including its prefix,
// demangles to at most about \p Limit bytes. The time that this takes, like the
// demangler's, is proportional to Limit and to the size of the name. For a name
// that the demangler refuses, the result is arbitrary.

// These are all limits of demanglers.

/// Longer names are not demangled: for some, LLVM's demanglers recurse on each
/// letter, and the stack is limited.
constexpr size_t MaxMangled = 8 * 1024;
/// Names that would expand beyond this are not demangled.
constexpr uint64_t MaxDemangled = 1024 * 1024;
/// The limit on the work of demangling a name of \p Size bytes, for schemes in
/// which it can be computed exactly. Of 380,000 names from compilers and
/// libraries, none became 29 times as long.
constexpr uint64_t maxDemanglingWork(size_t Size) {
  return std::min<uint64_t>(64 * 1024 + 256 * Size, MaxDemangled);
}
/// Paths and types of Rust in each other; LLVM's demangler has the same limit.
constexpr unsigned MaxRustDepth = 500;
/// Types of D in each other. Compilers do not nest them as deeply.
constexpr unsigned MaxDDepth = 128;

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
