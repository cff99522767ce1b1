//===- Launch.cpp - Warns of rebuilt programs -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"
#include "AutoSymbols.h"
#include "CommandOverride.h"
#include "ModuleMatch.h"
#include "Output.h"
#include "ReplaceModule.h"
#include "Serve.h"
#include "lldb/API/SBFileSpec.h"

using namespace llvm;

namespace lidia {

/// LLDB prints the copy as the program that it launches.
static void explainCopy(lldb::SBDebugger Debugger, lldb::SBTarget Target) {
  std::string File = pathOf(Target.GetExecutable());
  if (std::optional<std::string> Original = originalOfCopy(File))
    printOutput(Debugger, escapeLines(File + " stands for " + *Original +
                                      ", which is launched") +
                              "\n");
}

static bool beforeLaunch(void *Baton, const char **) {
  lldb::SBDebugger Debugger = debuggerOf(Baton);
  lookAgain();
  serveFoundArchives(Debugger);
  lldb::SBTarget Target = Debugger.GetSelectedTarget();
  std::vector<lldb::SBModule> Modules;
  for (uint32_t I = 0, E = Target.GetNumModules(); I < E; ++I)
    Modules.push_back(Target.GetModuleAtIndex(I));
  for (lldb::SBModule Module : Modules) {
    std::string Path = modulePath(Module);
    std::optional<Service> S = serviceOf(Module);
    // The same check as LLDB's.
    if (!S || !S->ModuleTime || S->ModuleTime == modificationTime(Path))
      continue;
    // LLDB checks the copy, which has not changed.
    if (originalOfCopy(pathOf(Module.GetFileSpec())))
      if (Error E = restoreModule(Target, Module))
        printWarning(Debugger, toString(std::move(E)));
    if (!wouldFindArchive(Path))
      printWarning(Debugger, Path +
                                 " has changed, and LLDB drops its archive " +
                                 S->Archive +
                                 ": make one of the new file, and use 'lidia "
                                 "add'");
  }
  explainCopy(Debugger, Target);
  return false;
}

void overrideLaunch(lldb::SBDebugger Debugger) {
  overrideCommand(Debugger, "process launch", beforeLaunch);
}

} // namespace lidia
