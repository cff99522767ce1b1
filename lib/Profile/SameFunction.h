//===- SameFunction.h - Compares names from different tools -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_SAMEFUNCTION_H
#define LIDIA_LIB_PROFILE_SAMEFUNCTION_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

/// Whether \p Theirs, a name printed by another tool, demangled or not, may be
/// that of the function with the linkage name \p Ours. True in case of doubt.
bool mayBeSameFunction(llvm::StringRef Theirs, llvm::StringRef Ours);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_SAMEFUNCTION_H
