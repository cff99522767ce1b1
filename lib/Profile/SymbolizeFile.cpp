//===- SymbolizeFile.cpp - Symbolizes a file with a profile ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/SymbolizeFile.h"
#include "lidia/Error.h"
#include "lidia/Profile/BaseProfile.h"
#include "lidia/Profile/ProfileMerge.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lidia {

Expected<const ProfileFormat *> findReadFormat(StringRef Name,
                                               const Twine &Argument) {
  const ProfileFormat *Format = findProfileFormat(Name);
  if (Name.empty() || (Format && Format->Read))
    return Format;
  return make_error<ArgumentError>(Argument, "expected " +
                                                 namesOfReadFormats() +
                                                 ", but got '" + Name + "'");
}

Expected<const ProfileFormat *> findWrittenFormat(StringRef Name,
                                                  const Twine &Argument) {
  const ProfileFormat *Format = findProfileFormat(Name);
  if (Name.empty() || (Format && Format->Write))
    return Format;
  return make_error<ArgumentError>(Argument, "expected " +
                                                 namesOfWrittenFormats() +
                                                 ", but got '" + Name + "'");
}

/// When the file \p Path was written, in nanoseconds since 1970; zero if it is
/// not a regular file.
static uint64_t timeWritten(StringRef Path) {
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status) ||
      Status.type() != sys::fs::file_type::regular_file)
    return 0;
  return uint64_t(std::max<int64_t>(
      Status.getLastModificationTime().time_since_epoch().count(), 0));
}

static const ProfileFormat &outputOf(const ProfileFile &File,
                                     const ProfileFileOptions &O) {
  return O.Formats.Output ? *O.Formats.Output : File.ownOutput();
}

static Expected<ProfileFile> read(std::unique_ptr<MemoryBuffer> Input,
                                  ProfileFileOptions &O,
                                  ModuleResolver &Modules,
                                  WarningFunction Warn) {
  O.Formats.Written = timeWritten(Input->getBufferIdentifier());
  O.Formats.Modules = &Modules;
  O.Formats.Selects = !O.Selection.isEmpty() || O.More;
  O.Formats.SelectsEvents = O.Selection.needsEvents();
  return readProfile(std::move(Input), O.Formats, Warn);
}

/// Symbolizes what \p O selects of \p P, and removes the rest.
static Expected<ProfileStatistics> symbolizeSelected(Profile &P,
                                                     ProfileFileOptions &O,
                                                     ModuleResolver &Modules,
                                                     WarningFunction Warn) {
  if (Error E = selectSamples(P, O.Selection))
    return E;
  ProfileStatistics Statistics = symbolizeProfile(P, Modules, O.Symbolizer);
  if (Error E = selectFrames(P, O.Selection, Warn))
    return E;
  return Statistics;
}

/// Adds up \p Input and the further profiles.
static Expected<ProfileFile> readMerged(std::unique_ptr<MemoryBuffer> Input,
                                        ProfileFileOptions &O,
                                        ModuleResolver &Modules,
                                        WarningFunction Warn) {
  if (O.Selection.needsEvents())
    return make_error<ArgumentError>(
        "", "merged profiles have no threads, processors and times to select");
  ProfileMerge Sum;
  ProfileFile Result;
  Result.IsSelected = true;
  auto Add = [&](std::unique_ptr<MemoryBuffer> Next) -> Error {
    std::string Name = Next->getBufferIdentifier().str();
    Expected<ProfileFile> File = read(std::move(Next), O, Modules, Warn);
    if (!File)
      return File.takeError();
    if (Error E = Sum.add(File->profile()))
      return make_error<ArgumentError>(Name, toString(std::move(E)));
    if (Sum.count() == 1)
      Result.Format = File->Format;
    return Error::success();
  };
  while (Input) {
    if (Error E = Add(std::move(Input)))
      Warn(toString(std::move(E)) + " (left out)");
    if (Error E = O.More().moveInto(Input))
      return E;
  }
  if (Sum.count() == 0)
    return make_error<ArgumentError>("", "none of the inputs is a profile");
  Result.Name = (Twine(Sum.count()) + " profiles").str();
  Result.Title = Result.Name;
  Result.Other = Sum.take();
  return Result;
}

/// Adds the profile to compare with to \p File.
static Error addBase(ProfileFile &File, ProfileFileOptions &O,
                     ModuleResolver &Modules, WarningFunction Warn) {
  const ProfileFormat &Output = outputOf(File, O);
  if (File.isKeptIn(Output))
    return make_error<ArgumentError>(
        "",
        "a profile to compare with cannot be combined with the output format " +
            Output.Name + " of a profile in that format");
  Expected<ProfileFile> Base = read(std::move(O.Base), O, Modules, Warn);
  if (!Base)
    return Base.takeError();
  if (Error E =
          symbolizeSelected(Base->profile(), O, Modules, Warn).takeError())
    return E;
  File.Title += " compared with " + Base->Name;
  if (Error E = addBaseProfile(File.profile(), Base->profile()))
    return make_error<ArgumentError>(Base->Name, toString(std::move(E)));
  return Error::success();
}

Expected<ProfileFile> symbolizeProfileFile(std::unique_ptr<MemoryBuffer> Input,
                                           ProfileFileOptions &O,
                                           ModuleResolver &Modules,
                                           WarningFunction Warn,
                                           ProfileStatistics &Statistics) {
  Expected<ProfileFile> File =
      O.More ? readMerged(std::move(Input), O, Modules, Warn)
             : read(std::move(Input), O, Modules, Warn);
  if (!File)
    return File.takeError();
  if (!O.Title.empty())
    File->Title = O.Title;
  File->Sources = O.Sources;
  File->View = O.View;
  if (Error E = selectSampleType(File->profile(), O.SampleIndex))
    return E;
  if (Error E = symbolizeSelected(File->profile(), O, Modules, Warn)
                    .moveInto(Statistics))
    return E;
  if (O.Base)
    if (Error E = addBase(*File, O, Modules, Warn))
      return E;
  if (const ModuleArchives &A = Modules.archives(); A.needsStore())
    if (Error E = A.outage())
      return E;
  for (const ComparedNames &M : Statistics.Doubted)
    Warn(M.warning(File->Name));
  return File;
}

Error writeProfileFile(const ProfileFile &File, const ProfileFileOptions &O,
                       WarningFunction Warn, raw_ostream &OS) {
  return writeProfile(File, outputOf(File, O), O.Packed, OS, Warn);
}

Error convertProfileFile(std::unique_ptr<MemoryBuffer> Input,
                         ProfileFileOptions O, ModuleResolver &Modules,
                         WarningFunction Warn, raw_ostream &OS) {
  ProfileStatistics Statistics;
  Expected<ProfileFile> File =
      symbolizeProfileFile(std::move(Input), O, Modules, Warn, Statistics);
  if (!File)
    return File.takeError();
  for (const UnopenedModule &M : Statistics.Unopened)
    Warn(M.Name + ": " + M.Reason.Text);
  if (Error E = writeProfileFile(*File, O, Warn, OS))
    return E;
  return Modules.archives().damage();
}

} // namespace lidia
