//===- Host.h - The LLDB that loaded the plugin -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_HOST_H
#define LIDIA_LLDBPLUGIN_HOST_H

#include "NativeInterface.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// Makes the symbols of the LLDB library in this process available to the
/// plugin. Must be called before any function of LLDB.
///
/// In the `lldb` program they already are. Python's `import lldb` loads the
/// library with local symbols; the plugin's first call would then end the
/// process with an undefined symbol.
void shareSymbolsOfHost();

/// Whether the host's library exports the classes that a symbol file plugin
/// needs (lldb_private), beyond the public interface.
bool hostExportsPrivate();

/// The path that this library was loaded by; empty if it cannot be found.
llvm::StringRef pluginPath();

/// Loads the library with the symbol file plugin, which is next to this one,
/// and registers it with \p Locator. May only be called if
/// hostExportsPrivate().
llvm::Error loadNativePlugin(ArchiveLocator Locator);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_HOST_H
