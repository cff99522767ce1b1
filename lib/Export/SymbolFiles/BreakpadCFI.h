//===- BreakpadCFI.h - Unwind rows as STACK CFI records ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_BREAKPADCFI_H
#define LIDIA_LIB_EXPORT_BREAKPADCFI_H

#include "lidia/Archive/Archive.h"
#include "lidia/Export/SymbolFiles.h"

namespace lidia {

/// Writes the unwind rows of \p A as STACK CFI records, with addresses relative
/// to \p ImageBase. Leaves out rows that the records cannot express, and passes
/// their number to \p Report.
llvm::Error writeBreakpadCFI(const Archive &A, uint64_t ImageBase,
                             llvm::raw_ostream &OS, LossReport Report);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_BREAKPADCFI_H
