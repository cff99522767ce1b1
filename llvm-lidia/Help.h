//===- Help.h - Prints the help ---------------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_HELP_H
#define LLVM_LIDIA_HELP_H

#include "Commands.h"

namespace lidia {

/// Prints the tool's usage and its commands.
void printHelp(llvm::raw_ostream &OS);
/// Prints the usage and the options of \p C, or of another \p Tool whose
/// interface C has.
void printHelp(llvm::raw_ostream &OS, const Command &C,
               llvm::StringRef Tool = "");
/// Prints the version of this program, which may run as \p Tool.
void printVersion(llvm::raw_ostream &OS, llvm::StringRef Tool = "");

/// The name of the command that \p Word may misspell; empty if there is none.
llvm::StringRef nearestCommand(llvm::StringRef Word);

} // namespace lidia

#endif // LLVM_LIDIA_HELP_H
