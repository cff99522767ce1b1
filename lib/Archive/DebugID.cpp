//===- DebugID.cpp - Identifiers of modules in crash reports --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/DebugID.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

/// Swaps the bytes of each of a GUID's first three fields.
static void swapFields(std::array<uint8_t, 16> &GUID) {
  std::reverse(GUID.begin(), GUID.begin() + 4);
  std::reverse(GUID.begin() + 4, GUID.begin() + 6);
  std::reverse(GUID.begin() + 6, GUID.begin() + 8);
}

DebugID DebugID::ofGUID(ArrayRef<uint8_t> GUID, uint32_t Age) {
  DebugID ID;
  ID.Age = Age;
  ArrayRef<uint8_t> Known = GUID.take_front(ID.UUID.size());
  std::copy(Known.begin(), Known.end(), ID.UUID.begin());
  swapFields(ID.UUID);
  return ID;
}

std::array<uint8_t, 16> DebugID::guid() const {
  std::array<uint8_t, 16> Swapped = UUID;
  swapFields(Swapped);
  return Swapped;
}

std::vector<uint8_t> DebugID::buildIDOfPE() const {
  std::vector<uint8_t> BuildID(UUID.begin(), UUID.end());
  if (Age == 0)
    return BuildID;
  BuildID.resize(UUID.size() + sizeof(Age));
  support::endian::write32be(BuildID.data() + UUID.size(), Age);
  return BuildID;
}

std::string DebugID::text() const { return toHex(UUID) + utohexstr(Age); }

std::optional<DebugID> DebugID::parse(StringRef Text) {
  std::string Digits;
  for (StringRef Part : split(Text, '-'))
    Digits += Part;
  constexpr size_t OfUUID = 2 * sizeof(UUID), MaxOfAge = 8;
  std::string Bytes;
  DebugID ID;
  if (Digits.size() <= OfUUID || Digits.size() > OfUUID + MaxOfAge ||
      !tryGetFromHex(StringRef(Digits).take_front(OfUUID), Bytes) ||
      StringRef(Digits).drop_front(OfUUID).getAsInteger(16, ID.Age))
    return std::nullopt;
  std::copy(Bytes.begin(), Bytes.end(), ID.UUID.begin());
  return ID;
}

DebugID debugID(const ELFIdentity &Identity, ArrayRef<uint8_t> BuildID) {
  DebugID ID;
  ArrayRef<uint8_t> Known = BuildID.take_front(ID.UUID.size());
  std::copy(Known.begin(), Known.end(), ID.UUID.begin());
  // COFFBinary has put the fields of a PE file's GUID in order.
  if (Identity.Format == BinaryFormat::PE &&
      BuildID.size() == ID.UUID.size() + sizeof(ID.Age))
    ID.Age = support::endian::read32be(BuildID.data() + ID.UUID.size());
  if (Identity.Format == BinaryFormat::ELF && Identity.Data != ELF::ELFDATA2MSB)
    swapFields(ID.UUID);
  return ID;
}

} // namespace lidia
