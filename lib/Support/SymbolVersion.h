//===- SymbolVersion.h - Versions in the names of symbols -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_SYMBOLVERSION_H
#define LIDIA_LIB_SUPPORT_SYMBOLVERSION_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

/// The name without the version that linkers append in .symtab
/// ("memcpy@@GLIBC_2.14"). Microsoft's mangling uses the letter, too.
inline llvm::StringRef unversioned(llvm::StringRef Name) {
  if (Name.starts_with("?"))
    return Name;
  size_t At = Name.find('@');
  return At == 0 || At == llvm::StringRef::npos ? Name : Name.take_front(At);
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_SYMBOLVERSION_H
