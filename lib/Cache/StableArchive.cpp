//===- StableArchive.cpp - Archives safe from file changes ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/StableArchive.h"
#include "lidia/Cache/Cache.h"

using namespace llvm;

namespace lidia {

Expected<Archive> openStableArchive(StringRef Path) {
  return Archive::open(Path, Cache().isEntry(Path) ? FileAccess::Map
                                                   : FileAccess::Copy);
}

} // namespace lidia
