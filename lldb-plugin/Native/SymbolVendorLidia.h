//===- SymbolVendorLidia.h - Archives for programs with DWARF ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_SYMBOLVENDORLIDIA_H
#define LLDB_PLUGIN_NATIVE_SYMBOLVENDORLIDIA_H

namespace lidia {

/// Registers a symbol vendor for modules that have their own DWARF, for which
/// LLDB calls no locator. If an archive is found (SymbolLocatorLidia), the
/// module gets it when it is loaded, before LLDB indexes the DWARF.
void registerSymbolVendor();

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_SYMBOLVENDORLIDIA_H
