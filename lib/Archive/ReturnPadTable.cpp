//===- ReturnPadTable.cpp - Return pads of an archive being written -------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiled code has a call about every twenty bytes. With pages of 256 bytes,
/// a pad's offset in its page is one byte, the ranges of a page's pads are near
/// each other, and the page costs less than a byte per pad.
///
//===----------------------------------------------------------------------===//

#include "ReturnPadTable.h"
#include <algorithm>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

void ReturnPadTable::add(const ReturnPad &Pad) {
  Addresses.append(Pad.Address);
  Ranges.append(Pad.Range ? *Pad.Range + 1 : 0);
  Rows.append(Pad.Row ? *Pad.Row + 1 : 0);
  AnyRow |= Pad.Row.has_value();
}

/// Pages of 256 bytes if they hold at least four pads on average; if calls are
/// farther apart, the smallest pages that hold eight on average.
unsigned ReturnPadTable::chooseShift() const {
  uint64_t Count = Addresses.size();
  auto Pages = [&](unsigned Shift) { return page(Count - 1, Shift); };
  unsigned Shift = 8;
  if (Pages(Shift) < std::max<uint64_t>(1, Count / 4))
    return Shift;
  while (Shift < 63 && Pages(Shift) >= std::max<uint64_t>(1, Count / 8))
    ++Shift;
  return Shift;
}

/// All pages, plus one that marks the end of the last.
std::vector<ReturnPadTable::Page>
ReturnPadTable::makePages(unsigned Shift) const {
  std::vector<Page> Pages;
  uint64_t Count = Addresses.size();
  for (uint64_t I = 0; I != Count; ++I) {
    while (Pages.size() <= page(I, Shift))
      Pages.push_back({I, 0});
    uint64_t &First = Pages.back().FirstRange, Range = Ranges[I];
    // One more than the index until the page is complete, so that zero means
    // none.
    if (Range && (First == 0 || Range < First))
      First = Range;
  }
  for (Page &P : Pages)
    P.FirstRange -= P.FirstRange != 0;
  Pages.push_back({Count, 0});
  return Pages;
}

uint64_t ReturnPadTable::offset(uint64_t Pad, unsigned Shift) const {
  uint64_t FromBase = Addresses[Pad] - Addresses[0];
  return FromBase - (FromBase >> Shift << Shift);
}

uint64_t ReturnPadTable::rangeField(uint64_t Pad, const Page &P) const {
  uint64_t Range = Ranges[Pad];
  return Range ? Range - P.FirstRange : 0;
}

std::string ReturnPadTable::bytes() const {
  unsigned Shift = chooseShift();
  std::vector<Page> Pages = makePages(Shift);
  uint64_t Count = Addresses.size(), MaxRange = 0, MaxRow = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    MaxRange = std::max(MaxRange, rangeField(I, Pages[page(I, Shift)]));
    MaxRow = std::max(MaxRow, Rows[I]);
  }
  ReturnPadsHeader H = {};
  H.Base = Addresses[0];
  H.PadCount = Count;
  H.PageCount = Pages.size() - 1;
  H.Shift = uint8_t(Shift);
  H.OffsetSize = uint8_t(fieldWidth((uint64_t(1) << Shift) - 1));
  H.RangeSize = uint8_t(fieldWidth(MaxRange));
  H.RowSize = AnyRow ? uint8_t(fieldWidth(MaxRow)) : 0;

  std::string Bytes(reinterpret_cast<const char *>(&H), sizeof(H));
  Bytes.reserve(sizeof(H) + Pages.size() * sizeof(ReturnPadPage) +
                Count * (H.OffsetSize + H.RangeSize + H.RowSize));
  auto Append = [&](uint64_t Value, unsigned Size) {
    for (; Size; --Size, Value >>= 8)
      Bytes += char(Value);
  };
  for (const Page &P : Pages) {
    Append(P.FirstPad, 4);
    Append(P.FirstRange, 4);
  }
  for (uint64_t I = 0; I != Count; ++I) {
    Append(offset(I, Shift), H.OffsetSize);
    Append(rangeField(I, Pages[page(I, Shift)]), H.RangeSize);
    Append(Rows[I], H.RowSize);
  }
  return Bytes;
}
