//===- Debuginfod.h - Debug files from servers ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_DEBUGINFOD_H
#define LLVM_LIDIA_DEBUGINFOD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace lidia {

/// The most bytes that a debug file from a server may have: what
/// DEBUGINFOD_MAXSIZE says, as elfutils' client reads it (debuginfod-client-
/// config(7)): a number of bytes, or 0 for no limit; 4 GiB where it says
/// nothing.
uint64_t defaultDebuginfodMaxSize();

/// Asks the servers in DEBUGINFOD_URLS for the debug file of \p BuildID, as
/// DebugFileSearch::Fetch: by running the helper lidia-debuginfod-find. A file
/// of more than \p MaxSize bytes, if that is not 0, or one that would fill the
/// disk is not taken.
std::string
fetchFromDebuginfod(llvm::ArrayRef<uint8_t> BuildID, uint64_t MaxSize,
                    llvm::function_ref<void(const llvm::Twine &)> Warn);

} // namespace lidia

#endif // LLVM_LIDIA_DEBUGINFOD_H
