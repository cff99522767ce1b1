//===- Modules.cpp - Archives of many modules in the C interface ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "Helper.h"
#include "Object/Binary.h"
#include "Support/URLText.h"
#include "lidia/Error.h"

using namespace lidia;
using namespace llvm;

/// A mapped file that is truncated would crash the caller.
static constexpr FileAccess Access = FileAccess::Copy;

ModulesArguments::ModulesArguments(const lidia_modules_options &Given)
    : Flags(Given.flags), MaxModules(Given.max_modules),
      CacheFolder(Given.cache_folder ? Given.cache_folder : ""),
      DebugFolders(Given.debug_folders,
                   Given.debug_folders + Given.debug_folder_count),
      Warning(Given.warning), Context(Given.context),
      Store(Given.store ? Given.store : ""),
      Helper(Given.helper ? Given.helper : "") {}

/// Those of the caller come first; if there are none, the default is used.
static std::vector<std::string> debugFolders(const ModulesArguments &Given) {
  std::vector<std::string> Folders = Given.DebugFolders;
  if (!Folders.empty())
    Folders.push_back("/usr/lib/debug");
  return Folders;
}

/// Makes the archive of \p Binary with Given.Helper in its cache.
static Error makeApart(const ModulesArguments &Given, StringRef Binary,
                       StringRef Architecture, CallerObserver &Observer) {
  std::vector<std::string> Args = {Given.Helper, "cache", "--messages=json",
                                   "--no-debuginfod", "--symbol-path="};
  if (!Given.CacheFolder.empty())
    Args.push_back("--cache-dir=" + Given.CacheFolder);
  for (const std::string &Folder : debugFolders(Given))
    Args.push_back("--debug-file-directory=" + Folder);
  if (!Architecture.empty())
    Args.push_back(("--arch=" + Architecture).str());
  Args.insert(Args.end(), {"--", "add", Binary.str()});
  Expected<HelperRun> Run = runHelper(Args, Observer);
  if (!Run)
    return Run.takeError();
  if (!Run->hasSucceeded())
    return make_error<MissingInformationError>(Run->File, Run->Text);
  return Error::success();
}

static ModuleArchivesOptions archivesOptions(const ModulesArguments &Given,
                                             ArchiveSource Store,
                                             CallerObserver &Observer) {
  ModuleArchivesOptions O;
  keepAllForLookup(O.Conversion);
  O.Store = std::move(Store);
  O.StoreName = urlForMessages(Given.Store);
  O.NeedsStore = !(Given.Flags & LIDIA_MODULES_STORE_OPTIONAL);
  O.Make = !(Given.Flags & LIDIA_MODULES_NO_CONVERSION);
  O.Columns = Given.Flags & LIDIA_MODULES_COLUMNS;
  O.NamesOnly = Given.Flags & LIDIA_MODULES_NAMES_ONLY;
  O.LinesLater = O.NamesOnly && Given.Flags & LIDIA_MODULES_LINES_LATER;
  O.Open.Access = Access;
  if (Given.MaxModules)
    O.MaxModules = Given.MaxModules;
  O.Conversion.Search.Directories = debugFolders(Given);
  if (!Given.Helper.empty())
    O.MakeApart = [&](StringRef Path, StringRef Architecture) {
      return makeApart(Given, Path, Architecture, Observer);
    };
  return O;
}

OpenModules::OpenModules(const ModulesArguments &Given, ArchiveSource Store)
    : Observer(Given.Warning, Given.Context), TheCache(Given.CacheFolder),
      Options(archivesOptions(Given, std::move(Store), Observer)),
      Archives(TheCache, Options, Observer) {
  TheCache.setWarningHandler(
      [this](const Twine &Message) { Observer.warning(Message); });
}

Expected<OpenModules &> lidia_modules::open() {
  return Opened.get([&]() -> Expected<std::unique_ptr<OpenModules>> {
    ArchiveSource Store;
    if (!Given.Store.empty())
      if (Error E = openArchiveSource(Given.Store, Access).moveInto(Store))
        return E;
    return std::make_unique<OpenModules>(Given, std::move(Store));
  });
}

lidia_status lidia_modules_create(const lidia_modules_options *options,
                                  lidia_modules **modules,
                                  lidia_error **error) {
  if (!modules)
    return failArgument(error, "lidia_modules_create needs a result");
  lidia_modules_options Given;
  if (lidia_status S =
          readOptions(options,
                      LIDIA_MODULES_NO_CONVERSION | LIDIA_MODULES_COLUMNS |
                          LIDIA_MODULES_STORE_OPTIONAL |
                          LIDIA_MODULES_NAMES_ONLY | LIDIA_MODULES_LINES_LATER,
                      Given, error))
    return S;
  if (!isListOfStrings(Given.debug_folders, Given.debug_folder_count))
    return failArgument(error, "debug_folders has a NULL");
  if (Given.flags & LIDIA_MODULES_LINES_LATER &&
      !(Given.flags & LIDIA_MODULES_NAMES_ONLY))
    return failArgument(
        error, "LIDIA_MODULES_LINES_LATER needs LIDIA_MODULES_NAMES_ONLY");
  if (Given.helper && !*Given.helper)
    return failArgument(error, "the helper's path is empty");
  auto New = std::make_unique<lidia_modules>(Given);
  if (Expected<OpenModules &> Opened = New->open(); !Opened)
    return fail(error, Opened.takeError());
  *modules = New.release();
  return succeed(error);
}

void lidia_modules_free(lidia_modules *modules) { delete modules; }

lidia_status lidia_file_build_id(const char *path, uint8_t *build_id,
                                 size_t capacity, size_t *size,
                                 lidia_error **error) {
  if (!path || (!build_id && capacity) || !size)
    return failArgument(error, "lidia_file_build_id needs a path, room for a "
                               "build ID and a result");
  Expected<std::unique_ptr<Binary>> File = Binary::open(path);
  if (!File)
    return fail(error, File.takeError());
  ArrayRef<uint8_t> ID = (*File)->buildID();
  if (ID.size() > capacity)
    return failArgument(error,
                        "the build ID has " + Twine(ID.size()) + " bytes");
  llvm::copy(ID, build_id);
  *size = ID.size();
  return succeed(error);
}

lidia_status lidia_modules_get(lidia_modules *modules, const char *path,
                               const uint8_t *build_id, size_t build_id_size,
                               lidia_archive **archive, lidia_error **error) {
  if (!build_id)
    build_id_size = 0;
  StringRef Path = path ? path : "";
  if (!modules || !archive || (Path.empty() && !build_id_size))
    return failArgument(error, "lidia_modules_get needs modules, a path or a "
                               "build ID, and a result");
  Expected<OpenModules &> Opened = modules->open();
  if (!Opened)
    return fail(error, Opened.takeError());
  ModuleArchives::Result Found =
      Opened->Archives.get(Path, ArrayRef(build_id, build_id_size));
  if (!Found)
    return fail(error, Found.takeError());
  *archive = new lidia_archive{std::move(*Found)};
  return succeed(error);
}
