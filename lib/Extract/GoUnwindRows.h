//===- GoUnwindRows.h - Unwind rows from Go's tables ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_GOUNWINDROWS_H
#define LIDIA_LIB_EXTRACT_GOUNWINDROWS_H

#include "GoTables.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Unwind/Registers.h"

namespace lidia {

/// Visits the unwind rows of the functions of \p Tables, of a program for
/// \p Machine, in the order of the table. Rows are derived from the size of the
/// stack at each address (pcsp). Malformed functions are left out. Go's
/// compiler saves no registers except the frame pointer on x86-64 and AArch64.
void visitGoUnwindRows(const GoTables &Tables, const UnwindMachine &Machine,
                       llvm::function_ref<void(uint64_t Begin, uint64_t End,
                                               const UnwindRules &Rules)>
                           Visit);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_GOUNWINDROWS_H
