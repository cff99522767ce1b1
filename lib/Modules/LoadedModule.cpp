//===- LoadedModule.cpp - The file of a module ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/LoadedModule.h"
#include "CodeIdentity.h"
#include "ELFHeaders.h"
#include "ForeignFile.h"
#include "lidia/MissError.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

LoadedModule::LoadedModule() = default;
LoadedModule::LoadedModule(LoadedModule &&) = default;
LoadedModule &LoadedModule::operator=(LoadedModule &&) = default;
LoadedModule::~LoadedModule() = default;

size_t LoadedModule::read(uint64_t Address, MutableArrayRef<uint8_t> To) const {
  // The headers of an archive do not describe its own bytes.
  if (!File || !Headers || Headers->OnlyCode || Headers->LacksCode)
    return 0;
  for (const ELFSegment &S : Headers->Segments)
    if (S.Type == ELF::PT_LOAD && Address >= S.Address &&
        Address - S.Address < S.FileSize)
      return File->read(S.Offset + (Address - S.Address),
                        To.take_front(std::min<uint64_t>(
                            To.size(), S.FileSize - (Address - S.Address))));
  return 0;
}

void LoadedModule::setFile(Expected<std::unique_ptr<OpenedFile>> Opened,
                           StringRef Path) {
  if (!Opened) {
    WhyNoFile = missOf(Opened.takeError());
    return;
  }
  Expected<ELFHeaders> ItsHeaders = readELFHeaders(**Opened, Path);
  if (!ItsHeaders) {
    WhyNoFile = missOf(ItsHeaders.takeError());
    return;
  }
  std::vector<uint8_t> ItsID = readBuildID(**Opened);
  if (!BuildID.empty() && BuildID != ItsID &&
      !(ItsID.empty() && hasCodeHash(**Opened, BuildID))) {
    WhyNoFile = isAnotherBuild(Path, ItsID, BuildID);
    return;
  }
  BuildID = std::move(ItsID);
  Headers = std::make_unique<ELFHeaders>(std::move(*ItsHeaders));
  File = std::move(*Opened);
  WhyNoFile = Miss();
}

} // namespace lidia
