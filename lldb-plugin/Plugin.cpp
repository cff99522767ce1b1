//===- Plugin.cpp - What LLDB calls when it loads the plugin --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `plugin load liblldbPluginLidia.so` serves two kinds of host (docs/LLDB.md).
// Which one it is in is found out here, before anything is called that the
// other kind does not have.
//
//===----------------------------------------------------------------------===//

#include "Host.h"
#include "Launch.h"
#include "LidiaCommand.h"
#include "Output.h"
#include "SymbolsAdd.h"
#include "Version.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/Support/Compiler.h"

using namespace lidia;
using namespace llvm;

// Before the first relocation of a function of LLDB's is resolved.
__attribute__((constructor)) static void beforeAnyCall() {
  shareSymbolsOfHost();
}

namespace lldb {
// The name is LLDB's. NOLINTNEXTLINE
LLVM_ATTRIBUTE_VISIBILITY_DEFAULT bool PluginInitialize(SBDebugger Debugger);
} // namespace lldb

bool lldb::PluginInitialize(SBDebugger Debugger) {
  if (Error E = checkLLDBVersion(SBDebugger::GetVersionString())) {
    // Nothing of the debugger is used to say so: its classes may be others.
    errs() << "error: lidia: " << toString(std::move(E)) << '\n';
    return false;
  }
  bool Native = false;
  if (hostExportsPrivate()) {
    Error E = loadNativePlugin();
    Native = !E;
    if (E)
      printWarning(Debugger, "lidia: archives are exported as DWARF, for the "
                             "symbol file plugin cannot be used: " +
                                 toString(std::move(E)));
  }
  ServeMode Mode = Native ? ServeMode::Native : ServeMode::Exported;
  overrideSymbolsAdd(Debugger, Mode);
  overrideLaunch(Debugger);
  addLidiaCommand(Debugger, Mode);
  return true;
}
