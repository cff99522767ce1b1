//===- StringTable.cpp - The strings of an archive being written ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StringTable.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

/// Enough for 256 TiB of strings; the upper bits hold part of the hash, so that
/// nearly all string comparisons succeed.
static constexpr unsigned OffsetBits = 48;
static constexpr uint64_t OffsetMask = (uint64_t(1) << OffsetBits) - 1;

StringTable::StringTable(StringForm Form) : Form(Form), Slots(1024) {
  add("");
  add(OverflowString);
}

StringRef StringTable::at(uint64_t Offset) const {
  const char *P = Bytes.data() + Offset;
  if (Form == StringForm::NulTerminated)
    return P;
  return {P + 4, support::endian::read32le(P)};
}

uint64_t StringTable::append(StringRef Text) {
  uint64_t Offset = Bytes.size();
  if (Form == StringForm::Prefixed) {
    char Length[4];
    support::endian::write32le(Length, uint32_t(Text.size()));
    Bytes.append(Length, Length + 4);
  }
  Bytes.append(Text.begin(), Text.end());
  if (Form == StringForm::NulTerminated)
    Bytes.push_back('\0');
  ++Count;
  return Offset;
}

uint64_t StringTable::add(StringRef Text) {
  if (Form == StringForm::NulTerminated)
    Text = Text.take_until([](char C) { return C == '\0'; });
  else if (Text.size() > UINT32_MAX)
    Text = OverflowString;

  uint64_t Hash = xxh3_64bits(Text);
  for (uint64_t I = Hash;; ++I) {
    uint64_t &Slot = Slots[I & (Slots.size() - 1)];
    if (Slot == 0) {
      uint64_t Offset = append(Text);
      Slot = (Hash & ~OffsetMask) | (Offset + 1);
      if (Count > Slots.size() / 4 * 3)
        grow();
      return Offset;
    }
    uint64_t Offset = (Slot & OffsetMask) - 1;
    if (((Slot ^ Hash) & ~OffsetMask) == 0 && at(Offset) == Text)
      return Offset;
  }
}

void StringTable::grow() {
  std::vector<uint64_t> Old(Slots.size() * 2);
  Old.swap(Slots);
  for (uint64_t Slot : Old) {
    if (Slot == 0)
      continue;
    uint64_t I = xxh3_64bits(at((Slot & OffsetMask) - 1));
    while (Slots[I & (Slots.size() - 1)] != 0)
      ++I;
    Slots[I & (Slots.size() - 1)] = Slot;
  }
}
