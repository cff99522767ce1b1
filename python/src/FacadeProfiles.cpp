//===- FacadeProfiles.cpp - Profiles behind the facade --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FacadeErrors.h"
#include "WarningList.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "lidia/Store/SymbolStore.h"

using namespace lidia;
using namespace lidia::python;
using namespace llvm;

static Expected<ModuleArchivesOptions>
archivesOptions(const ProfileOptions &Given) {
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

static ProfileSymbolizerOptions symbolizerOptions(const ProfileOptions &Given) {
  ProfileSymbolizerOptions O;
  O.Symbolizer.Text = TextForm::UTF8;
  O.Symbolizer.Demangle = Given.Demangle;
  O.Symbolizer.Rust = OlderRust::Plain;
  O.Force = Given.Force;
  return O;
}

/// The formats that \p Given names.
static Error findFormats(const ProfileOptions &Given, ProfileReadOptions &O) {
  O.Format = findProfileFormat(Given.InputFormat);
  if (!Given.InputFormat.empty() && !(O.Format && O.Format->Read))
    return make_error<ArgumentError>(
        "input_format", "expected " + namesOfReadFormats() + ", but got '" +
                            Given.InputFormat + "'");
  O.Output = findProfileFormat(Given.OutputFormat);
  if (!Given.OutputFormat.empty() && !(O.Output && O.Output->Write))
    return make_error<ArgumentError>(
        "format", "expected " + namesOfWrittenFormats() + ", but got '" +
                      Given.OutputFormat + "'");
  return Error::success();
}

Result<std::string> python::symbolizeProfile(
    const CallerBytes &Bytes, const ProfileOptions &Options,
    const std::atomic<bool> &IsCancelled, std::vector<std::string> &Warnings) {
  WarningList Observer(Warnings, &IsCancelled);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<ModuleFinder> Files =
      ModuleFinder::forProfile(Options.Binaries, Options.Folders, Options.Root);
  if (!Files)
    return failure(Files.takeError());
  Expected<ModuleArchivesOptions> ForModules = archivesOptions(Options);
  if (!ForModules)
    return failure(ForModules.takeError());
  ProfileReadOptions Reading;
  if (Error E = findFormats(Options, Reading))
    return failure(std::move(E));
  Expected<ProfileFile> File = readProfile(
      MemoryBuffer::getMemBuffer(StringRef(Bytes.Data, Bytes.Size), Bytes.Name,
                                 /*RequiresNullTerminator=*/false),
      Reading, Warn);
  if (!File)
    return failure(File.takeError());
  Cache C(Options.CacheFolder);
  C.setWarningHandler(Warn);
  ModuleArchives Archives(C, std::move(*ForModules), Observer);
  ProfileFigures Figures = lidia::symbolizeProfile(
      File->profile(), *Files, Archives, symbolizerOptions(Options));
  for (const UnopenedModule &M : Figures.Unopened)
    Warn(M.Name + ": " + M.Reason);
  std::string Result;
  raw_string_ostream OS(Result);
  if (Error E = writeProfile(
          *File, Reading.Output ? *Reading.Output : File->ownOutput(),
          /*Packed=*/std::nullopt, OS, Warn))
    return failure(std::move(E));
  OS.flush();
  if (Error E = Archives.damage())
    return failure(std::move(E));
  return Result;
}
