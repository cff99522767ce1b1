//===- Aliases.h - The other names of functions -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A range has one name, but symbol tables may have several for its code:
/// aliases (`malloc` and `__libc_malloc`), the constructors of one body (C1 and
/// C2), IFUNC symbols, symbols of size 0 inside another function, and functions
/// that a linker folded. The section ALIA (docs/Format.md) has the names that
/// are not in the range table, so that a function can be found by any of its
/// names.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ALIASES_H
#define LIDIA_ARCHIVE_ALIASES_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// Another name of a function or of code in it.
struct FunctionAlias {
  uint64_t Address = 0;
  /// Index of the range of depth 0 that contains Address.
  uint64_t Root = 0;
  /// As in the symbol table, not demangled.
  llvm::StringRef Name;
};

/// Calls \p Visit with each alias of \p A, in order of address, then name.
/// Names are valid only during the call. The error says that the rest of the
/// section is damaged.
llvm::Error visitAliases(const Archive &A,
                         llvm::function_ref<void(const FunctionAlias &)> Visit);

} // namespace lidia

#endif // LIDIA_ARCHIVE_ALIASES_H
