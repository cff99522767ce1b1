//===- Preloading.h - Postpones LLDB's symbol tables ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_PRELOADING_H
#define LIDIA_LLDBPLUGIN_PRELOADING_H

#include "lldb/API/SBDebugger.h"

namespace lidia {

/// With the setting target.preload-symbols, LLDB creates the symbol table of a
/// program, with an index of demangled names, when it creates a target, and
/// drops the table when an archive is added. So the setting is off while a
/// command creates a first target, for a program without debug information;
/// LLDB then creates the table when a command needs it. The user's value is
/// restored before the next command that could show it, load modules or use
/// symbols.

/// For `target create`. The next call of resumePreloading() undoes it.
void postponePreloading(lldb::SBDebugger Debugger);

/// For all other commands that the plugin handles. Has no effect unless
/// postponePreloading() has switched the setting off.
void resumePreloading(lldb::SBDebugger Debugger);

/// Makes LLDB's commands for settings show the user's value.
void overrideSettings(lldb::SBDebugger Debugger);

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_PRELOADING_H
