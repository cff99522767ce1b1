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
#include "lidia/Index/DWARFIndex.h"
#include "lldb/API/SBFileSpec.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

/// If the archive at \p Path has only symbols, a description such as "22
/// symbols"; empty if it has more.
static Expected<std::string> bareSymbols(const std::string &Path) {
  Expected<Archive> A = openStableArchive(Path);
  if (!A)
    return A.takeError();
  uint64_t Others = 0;
  for (uint64_t I = 0, E = A->rangeCount(); I != E; ++I) {
    RangeEntry R = A->range(I);
    if (R.File || R.RowCount || R.Depth)
      return std::string();
    Others += !A->string(R.Function).ends_with("@plt");
  }
  return Others ? std::to_string(Others) + " symbols" : "only PLT stubs";
}

/// Whether the module with the service \p Now has lines, which an archive that
/// has only symbols would remove.
static bool knowsMore(const std::optional<Service> &Now) {
  if (!Now)
    return false;
  Expected<std::string> Bare = bareSymbols(Now->Archive);
  if (Bare)
    return Bare->empty();
  // The archive is compressed, and compressed archives always have lines.
  consumeError(Bare.takeError());
  return true;
}

/// Makes LLDB read a copy, with an index of names, of the debug file of
/// \p Module. An archive would replace the DWARF that the module has.
static Error indexFor(lldb::SBDebugger Debugger, lldb::SBModule Module,
                      const std::string &DebugFile,
                      lldb::SBCommandReturnObject &Result) {
  std::string Path = modulePath(Module);
  if (!indexedOriginal(DebugFile).empty() || hasNameIndex(DebugFile)) {
    append(Result, Path + ": its debug file has an index already\n");
    return Error::success();
  }
  Expected<Converted> File = indexApart(DebugFile, [&](const Twine &Warning) {
    Result.AppendWarning(escapeLines(Warning.str()).c_str());
  });
  if (!File)
    return File.takeError();
  noteIndexed(File->Path, DebugFile);
  Expected<std::string> Output =
      runSymbolsAdd(Debugger, " --shlib " + quoted(Path), File->Path);
  if (!Output)
    return Output.takeError();
  append(Result, Path + ": reads its debug file " + DebugFile +
                     " with an index, as " + File->Path + " (" + File->Size +
                     "), " + File->How + "\n");
  return Error::success();
}

static Error createFor(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                       lldb::SBModule Module, ServeMode Mode,
                       lldb::SBCommandReturnObject &Result) {
  std::string Path = modulePath(Module);
  std::string DebugFile =
      Mode == ServeMode::Exported ? debugFileOf(Module) : std::string();
  if (!DebugFile.empty())
    return indexFor(Debugger, Module, DebugFile, Result);
  Expected<Converted> File = convertApart(Path, [&](const Twine &Warning) {
    Result.AppendWarning(escapeLines(Warning.str()).c_str());
  });
  if (!File)
    return File.takeError();
  // The binary is stripped, and its debug information was not found.
  Expected<std::string> Bare = bareSymbols(File->Path);
  if (!Bare)
    return Bare.takeError();
  std::optional<Service> Now = serviceOf(Module);
  if (!Bare->empty() && knowsMore(Now))
    return createStringError(
        Path + ": keeps " + Now->Archive +
        ", which has lines: no debug information was found, and a new archive "
        "would have " +
        *Bare + " (install the debug package, or set DEBUGINFOD_URLS)");
  // If it fails, LLDB makes the file itself, with the error.
  if (Mode == ServeMode::Exported)
    consumeError(
        exportApart(Path, File->Path, [](const Twine &) {}).takeError());
  bool KeepsDWARF = Mode == ServeMode::Exported && readsDWARF(Module);
  ServeRequest Request;
  Request.Path = File->Path;
  Request.ModuleName = Path;
  Expected<std::string> Output = serveArchive(Debugger, Target, Request, Mode);
  if (!Output)
    return Output.takeError();
  if (KeepsDWARF) {
    append(Result, *Output);
    if (!hasNameIndex(Path))
      append(Result, "'llvm-lidia index --in-place " + Path +
                         "' gives it an index, with which LLDB reads it at "
                         "once\n");
    return Error::success();
  }
  if (!Bare->empty())
    Result.AppendWarning(
        escapeLines(Path +
                    ": no debug information was found: the archive has " +
                    *Bare +
                    " and no lines (install the debug package, or set "
                    "DEBUGINFOD_URLS)")
            .c_str());
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
