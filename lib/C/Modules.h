//===- Modules.h - Archives of many modules in the C interface  -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_C_MODULES_H
#define LIDIA_LIB_C_MODULES_H

#include "Observer.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Modules/ModuleArchives.h"
#include "lidia/Store/SymbolStore.h"
#include "lidia/Support/ForkLocal.h"

namespace lidia {

/// A copy of lidia_modules_options.
struct ModulesArguments {
  explicit ModulesArguments(const lidia_modules_options &Given);

  uint32_t Flags;
  uint32_t MaxModules;
  std::string CacheFolder;
  std::vector<std::string> DebugFolders;
  lidia_warning Warning;
  void *Context;
  /// Empty for none.
  std::string Store;
  /// Empty for none.
  std::string Helper;
};

/// The modules in one process.
struct OpenModules {
  OpenModules(const ModulesArguments &Given, ArchiveSource Store);

  CallerObserver Observer;
  Cache TheCache;
  const ModuleArchivesOptions Options;
  ModuleArchives Archives;
};

} // namespace lidia

struct lidia_modules {
  explicit lidia_modules(const lidia_modules_options &Given) : Given(Given) {}

  llvm::Expected<lidia::OpenModules &> open();

private:
  const lidia::ModulesArguments Given;
  lidia::PerProcess<lidia::OpenModules> Opened;
};

#endif // LIDIA_LIB_C_MODULES_H
