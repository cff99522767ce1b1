//===- PrintedSize.h - How long a demangled name would be -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SYMBOLIZE_PRINTEDSIZE_H
#define LIDIA_LIB_SYMBOLIZE_PRINTEDSIZE_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

/// About how many bytes the Itanium name \p Mangled is when it is demangled,
/// found without writing them: a name refers to its own parts, so a few hundred
/// bytes can stand for more than any machine can hold. Zero when it is no such
/// name.
uint64_t printedSize(llvm::StringRef Mangled);

} // namespace lidia

#endif // LIDIA_LIB_SYMBOLIZE_PRINTEDSIZE_H
