//===- Host.h - The LLDB that loaded the plugin -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_HOST_H
#define LIDIA_LLDBPLUGIN_HOST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// Makes the symbols of the LLDB library in this process those that the plugin
/// is bound to. To be called before the first call of anything of LLDB's.
///
/// In the `lldb` program they are already. Python's `import lldb` loads the
/// library for itself alone; the first call of the plugin would then end the
/// process for want of the symbol.
void shareSymbolsOfHost();

/// Whether the host's library exports what a symbol file plugin is made of
/// (lldb_private), beyond the public interface.
bool hostExportsPrivate();

/// The path that this library was loaded by; empty when it cannot be found.
llvm::StringRef pluginPath();

/// Loads the library with the symbol file plugin, which is beside this one, and
/// has it registered. For a host of which hostExportsPrivate() holds.
llvm::Error loadNativePlugin();

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_HOST_H
