//===- Commands.h - The tool's commands -------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_COMMANDS_H
#define LLVM_LIDIA_COMMANDS_H

#include "llvm/ADT/ArrayRef.h"

namespace lidia {

/// A command's arguments, without the names of tool and command.
using Arguments = llvm::ArrayRef<char *>;

// Each runs one command and returns the exit status.
int createCommand(Arguments Args);
int lookupCommand(Arguments Args);
int dumpCommand(Arguments Args);
int verifyCommand(Arguments Args);
int exportCommand(Arguments Args);
int rangesCommand(Arguments Args);
int cacheCommand(Arguments Args);

} // namespace lidia

#endif // LLVM_LIDIA_COMMANDS_H
