//===- Debuginfod.h - Debug files from servers ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_DEBUGINFOD_H
#define LLVM_LIDIA_DEBUGINFOD_H

#include "lidia/Store/Debuginfod.h"
#include <functional>

namespace lidia {

/// A DebugFileSearch::Fetch that queries the servers of \p Options. Copies
/// share their knowledge about the servers.
std::function<std::string(llvm::ArrayRef<uint8_t>,
                          llvm::function_ref<void(const llvm::Twine &)>)>
debuginfodFetcher(DebuginfodOptions Options);

} // namespace lidia

#endif // LLVM_LIDIA_DEBUGINFOD_H
