//===- SymbolsAdd.h - Overrides target symbols add --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_SYMBOLSADD_H
#define LIDIA_LLDBPLUGIN_SYMBOLSADD_H

#include "Serve.h"
#include "lldb/API/SBDebugger.h"

namespace lidia {

/// Overrides `target symbols add` of \p Debugger if one of the files is an
/// archive. Everything else is passed to LLDB's own command unchanged.
///
/// In ServeMode::Exported, for a host with only the public interface: the
/// archive is checked, exported as DWARF through the cache, and the exported
/// file is passed to LLDB's command. The other commands that take symbol files
/// warn of archives. In ServeMode::Native, LLDB's command reads the archive,
/// but an archive that belongs to no module is refused first, with the reason.
void overrideSymbolsAdd(lldb::SBDebugger Debugger, ServeMode Mode);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_SYMBOLSADD_H
