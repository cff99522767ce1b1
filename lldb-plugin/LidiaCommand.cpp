//===- LidiaCommand.cpp - The lidia command -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LidiaCommand.h"
#include "AutoSymbols.h"
#include "Output.h"
#include "Preloading.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace lidia {

void append(lldb::SBCommandReturnObject &Result, const Twine &Text) {
  Result.PutCString(escapeLines(Text.str()).c_str());
}

bool Subcommand::DoExecute(lldb::SBDebugger Debugger, char **Words,
                           lldb::SBCommandReturnObject &Result) {
  SmallVector<StringRef, 8> Args;
  while (Words && *Words)
    Args.push_back(*Words++);
  if (!hasOptions() && !Args.empty() && Args.front() == "--")
    Args.erase(Args.begin());
  lldb::SBTarget Target = Debugger.GetSelectedTarget();
  if (needsTarget() && !Target.IsValid()) {
    // The message that LLDB's own commands print.
    Result.SetError("invalid target, create a target using the 'target create' "
                    "command");
    return false;
  }
  resumePreloading(Debugger);
  if (needsArchives())
    serveFoundArchives(Debugger);
  Result.SetStatus(lldb::eReturnStatusSuccessFinishResult);
  Error E = run(Debugger, Target, Args, Result);
  if (!E)
    return true;
  Result.SetError(escapeLines(toString(std::move(E))).c_str());
  Result.SetStatus(lldb::eReturnStatusFailed);
  return false;
}

void addLidiaCommand(lldb::SBDebugger Debugger, ServeMode Mode) {
  lldb::SBCommand Lidia = Debugger.GetCommandInterpreter().AddMultiwordCommand(
      "lidia",
      "Commands for archives of symbols (.lidia files). Modules without debug "
      "information get archives without a command, when they are loaded: "
      "beside the module's file (a.out.lidia), by its build ID below "
      "target.debug-file-search-paths and /usr/lib/debug "
      "(.build-id/ab/cdef.lidia), or in the cache; also if compressed (.zst). "
      "The module's build ID must be the archive's. See 'lidia auto', 'lidia "
      "status' and 'lidia create'.");
  // LLDB takes ownership of the subcommands.
  Lidia.AddCommand(
      "add", new AddCommand(Mode),
      "Use archives as symbol files of the current target's modules, as "
      "'target symbols add' does; scripts get a result from this command. "
      "--shlib or --uuid names the module of a single archive. --replace uses "
      "an archive instead of the DWARF in the module's own file, for speed and "
      "without its types and variables; an LLDB that reads archives itself "
      "uses both, with or without the option.",
      "lidia add [--shlib <shlib-name> | --uuid <uuid>] [--replace] <archive> "
      "[<archive> [...]]");
  Lidia.AddCommand(
      "auto", new AutoCommand,
      "Switch on or off that modules without debug information get archives "
      "that are found for them; without argument, show it. Modules keep the "
      "archives that they have. 'on', which is the default, also looks again "
      "for archives that 'lidia remove' removed.",
      "lidia auto [on | off]");
  Lidia.AddCommand(
      "lookup", new LookupCommand,
      "Look up addresses in the archives of the current target's modules: "
      "the chain of functions inlined into each other, with file, "
      "line and column. Addresses are load addresses if there is a process, "
      "and file addresses otherwise; they can be given as expressions or as a "
      "function's name with an offset.",
      "lidia lookup <address-expression> [<address-expression> [...]]");
  Lidia.AddCommand(
      "status", new StatusCommand,
      "Show, for each module of the current target, where its symbols are from "
      "(an archive and how it was found, DWARF of its own, a debug file, a "
      "symbol table), and the cost.",
      "lidia status [<shlib-name> [<shlib-name> [...]]]");
  Lidia.AddCommand(
      "create", new CreateCommand(Mode),
      "Make archives of modules of the current target in the cache and use "
      "them "
      "as symbol files. Without arguments, of all modules that have neither "
      "debug information nor an archive. Debug information is looked for as "
      "llvm-lidia does, on debuginfod servers if DEBUGINFOD_URLS names some.",
      "lidia create [--uuid <uuid> | <shlib-name> [<shlib-name> [...]]]");
  Lidia.AddCommand(
      "remove", new RemoveCommand,
      "Stop using the archives of modules of the current target; without "
      "arguments, of all. Each module has again what LLDB knows of it without "
      "an archive, and gets none without a command until 'lidia auto on'. "
      "Breakpoints stay. Frames of a process that is stopped are "
      "shown as they were until it stops again.",
      "lidia remove [<shlib-name> [<shlib-name> [...]]]");
}

} // namespace lidia
