//===- Plugin.cpp - The entry point of the plugin -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `plugin load liblldbPluginLidia.so` supports two kinds of host
// (docs/LLDB.md). This file detects which one it is in, before calling anything
// that the other kind lacks.
//
//===----------------------------------------------------------------------===//

#include "AutoSymbols.h"
#include "Host.h"
#include "Launch.h"
#include "LidiaCommand.h"
#include "Output.h"
#include "Preloading.h"
#include "SymbolsAdd.h"
#include "Version.h"
#include "lldb/API/SBCommandInterpreter.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/Support/Compiler.h"

using namespace lidia;
using namespace llvm;

// Runs before the first relocation of an LLDB function is resolved.
__attribute__((constructor)) static void beforeAnyCall() {
  shareSymbolsOfHost();
}

namespace lldb {
// The name is LLDB's. NOLINTNEXTLINE
LLVM_ATTRIBUTE_VISIBILITY_DEFAULT bool PluginInitialize(SBDebugger Debugger);
} // namespace lldb

bool lldb::PluginInitialize(SBDebugger Debugger) {
  if (Error E = checkLLDBVersion(SBDebugger::GetVersionString())) {
    // Do not use the debugger for this message: its classes may differ.
    errs() << "error: lidia: " << toString(std::move(E)) << '\n';
    return false;
  }
  bool Native = false;
  if (hostExportsPrivate()) {
    Error E = loadNativePlugin(locateArchive);
    Native = !E;
    if (E)
      printWarning(Debugger, "lidia: archives are exported as DWARF, because "
                             "the symbol file plugin cannot be used: " +
                                 toString(std::move(E)));
  }
  ServeMode Mode = Native ? ServeMode::Native : ServeMode::Exported;
  overrideSymbolsAdd(Debugger, Mode);
  overrideLaunch(Debugger);
  overrideSettings(Debugger);
  installAutoSymbols(Debugger, Mode);
  addLidiaCommand(Debugger, Mode);
  return true;
}
