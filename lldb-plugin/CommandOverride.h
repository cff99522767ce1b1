//===- CommandOverride.h - Code to run before LLDB commands -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LLDBPLUGIN_COMMANDOVERRIDE_H
#define LIDIA_LLDBPLUGIN_COMMANDOVERRIDE_H

#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBDebugger.h"

namespace lidia {

/// Calls \p Callback before each run of LLDB's own \p Command, which only runs
/// if \p Callback returns false. Pass the callback's baton to debuggerOf().
inline void overrideCommand(lldb::SBDebugger Debugger, const char *Command,
                            lldb::CommandOverrideCallback Callback) {
  // Pass the ID, because a reference would keep the debugger alive.
  Debugger.GetCommandInterpreter().SetCommandOverrideCallback(
      Command, Callback,
      reinterpret_cast<void *>(static_cast<intptr_t>(Debugger.GetID())));
}

inline lldb::SBDebugger debuggerOf(void *Baton) {
  return lldb::SBDebugger::FindDebuggerWithID(
      static_cast<int>(reinterpret_cast<intptr_t>(Baton)));
}

} // namespace lidia

#endif // LIDIA_LLDBPLUGIN_COMMANDOVERRIDE_H
