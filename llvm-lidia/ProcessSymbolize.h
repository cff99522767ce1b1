//===- ProcessSymbolize.h - Addresses of processes and cores ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_PROCESSSYMBOLIZE_H
#define LLVM_LIDIA_PROCESSSYMBOLIZE_H

#include "Options.h"

namespace lidia {

/// Whether the command line of symbolize has an option for runtime addresses.
bool namesAddressSpace(const CommandLine &Line);

/// Runs symbolize with the runtime addresses of an address space.
llvm::Error symbolizeProcess(CommandLine &Line);

} // namespace lidia

#endif // LLVM_LIDIA_PROCESSSYMBOLIZE_H
