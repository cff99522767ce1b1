//===- UnwindText.h - Unwind rules as text ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_UNWINDTEXT_H
#define LIDIA_SYMBOLIZE_UNWINDTEXT_H

#include "lidia/Archive/UnwindTable.h"
#include "lidia/Unwind/Registers.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// Prints \p Rules in the form "CFA=rsp+16 rbp=[CFA-16] rip=[CFA-8]". Brackets
/// mean the value in memory at an address; "same" and "undefined" have DWARF's
/// meaning; expressions are printed as bytes in hexadecimal digits. Registers
/// have their names on \p Machine, or numbers if it is null.
void printUnwindRules(llvm::raw_ostream &OS, const UnwindRules &Rules,
                      const UnwindMachine *Machine);

/// The rule \p R in that form: "[CFA-16]".
std::string unwindRuleText(const RegisterRule &R, const UnwindMachine *Machine);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_UNWINDTEXT_H
