//===- Hint.h - Where debug information may be ------------------*- C++ -*-===//
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

/// Text for the user of a module without debug information and archive, if that
/// information may be had nevertheless: it is in the cache of debuginfod's
/// client, or there are servers that LLDB does not ask. Empty otherwise.
///
/// \p LLDBAsksServers is the setting symbols.enable-external-lookup. Makes one
/// system call, and asks no server.
std::string hintFor(llvm::StringRef ModulePath, llvm::ArrayRef<uint8_t> BuildID,
                    bool LLDBAsksServers);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_HINT_H
