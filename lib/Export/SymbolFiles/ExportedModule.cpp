//===- ExportedModule.cpp - Facts about a binary for exports --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Object/BinaryIdentity.h"
#include "Object/CodeHash.h"
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
  if ((*Opened)->buildID().empty() &&
      (*Opened)->identity().Format == BinaryFormat::ELF)
    if (std::vector<CodeHash> Hashes = codeHashes(**Opened); !Hashes.empty())
      Module.CodeIdentity.assign(Hashes.front().begin(), Hashes.front().end());
  return Module;
}

} // namespace lidia
