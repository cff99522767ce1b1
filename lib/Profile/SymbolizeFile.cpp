//===- SymbolizeFile.cpp - Symbolizes a file with a profile ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/SymbolizeFile.h"
#include "lidia/Error.h"
#include "lidia/Process/ModuleFinder.h"
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

uint64_t timeWritten(StringRef Path) {
  sys::fs::file_status Status;
  if (Path == "-" || sys::fs::status(Path, Status) ||
      Status.type() != sys::fs::file_type::regular_file)
    return 0;
  return uint64_t(std::max<int64_t>(
      Status.getLastModificationTime().time_since_epoch().count(), 0));
}

Error symbolizeProfileFile(std::unique_ptr<MemoryBuffer> Input,
                           ProfileFileOptions O, Cache &C,
                           ConvertObserver &Observer, raw_ostream &OS) {
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<ModuleFinder> Files =
      ModuleFinder::forProfile(O.Binaries, O.Folders, O.Root);
  if (!Files)
    return Files.takeError();
  O.Archives.Beside = O.Root == "/" || (O.Root.empty() && O.Folders.empty());
  searchSystem(O.Root, O.Archives.Conversion);
  ModuleArchives Archives(C, std::move(O.Archives), Observer);
  O.Formats.Root = O.Root;
  O.Formats.Written = timeWritten(Input->getBufferIdentifier());
  O.Formats.Files = &*Files;
  O.Formats.Archives = &Archives;
  Expected<ProfileFile> File = readProfile(std::move(Input), O.Formats, Warn);
  if (!File)
    return File.takeError();
  ProfileFigures Figures =
      symbolizeProfile(File->profile(), *Files, Archives, O.Symbolizer);
  for (const UnopenedModule &M : Figures.Unopened)
    Warn(M.Name + ": " + M.Reason);
  for (const ComparedNames &M : Figures.Doubted)
    Warn(M.warning(File->Name));
  const ProfileFormat *Output = O.Formats.Output;
  if (Error E = writeProfile(*File, Output ? *Output : File->ownOutput(),
                             /*Packed=*/std::nullopt, OS, Warn))
    return E;
  return Archives.damage();
}

} // namespace lidia
