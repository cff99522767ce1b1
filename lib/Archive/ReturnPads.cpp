//===- ReturnPads.cpp - Reading the RPAD section --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Opening has checked that pages and entries are inside the section. Their
/// values are checked here, on use.
///
//===----------------------------------------------------------------------===//

#include "PagedMemory.h"
#include "lidia/Archive/Archive.h"
#include <algorithm>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

void Archive::ReturnPadTable::load(const void *Begin, uint64_t Size) const {
  if (Memory)
    Memory->load(Begin, Size);
}

std::pair<uint64_t, uint64_t> Archive::ReturnPadTable::page(uint64_t K) const {
  PagedRead Read(Memory);
  load(Pages + K, 2 * sizeof(ReturnPadPage));
  uint64_t End = std::min<uint64_t>(Pages[K + 1].FirstPad, Count);
  return {std::min<uint64_t>(Pages[K].FirstPad, End), End};
}

ReturnPad Archive::ReturnPadTable::pad(uint64_t K, uint64_t I) const {
  const char *Entry = Entries + I * entrySize();
  PagedRead Read(Memory);
  load(Entry, entrySize());
  load(Pages + K, sizeof(ReturnPadPage));
  ReturnPad P;
  P.Address = Base + (K << Shift) + readField(Entry, OffsetSize, 0);
  if (uint64_t Range = readField(Entry + OffsetSize, RangeSize, 0))
    P.Range = Pages[K].FirstRange + (Range - 1);
  if (RowSize != 0)
    if (uint64_t Row = readField(Entry + OffsetSize + RangeSize, RowSize, 0))
      P.Row = Row - 1;
  return P;
}

/// The last of \p Count entries, in a page of \p Size bytes, that is not above
/// \p Offset; the first entry if all are. The only branch is that of the loop.
template <typename T>
static uint64_t lastUpTo(const PagedMemory *Memory, const char *Entries,
                         uint64_t Count, unsigned Size, uint64_t Offset) {
  uint64_t First = 0;
  while (Count > 1) {
    uint64_t Half = Count / 2;
    const char *Middle = Entries + (First + Half) * Size;
    if (Memory)
      Memory->load(Middle, sizeof(T));
    First += readField(Middle, sizeof(T), 0) <= Offset ? Half : 0;
    Count -= Half;
  }
  return First;
}

std::optional<ReturnPad> Archive::ReturnPadTable::find(uint64_t Address) const {
  PagedRead Read(Memory);
  uint64_t FromBase = Address - Base, K = FromBase >> Shift;
  if (Address < Base || K >= PageCount)
    return std::nullopt;
  auto [First, End] = page(K);
  if (First == End)
    return std::nullopt;
  const char *In = Entries + First * entrySize();
  uint64_t Offset = FromBase - (K << Shift), I = End - First;
  switch (OffsetSize) {
  case 1:
    I = lastUpTo<uint8_t>(Memory, In, I, entrySize(), Offset);
    break;
  case 2:
    I = lastUpTo<uint16_t>(Memory, In, I, entrySize(), Offset);
    break;
  case 4:
    I = lastUpTo<uint32_t>(Memory, In, I, entrySize(), Offset);
    break;
  default:
    I = lastUpTo<uint64_t>(Memory, In, I, entrySize(), Offset);
  }
  ReturnPad P = pad(K, First + I);
  if (P.Address != Address)
    return std::nullopt;
  return P;
}

void Archive::forEachReturnPad(
    function_ref<void(const ReturnPad &)> Visit) const {
  uint64_t Next = 0;
  for (uint64_t K = 0; K != Pads.PageCount; ++K) {
    // Pages of a damaged table may share entries; visit none twice.
    auto [First, End] = Pads.page(K);
    for (uint64_t I = std::max(First, Next); I < End; ++I)
      Visit(Pads.pad(K, I));
    Next = std::max(Next, End);
  }
}
