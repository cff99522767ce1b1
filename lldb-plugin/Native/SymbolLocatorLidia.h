//===- SymbolLocatorLidia.h - Archives as symbol files ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_SYMBOLLOCATORLIDIA_H
#define LLDB_PLUGIN_NATIVE_SYMBOLLOCATORLIDIA_H

#include "NativeInterface.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Utility/FileSpecList.h"
#include <optional>

namespace lidia {

/// Registers a symbol locator. LLDB calls locators, in the order of
/// registration, for each module that has a build ID and no DWARF, regardless
/// of how it is loaded. So debug files that LLDB finds itself have precedence.
void registerSymbolLocator(ArchiveLocator Locator);

/// The archive of a module, with \p SearchPaths as the folders of debug files,
/// as registerSymbolLocator()'s locator finds it; none if there is none.
std::optional<lldb_private::FileSpec>
locateArchiveFile(const lldb_private::ModuleSpec &Module,
                  const lldb_private::FileSpecList &SearchPaths);

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_SYMBOLLOCATORLIDIA_H
