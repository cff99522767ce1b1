//===- DebugID.cpp - Identifiers of modules in crash reports --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugID.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

DebugID debugID(const ELFIdentity &Identity, ArrayRef<uint8_t> BuildID) {
  DebugID ID;
  ArrayRef<uint8_t> Known = BuildID.take_front(ID.UUID.size());
  std::copy(Known.begin(), Known.end(), ID.UUID.begin());
  // COFFBinary has put the fields of a PE file's GUID in order.
  if (Identity.Format == BinaryFormat::PE &&
      BuildID.size() == ID.UUID.size() + sizeof(ID.Age))
    ID.Age = support::endian::read32be(BuildID.data() + ID.UUID.size());
  if (Identity.Format == BinaryFormat::ELF &&
      Identity.Data != ELF::ELFDATA2MSB) {
    std::reverse(ID.UUID.begin(), ID.UUID.begin() + 4);
    std::reverse(ID.UUID.begin() + 4, ID.UUID.begin() + 6);
    std::reverse(ID.UUID.begin() + 6, ID.UUID.begin() + 8);
  }
  return ID;
}

} // namespace lidia
