//===- Hint.h - Hints about available debug information ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_HINT_H
#define LIDIA_LLDBPLUGIN_HINT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace lidia {

/// A text for the user of a module without debug information and without an
/// archive, if debug information may be available: it is in the cache of
/// debuginfod's client, or there are servers that LLDB does not use. Empty
/// otherwise.
///
/// \p LLDBAsksServers is the setting symbols.enable-external-lookup. Makes one
/// system call, and sends no request.
std::string hintFor(llvm::StringRef ModulePath, llvm::ArrayRef<uint8_t> BuildID,
                    bool LLDBAsksServers);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_HINT_H
