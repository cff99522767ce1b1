//===- DebugID.cpp - Identifiers of modules in crash reports --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugID.h"
#include "llvm/BinaryFormat/ELF.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

std::array<uint8_t, 16> debugID(const ArchiveInfo *Info) {
  std::array<uint8_t, 16> ID = {};
  if (!Info)
    return ID;
  ArrayRef<uint8_t> Known = Info->BuildID.take_front(ID.size());
  std::copy(Known.begin(), Known.end(), ID.begin());
  if (Info->Data != ELF::ELFDATA2MSB) {
    std::reverse(ID.begin(), ID.begin() + 4);
    std::reverse(ID.begin() + 4, ID.begin() + 6);
    std::reverse(ID.begin() + 6, ID.begin() + 8);
  }
  return ID;
}

} // namespace lidia
