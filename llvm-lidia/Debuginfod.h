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

/// The maximum size in bytes of a debug file from a server: DEBUGINFOD_MAXSIZE,
/// interpreted as by elfutils' client (debuginfod-client-config(7)), where 0
/// means no limit; 4 GiB if it is not set.
uint64_t defaultDebuginfodMaxSize();

/// Queries the servers in DEBUGINFOD_URLS for the debug file of \p BuildID by
/// running the helper lidia-debuginfod-find; for DebugFileSearch::Fetch.
/// Refuses a file of more than \p MaxSize bytes, if that is not 0, and one that
/// would fill the disk.
std::string
fetchFromDebuginfod(llvm::ArrayRef<uint8_t> BuildID, uint64_t MaxSize,
                    llvm::function_ref<void(const llvm::Twine &)> Warn);

} // namespace lidia

#endif // LLVM_LIDIA_DEBUGINFOD_H
