//===- RemoveCommand.cpp - lidia remove -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoSymbols.h"
#include "LidiaCommand.h"
#include "ModuleMatch.h"
#include "lldb/API/SBFileSpec.h"
#include "lldb/API/SBSection.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

/// Runs `target symbols add` with a file without symbols for the module \p
/// Path; if it \p HasDWARF, with its own file.
static void addNothing(lldb::SBDebugger Debugger, StringRef Path,
                       bool HasDWARF) {
  auto Add = [&](const std::string &Options, StringRef File) {
    consumeError(runSymbolsAdd(Debugger, Options, File).takeError());
  };
  if (sys::path::is_absolute(Path))
    return Add(" --shlib " + quoted(Path), HasDWARF ? Path : "/dev/null");
  // A library that was loaded by a relative path. LLDB makes the argument of
  // --shlib absolute, and then finds no such module: only a file of the same
  // name leads to it.
  SmallString<128> Folder;
  if (sys::fs::createUniqueDirectory("lidia", Folder))
    return;
  SmallString<128> Link(Folder);
  sys::path::append(Link, sys::path::filename(Path));
  if (!sys::fs::create_link("/dev/null", Link))
    Add("", Link);
  (void)sys::fs::remove(Link);
  (void)sys::fs::remove(Folder);
}

/// LLDB's command takes a module's symbol file away before it looks at the new
/// one, which it does not keep if it cannot read it. There is no other way in
/// the public interface. With a file that it can read it also looks at the
/// frames of a process anew: functions of an archive have no place in DWARF.
static Error removeFrom(lldb::SBDebugger Debugger, lldb::SBModule Module,
                        lldb::SBCommandReturnObject &Result) {
  std::string Path = modulePath(Module);
  std::optional<Service> S = serviceOf(Module);
  if (!S)
    return createStringError(Path + ": it has no archive");
  // LLDB looks for other symbols at once.
  leaveWithoutArchive(Module);
  bool HasDWARF = Module.FindSection(".debug_info").IsValid() ||
                  Module.FindSection(".zdebug_info").IsValid();
  addNothing(Debugger, Path, HasDWARF);
  if (serviceOf(Module))
    return createStringError(Path + ": LLDB keeps the archive " + S->Archive);
  append(Result, Path + ": no longer uses " + S->Archive + "\n");
  return Error::success();
}

Error RemoveCommand::run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                         Arguments Args, lldb::SBCommandReturnObject &Result) {
  Expected<std::vector<lldb::SBModule>> Modules =
      chooseModules(Target, Args, [](lldb::SBModule Module) {
        return serviceOf(Module).has_value();
      });
  if (!Modules)
    return Modules.takeError();
  if (Modules->empty())
    append(Result, "No module has an archive.\n");
  Error Errors = Error::success();
  for (lldb::SBModule Module : *Modules)
    Errors =
        joinErrors(std::move(Errors), removeFrom(Debugger, Module, Result));
  return Errors;
}

} // namespace lidia
