//===- Preloading.cpp - Postpones LLDB's symbol tables --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Preloading.h"
#include "CommandOverride.h"
#include "lldb/API/SBCommandReturnObject.h"
#include "lldb/API/SBStringList.h"
#include "lldb/API/SBTarget.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>

using namespace llvm;

namespace lidia {

static constexpr char Setting[] = "target.preload-symbols";

/// The debugger whose command runs without the setting; zero if there is none.
/// The initial value for targets is common to all debuggers.
static std::atomic<lldb::user_id_t> Postponed = 0;

/// Sets the value of the selected target or, if there is none, the initial
/// value for targets.
static void setPreloading(lldb::SBDebugger Debugger, bool On) {
  lldb::SBDebugger::SetInternalVariable(Setting, On ? "true" : "false",
                                        Debugger.GetInstanceName());
}

void postponePreloading(lldb::SBDebugger Debugger) {
  resumePreloading(Debugger);
  // With a target, the interface reads and writes the target's value.
  if (!Debugger.IsValid() || Debugger.GetSelectedTarget().IsValid())
    return;
  lldb::SBStringList Value = lldb::SBDebugger::GetInternalVariableValue(
      Setting, Debugger.GetInstanceName());
  lldb::user_id_t None = 0;
  if (Value.GetSize() != 1 || StringRef(Value.GetStringAtIndex(0)) != "true" ||
      !Postponed.compare_exchange_strong(None, Debugger.GetID()))
    return;
  setPreloading(Debugger, false);
}

void resumePreloading(lldb::SBDebugger Debugger) {
  lldb::user_id_t ID = Debugger.IsValid() ? Debugger.GetID() : 0;
  if (!ID || !Postponed.compare_exchange_strong(ID, 0))
    return;
  // The target has copied the initial value.
  setPreloading(Debugger, true);
  lldb::SBCommandReturnObject Result;
  std::string Command = std::string("settings set -g ") + Setting + " true";
  Debugger.GetCommandInterpreter().HandleCommand(Command.c_str(), Result,
                                                 /*add_to_history=*/false);
}

static bool beforeSettings(void *Baton, const char **) {
  resumePreloading(debuggerOf(Baton));
  return false;
}

void overrideSettings(lldb::SBDebugger Debugger) {
  for (const char *Command : {"settings clear", "settings list", "settings set",
                              "settings show", "settings write"})
    overrideCommand(Debugger, Command, beforeSettings);
}

} // namespace lidia
