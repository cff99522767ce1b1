//===- Initialize.cpp - Registers the plugins with LLDB -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObjectFileLidia.h"
#include "SymbolFileLidia.h"
#include "SymbolLocatorLidia.h"
#include "SymbolVendorLidia.h"

/// liblldbPluginLidia calls this if its host exports lldb_private. Returns
/// null, or the reason for a failure.
extern "C" __attribute__((visibility("default"))) const char *
lidiaInitializeNative(lidia::ArchiveLocator Locator) {
  lidia::ObjectFileLidia::Initialize();
  lidia::SymbolFileLidia::Initialize();
  lidia::registerSymbolLocator(Locator);
  lidia::registerSymbolVendor();
  return nullptr;
}
