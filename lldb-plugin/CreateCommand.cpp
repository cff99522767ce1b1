//===- CreateCommand.cpp - lidia create -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"
#include "LidiaCommand.h"
#include "ModuleMatch.h"
#include "Output.h"
#include "lidia/Cache/StableArchive.h"
#include "lldb/API/SBFileSpec.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

/// Warns if the archive at \p Path knows symbols only: \p Binary is stripped,
/// and its debug information was not found.
static Error warnOfBareSymbols(StringRef Binary, const std::string &Path,
                               lldb::SBCommandReturnObject &Result) {
  Expected<Archive> A = openStableArchive(Path);
  if (!A)
    return A.takeError();
  uint64_t Others = 0;
  for (uint64_t I = 0, E = A->rangeCount(); I != E; ++I) {
    RangeEntry R = A->range(I);
    if (R.File || R.RowCount || R.Depth)
      return Error::success();
    Others += !A->string(R.Function).ends_with("@plt");
  }
  std::string What =
      Others ? std::to_string(Others) + " symbols" : "only PLT stubs";
  std::string Message =
      (Binary + ": no debug information was found: the archive knows " + What +
       " and no lines (install the debug package, or set DEBUGINFOD_URLS)")
          .str();
  Result.AppendWarning(escapeLines(Message).c_str());
  return Error::success();
}

static Error createFor(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                       lldb::SBModule Module, ServeMode Mode,
                       lldb::SBCommandReturnObject &Result) {
  std::string Path = modulePath(Module);
  Expected<Converted> File = convertApart(Path, [&](const Twine &Warning) {
    Result.AppendWarning(escapeLines(Warning.str()).c_str());
  });
  if (!File)
    return File.takeError();
  bool KeepsDWARF = Mode == ServeMode::Exported && readsOwnDWARF(Module);
  ServeRequest Request;
  Request.Path = File->Path;
  Request.ModuleName = Path;
  Expected<std::string> Output = serveArchive(Debugger, Target, Request, Mode);
  if (!Output)
    return Output.takeError();
  if (KeepsDWARF) {
    append(Result, *Output);
    return Error::success();
  }
  if (Error E = warnOfBareSymbols(Path, File->Path, Result))
    return E;
  append(Result, Path + ": " + File->Path + " (" + File->Size + "), " +
                     File->How + "\n");
  return Error::success();
}

/// Whether LLDB only has symbols for the module so far, and there is a file to
/// convert.
static bool wantsArchive(lldb::SBModule Module) {
  return !serviceOf(Module) && Module.GetNumCompileUnits() == 0 &&
         sys::fs::is_regular_file(modulePath(Module));
}

/// The modules that the arguments name, or that the UUID after -u names.
static Expected<std::vector<lldb::SBModule>>
chooseForCreate(lldb::SBTarget Target, ArrayRef<StringRef> Args) {
  StringRef UUID;
  if (!Args.empty() && (Args[0] == "-u" || Args[0] == "--uuid")) {
    if (Args.size() != 2)
      return createStringError("'" + Args[0] + "' takes one UUID");
    UUID = Args[1];
  } else if (!Args.empty() && Args[0].starts_with("--uuid=")) {
    if (Args.size() != 1)
      return createStringError("'--uuid' takes one UUID");
    UUID = Args[0].split('=').second;
  } else {
    if (!Args.empty() && Args[0] == "--")
      Args = Args.drop_front();
    return chooseModules(Target, Args, wantsArchive);
  }
  Expected<lldb::SBModule> Module = findByBuildID(Target, UUID);
  if (!Module)
    return Module.takeError();
  return std::vector<lldb::SBModule>{*Module};
}

Error CreateCommand::run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                         Arguments Args, lldb::SBCommandReturnObject &Result) {
  Expected<std::vector<lldb::SBModule>> Modules = chooseForCreate(Target, Args);
  if (!Modules)
    return Modules.takeError();
  if (Modules->empty())
    append(Result, "No module without debug information or an archive.\n");
  Error Errors = Error::success();
  for (lldb::SBModule Module : *Modules)
    Errors = joinErrors(std::move(Errors),
                        createFor(Debugger, Target, Module, Mode, Result));
  return Errors;
}

} // namespace lidia
