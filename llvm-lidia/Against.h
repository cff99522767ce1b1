//===- Against.h - Compares an archive with a binary ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_AGAINST_H
#define LLVM_LIDIA_AGAINST_H

#include "lidia/Extract/Convert.h"

namespace lidia {

/// Checks whether \p A was made from \p Binary:
///
///  - its build ID and ELF header are the binary's;
///  - an archive made anew, with the options recorded in \p A, has the same
///    ranges and rows, and is the same file if \p A has an extension.
///
/// \p Remake has the options that an archive does not record. The error names
/// the first difference.
llvm::Error compareWithBinary(const Archive &A, llvm::StringRef Binary,
                              ConvertOptions Remake, ConvertObserver &Observer);

} // namespace lidia

#endif // LLVM_LIDIA_AGAINST_H
