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
#include "ReplaceModule.h"
#include "lldb/API/SBFileSpec.h"

using namespace llvm;

namespace lidia {

static bool readsIndexedCopy(lldb::SBModule Module) {
  return !indexedOriginal(symbolFileOf(Module)).empty();
}

/// Makes LLDB read the debug file that was copied to add an index.
static Error removeIndex(lldb::SBDebugger Debugger, lldb::SBModule Module,
                         lldb::SBCommandReturnObject &Result) {
  std::string Path = modulePath(Module), Copy = symbolFileOf(Module);
  if (Error E = leaveIndexedCopy(Debugger, Module))
    return E;
  leaveWithoutArchive(Module);
  append(Result, Path + ": reads its debug file " + symbolFileOf(Module) +
                     " again, instead of " + Copy + "\n");
  return Error::success();
}

static Error removeFrom(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                        lldb::SBModule Module,
                        lldb::SBCommandReturnObject &Result) {
  std::string Path = modulePath(Module);
  std::optional<Service> S = serviceOf(Module);
  if (!S && readsIndexedCopy(Module))
    return removeIndex(Debugger, Module, Result);
  if (!S)
    return createStringError(Path + ": it has no archive");
  if (originalOfCopy(pathOf(Module.GetFileSpec()))) {
    if (Error E = restoreModule(Target, Module))
      return E;
    append(Result, Path + ": no longer uses " + S->Archive + "\n");
    return Error::success();
  }
  // Before the removal, because LLDB looks for other symbols immediately.
  leaveWithoutArchive(Module);
  if (!takeArchiveAway(Debugger, Module))
    return createStringError(Path + ": LLDB keeps the archive " + S->Archive);
  append(Result, Path + ": no longer uses " + S->Archive + "\n");
  return Error::success();
}

Error RemoveCommand::run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                         Arguments Args, lldb::SBCommandReturnObject &Result) {
  Expected<std::vector<lldb::SBModule>> Modules =
      chooseModules(Target, Args, [](lldb::SBModule Module) {
        return serviceOf(Module) || readsIndexedCopy(Module);
      });
  if (!Modules)
    return Modules.takeError();
  if (Modules->empty())
    append(Result, "No module has an archive.\n");
  Error Errors = Error::success();
  for (lldb::SBModule Module : *Modules)
    Errors = joinErrors(std::move(Errors),
                        removeFrom(Debugger, Target, Module, Result));
  return Errors;
}

} // namespace lidia
