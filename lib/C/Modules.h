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

struct lidia_modules {
  lidia_modules(const lidia_modules_options &Given, lidia::ArchiveSource Store);

  lidia::CallerObserver Observer;
  lidia::Cache TheCache;
  const lidia::ModuleArchivesOptions Options;
  lidia::ModuleArchives Archives;
};

#endif // LIDIA_LIB_C_MODULES_H
