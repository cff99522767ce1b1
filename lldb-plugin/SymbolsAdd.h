//===- SymbolsAdd.h - target symbols add, for archives as well --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_SYMBOLSADD_H
#define LIDIA_LLDBPLUGIN_SYMBOLSADD_H

#include "lldb/API/SBDebugger.h"

namespace lidia {

/// Takes over `target symbols add` of \p Debugger where one of the files is an
/// archive: it is checked, exported as DWARF through the cache, and what it was
/// exported as is handed to LLDB's own command. Everything else goes to that
/// command untouched. For a host of which only the public interface can be
/// used.
void overrideSymbolsAdd(lldb::SBDebugger Debugger);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_SYMBOLSADD_H
