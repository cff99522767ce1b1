//===- Modules.cpp - Archives of many modules in the C interface ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "lidia/Error.h"

using namespace lidia;
using namespace llvm;

/// A mapped file that is truncated would crash the caller.
static constexpr FileAccess Access = FileAccess::Copy;

static ModuleArchivesOptions archivesOptions(const lidia_modules_options &Given,
                                             ArchiveSource Store) {
  ModuleArchivesOptions O;
  keepAllForLookup(O.Conversion);
  O.Store = std::move(Store);
  O.Make = !(Given.flags & LIDIA_MODULES_NO_CONVERSION);
  O.Columns = Given.flags & LIDIA_MODULES_COLUMNS;
  O.Open.Access = Access;
  if (Given.max_modules)
    O.MaxModules = Given.max_modules;
  std::vector<std::string> &Folders = O.Conversion.Search.Directories;
  Folders.assign(Given.debug_folders,
                 Given.debug_folders + Given.debug_folder_count);
  if (!Folders.empty())
    Folders.push_back("/usr/lib/debug");
  return O;
}

lidia_modules::lidia_modules(const lidia_modules_options &Given,
                             ArchiveSource Store)
    : Observer(Given.warning, Given.context),
      TheCache(Given.cache_folder ? Given.cache_folder : ""),
      Options(archivesOptions(Given, std::move(Store))),
      Archives(TheCache, Options, Observer) {
  TheCache.setWarningHandler(
      [this](const Twine &Message) { Observer.warning(Message); });
}

lidia_status lidia_modules_create(const lidia_modules_options *options,
                                  lidia_modules **modules,
                                  lidia_error **error) {
  if (!modules)
    return failArgument(error, "lidia_modules_create needs a result");
  lidia_modules_options Given;
  if (lidia_status S = readOptions(
          options, LIDIA_MODULES_NO_CONVERSION | LIDIA_MODULES_COLUMNS, Given,
          error))
    return S;
  if (!isListOfStrings(Given.debug_folders, Given.debug_folder_count))
    return failArgument(error, "debug_folders has a NULL");
  ArchiveSource Store;
  if (Given.store)
    if (Error E = openArchiveSource(Given.store, Access).moveInto(Store))
      return fail(error, std::move(E));
  *modules = new lidia_modules(Given, std::move(Store));
  return succeed(error);
}

void lidia_modules_free(lidia_modules *modules) { delete modules; }

lidia_status lidia_modules_get(lidia_modules *modules, const char *path,
                               const uint8_t *build_id, size_t build_id_size,
                               lidia_archive **archive, lidia_error **error) {
  if (!build_id)
    build_id_size = 0;
  StringRef Path = path ? path : "";
  if (!modules || !archive || (Path.empty() && !build_id_size))
    return failArgument(error, "lidia_modules_get needs modules, a path or a "
                               "build ID, and a result");
  ModuleArchives::Result Found =
      modules->Archives.get(Path, ArrayRef(build_id, build_id_size));
  if (!Found)
    return fail(error, Found.takeError());
  *archive = new lidia_archive{std::move(*Found)};
  return succeed(error);
}
