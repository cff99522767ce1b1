//===- FacadeProfiles.cpp - Profiles behind the facade --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FacadeErrors.h"
#include "Support/URLText.h"
#include "WarningList.h"
#include "lidia/Profile/SymbolizeFile.h"
#include "lidia/Store/SymbolStore.h"
#include "lidia/Support/Interrupt.h"

using namespace lidia;
using namespace lidia::python;
using namespace llvm;

static Error readArchives(const ProfileOptions &Given,
                          ModuleArchivesOptions &O) {
  O.Columns = Given.Columns;
  O.NeedsStore = Given.NeedsStore;
  // A mapped file that is truncated would crash the caller.
  O.Open.Access = FileAccess::Copy;
  if (Given.Store.empty())
    return Error::success();
  O.StoreName = urlForMessages(Given.Store);
  return openArchiveSource(Given.Store, O.Open).moveInto(O.Store);
}

static Error readOptions(const ProfileOptions &Given, ProfileFileOptions &O,
                         SymbolSources &S) {
  S.Files = Given.Binaries;
  S.TrustNames = true;
  S.Folders = Given.Folders;
  S.Root = Given.Root;
  S.HowToAllow = "root, folders or binaries allow it";
  O.Symbolizer.Symbolizer.Text = TextForm::UTF8;
  O.Symbolizer.Symbolizer.Demangle = Given.Demangle;
  O.Symbolizer.Symbolizer.Rust = OlderRust::Plain;
  O.Symbolizer.Force = Given.Force;
  if (Error E = findReadFormat(Given.InputFormat, "input_format")
                    .moveInto(O.Formats.Format))
    return E;
  if (Error E = findWrittenFormat(Given.OutputFormat, "format")
                    .moveInto(O.Formats.Output))
    return E;
  return readArchives(Given, S.Archives);
}

Result<std::string>
python::symbolizeProfile(const CallerBytes &Bytes, const ProfileOptions &Given,
                         const std::atomic<bool> &IsCancelled,
                         std::vector<std::string> &Warnings) {
  WarningList Observer(Warnings, &IsCancelled);
  InterruptScope Scope([&] { return !IsCancelled; });
  ProfileFileOptions Options;
  SymbolSources Sources;
  if (Error E = readOptions(Given, Options, Sources))
    return failure(std::move(E));
  Cache C(Given.CacheFolder);
  C.setWarningHandler([&](const Twine &Message) { Observer.warning(Message); });
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(std::move(Sources), C, Observer);
  if (!Modules)
    return failure(Modules.takeError());
  std::string Result;
  raw_string_ostream OS(Result);
  if (Error E = convertProfileFile(
          MemoryBuffer::getMemBuffer(StringRef(Bytes.Data, Bytes.Size),
                                     Bytes.Name,
                                     /*RequiresNullTerminator=*/false),
          std::move(Options), **Modules,
          [&](const Twine &Message) { Observer.warning(Message); }, OS))
    return failure(std::move(E));
  OS.flush();
  return Result;
}
