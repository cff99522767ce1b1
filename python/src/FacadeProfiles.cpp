//===- FacadeProfiles.cpp - Profiles behind the facade --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FacadeErrors.h"
#include "Profile/Gzip.h"
#include "WarningList.h"
#include "lidia/Profile/Pprof.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "lidia/Store/SymbolStore.h"

using namespace lidia;
using namespace lidia::python;
using namespace llvm;

static Expected<ModuleArchivesOptions>
archivesOptions(const PprofOptions &Given) {
  ModuleArchivesOptions O;
  keepAllForLookup(O.Conversion);
  searchSystem(Given.Root, O.Conversion);
  // Nobody may end the caller by truncating a file.
  O.Open.Access = FileAccess::Copy;
  O.Beside = Given.Root == "/" || (Given.Root.empty() && Given.Folders.empty());
  if (Given.Store.empty())
    return O;
  if (Error E = openArchiveSource(Given.Store, O.Open).moveInto(O.Store))
    return E;
  return O;
}

static ProfileSymbolizerOptions symbolizerOptions(const PprofOptions &Given) {
  ProfileSymbolizerOptions O;
  O.Symbolizer.Text = TextForm::UTF8;
  O.Symbolizer.Demangle = Given.Demangle;
  O.Symbolizer.Rust = OlderRust::Plain;
  O.Force = Given.Force;
  return O;
}

Result<std::string> python::symbolizePprof(const CallerBytes &Bytes,
                                           const PprofOptions &Options,
                                           const std::atomic<bool> &IsCancelled,
                                           std::vector<std::string> &Warnings) {
  WarningList Observer(Warnings, &IsCancelled);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<ModuleFinder> Files =
      ModuleFinder::forProfile(Options.Binaries, Options.Folders, Options.Root);
  if (!Files)
    return failure(Files.takeError());
  Expected<ModuleArchivesOptions> ForModules = archivesOptions(Options);
  if (!ForModules)
    return failure(ForModules.takeError());
  StringRef Given(Bytes.Data, Bytes.Size);
  Expected<std::unique_ptr<MemoryBuffer>> Unpacked = unpackProfile(
      MemoryBuffer::getMemBuffer(Given, Bytes.Name,
                                 /*RequiresNullTerminator=*/false));
  if (!Unpacked)
    return failure(Unpacked.takeError());
  Expected<PprofFile> File =
      PprofFile::read(std::move(*Unpacked), /*WithSamples=*/false, Warn);
  if (!File)
    return failure(File.takeError());
  Cache C(Options.CacheFolder);
  C.setWarningHandler(Warn);
  ModuleArchives Archives(C, std::move(*ForModules), Observer);
  ProfileFigures Figures = symbolizeProfile(File->profile(), *Files, Archives,
                                            symbolizerOptions(Options));
  for (const UnopenedModule &M : Figures.Unopened)
    Warn(M.Name + ": " + M.Reason);
  std::string Result;
  raw_string_ostream OS(Result);
  if (isGzip(Given))
    writeGzip(OS, [&](raw_ostream &To) { File->write(To); });
  else
    File->write(OS);
  OS.flush();
  if (Error E = Archives.damage())
    return failure(std::move(E));
  return Result;
}
