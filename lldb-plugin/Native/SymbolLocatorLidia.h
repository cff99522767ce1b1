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

namespace lidia {

/// Registers a symbol locator. LLDB asks locators in the order of registration
/// for each module that has a build ID and no DWARF, however it is loaded, so
/// debug files that LLDB finds itself come first.
void registerSymbolLocator(ArchiveLocator Locator);

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_SYMBOLLOCATORLIDIA_H
