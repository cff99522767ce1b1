//===- ExportedModule.cpp - Facts about a binary for exports --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Object/BinaryIdentity.h"
#include "lidia/Export/SymbolFiles.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

Expected<ExportedModule> ExportedModule::read(StringRef Path,
                                              ArrayRef<uint8_t> BuildID) {
  Expected<std::unique_ptr<Binary>> Opened = openBinaryOfArchive(Path, BuildID);
  if (!Opened)
    return Opened.takeError();
  ExportedModule Module;
  Module.Name = sys::path::filename(Path).str();
  Module.ImageBase = (*Opened)->imageBase();
  return Module;
}

} // namespace lidia
