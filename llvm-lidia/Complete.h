//===- Complete.h - Completion of command lines -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_COMPLETE_H
#define LLVM_LIDIA_COMPLETE_H

#include "Commands.h"

namespace lidia {

/// Completes the last of \p Words, the words of a command line from after the
/// tool's name to the cursor, for the scripts in completion/. The first line
/// printed says which names the shell can complete the word with: "files",
/// "directories" or "none"; a value behind "=" is meant if there is one. Each
/// further line is a whole word and, after a tab, its description.
void complete(llvm::raw_ostream &OS, Arguments Words);

} // namespace lidia

#endif // LLVM_LIDIA_COMPLETE_H
