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

/// Completes the last of \p Words, the words of a command line between the
/// tool's name and the cursor, for the scripts in completion/. The first line
/// of the output tells which names the shell may use to complete the word (or
/// its value after "="): "files", "directories" or "none". Each further line is
/// a complete word and, after a tab, its description.
void complete(llvm::raw_ostream &OS, Arguments Words);

} // namespace lidia

#endif // LLVM_LIDIA_COMPLETE_H
