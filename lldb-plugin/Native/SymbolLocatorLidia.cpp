//===- SymbolLocatorLidia.cpp - Archives as symbol files ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolLocatorLidia.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/SymbolLocator.h"

using namespace lldb_private;

namespace lidia {

static ArchiveLocator TheLocator = nullptr;

/// LLDB 19 never calls this function, but uses it as the plugin's identity.
static SymbolLocator *createLocator() { return nullptr; }

std::optional<FileSpec> locateArchiveFile(const ModuleSpec &Module,
                                          const FileSpecList &SearchPaths) {
  // LLDB requests .dwp files without a build ID.
  if (!Module.GetUUID().IsValid() || !Module.GetFileSpec())
    return std::nullopt;
  std::vector<std::string> Folders;
  for (const FileSpec &Folder : SearchPaths)
    Folders.push_back(Folder.GetPath());
  if (ModuleList::GetGlobalModuleListProperties().GetEnableExternalLookup())
    Folders.emplace_back("/usr/lib/debug");
  std::string Path = TheLocator(Module.GetFileSpec().GetPath(),
                                Module.GetUUID().GetBytes(), Folders);
  if (Path.empty())
    return std::nullopt;
  return FileSpec(Path);
}

void registerSymbolLocator(ArchiveLocator Locator) {
  TheLocator = Locator;
  // The result is false even on success (LLDB 19).
  PluginManager::RegisterPlugin("lidia", "Finds Lidia archives of modules.",
                                createLocator, nullptr, locateArchiveFile);
}

} // namespace lidia
