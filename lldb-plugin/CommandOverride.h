//===- CommandOverride.h - Code run before LLDB's commands ------*- C++ -*-===//
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

/// Has \p Callback called before each run of \p Command, LLDB's own, which runs
/// only if it returns false. Its baton is for debuggerOf().
inline void overrideCommand(lldb::SBDebugger Debugger, const char *Command,
                            lldb::CommandOverrideCallback Callback) {
  // The number, not the debugger, which this would keep alive.
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
