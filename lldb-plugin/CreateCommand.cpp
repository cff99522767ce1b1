//===- CreateCommand.cpp - lidia create -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LidiaCommand.h"
#include "ModuleMatch.h"
#include "lldb/API/SBFileSpec.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace lidia {

namespace {
/// Warnings of a conversion as warnings of the command.
class ResultObserver final : public ConvertObserver {
public:
  explicit ResultObserver(lldb::SBCommandReturnObject &Result)
      : Result(Result) {}

  void warning(const Twine &Message) override {
    Result.AppendWarning(Message.str().c_str());
  }
  void progress(StringRef, uint64_t, uint64_t) override {}

private:
  lldb::SBCommandReturnObject &Result;
};
} // namespace

/// All that an archive can hold and LLDB can use.
static ConvertOptions archiveOptions() {
  ConvertOptions O;
  O.Archive.Checksums = true;
  O.Archive.Columns = true;
  O.Lines = true;
  return O;
}

static Error createFor(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                       lldb::SBModule Module, ServeMode Mode,
                       lldb::SBCommandReturnObject &Result) {
  std::string Path = modulePath(Module);
  ResultObserver Observer(Result);
  Expected<CachedFile> File =
      cachedArchive(theCache(Debugger), Path, archiveOptions(), Observer);
  if (!File)
    return File.takeError();
  Expected<std::string> Output =
      serveArchive(Debugger, Target, File->Path, Path, "", Mode);
  if (!Output)
    return Output.takeError();
  uint64_t Size = 0;
  sys::fs::file_size(File->Path, Size);
  std::string Text;
  raw_string_ostream(Text) << Path << ": " << File->Path << " (" << Size
                           << " bytes), "
                           << (File->Made ? "made" : "found in the cache")
                           << " in " << llvm::format("%.3f", File->Seconds)
                           << " s\n";
  append(Result, Text);
  return Error::success();
}

/// Whether nothing but symbols is known of the module so far, and there is a
/// file to learn more from.
static bool wantsArchive(lldb::SBModule Module) {
  return !serviceOf(Module) && Module.GetNumCompileUnits() == 0 &&
         sys::fs::is_regular_file(modulePath(Module));
}

static Expected<std::vector<lldb::SBModule>>
chooseModules(lldb::SBTarget Target, ArrayRef<StringRef> Names) {
  std::vector<lldb::SBModule> Chosen;
  SmallVector<bool, 8> Used(Names.size());
  for (uint32_t I = 0, E = Target.GetNumModules(); I != E; ++I) {
    lldb::SBModule Module = Target.GetModuleAtIndex(I);
    bool Wanted = Names.empty() && wantsArchive(Module);
    for (size_t N = 0; N != Names.size(); ++N)
      if (Names[N] == modulePath(Module) ||
          Names[N] == Module.GetFileSpec().GetFilename())
        Wanted = Used[N] = true;
    if (Wanted)
      Chosen.push_back(Module);
  }
  for (size_t N = 0; N != Names.size(); ++N)
    if (!Used[N])
      return createStringError("the target has no module '" + Names[N] + "'");
  return Chosen;
}

Error CreateCommand::run(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                         Arguments Args, lldb::SBCommandReturnObject &Result) {
  Expected<std::vector<lldb::SBModule>> Modules = chooseModules(Target, Args);
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
