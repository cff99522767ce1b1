//===- RowTable.cpp - The rows of an archive being written ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowTable.h"
#include "llvm/Support/xxhash.h"

using namespace lidia;
using namespace llvm;

RowTable::RowTable(bool ForeignFiles, bool Columns)
    : ForeignFiles(ForeignFiles), Columns(Columns), Slots(1024) {}

/// Version 1 has one file for all rows of a range. A row of another file gets
/// line 0 there, so that readers of version 1 return no line rather than a
/// wrong one; the extension has the row's file and line.
RowTable::StoredRow RowTable::normalise(const ArchiveRow &Row,
                                        StringOffset RangeFile) const {
  StoredRow R;
  if (Row.Offset > UINT32_MAX) {
    // Rows have 32-bit offsets. From the largest offset on, nothing is known.
    R.Offset = UINT32_MAX;
    return R;
  }
  R.Offset = uint32_t(Row.Offset);
  bool IsForeign = Row.File != RangeFile;
  if (IsForeign && !ForeignFiles)
    return R;
  // Without a file, a line is meaningless.
  bool IsKnown = !IsForeign || Row.File != 0;
  R.Line = IsKnown ? Row.Line : 0;
  R.Column = IsKnown && Columns ? Row.Column : 0;
  R.IsForeign = IsForeign;
  R.File = IsForeign ? Row.File : 0;
  return R;
}

/// Sets Current to the rows of \p Rows that must be stored. Before the first
/// row, the range's file and line 0 are in force.
void RowTable::collect(ArrayRef<ArchiveRow> Rows, StringOffset RangeFile) {
  Current.clear();
  for (const ArchiveRow &Row : Rows) {
    StoredRow R = normalise(Row, RangeFile);
    if (!Current.empty() && Current.back().Offset == R.Offset)
      Current.pop_back();
    if (!R.samePosition(Current.empty() ? StoredRow() : Current.back()))
      Current.push_back(R);
  }
}

uint32_t RowTable::hash(RowRef Rows) {
  static_assert(sizeof(StoredRow) == 24, "no padding, which would be hashed");
  return uint32_t(
      xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(Rows.data()),
                           Rows.size() * sizeof(StoredRow))));
}

RowTable::Run RowTable::add(ArrayRef<ArchiveRow> Rows, StringOffset RangeFile) {
  collect(Rows, RangeFile);
  if (Current.empty())
    return {};

  uint32_t Hash = hash(Current);
  Slot &Same = find(Current, Hash);
  if (Same.First != 0)
    return {Same.First - 1, Current.size()};

  uint64_t First = store(Current);
  remember(Same, Hash, First);
  // Runs of one row are the most common, and any run that begins with that row
  // contains them.
  if (Current.size() > 1) {
    RowRef One = RowRef(Current).take_front();
    uint32_t OneHash = hash(One);
    Slot &S = find(One, OneHash);
    if (S.First == 0)
      remember(S, OneHash, First);
  }
  return {First, Current.size()};
}

RowTable::Slot &RowTable::find(RowRef Rows, uint32_t Hash) {
  for (uint64_t I = Hash;; ++I) {
    Slot &S = Slots[I & (Slots.size() - 1)];
    if (S.First == 0 || (S.Hash == Hash && isStoredAt(S.First - 1, Rows)))
      return S;
  }
}

/// A slot does not record the length of its run: any rows that follow it can be
/// compared.
bool RowTable::isStoredAt(uint64_t First, RowRef Rows) const {
  if (Rows.size() > size() - First)
    return false;
  for (size_t I = 0; I != Rows.size(); ++I)
    if (!(load(First + I) == Rows[I]))
      return false;
  return true;
}

RowTable::StoredRow RowTable::load(uint64_t Row) const {
  StoredRow R;
  R.Offset = uint32_t(Lines[Row * 2]);
  R.Line = uint32_t(Lines[Row * 2 + 1]);
  if (Columns)
    R.Column = uint32_t(RowColumns[Row]);
  if (R.Line != 0)
    return R;
  uint64_t Count = Foreign.size() / 3;
  uint64_t I = lowerBound(
      Count, [&](uint64_t Entry) { return Foreign[Entry * 3] < Row; });
  if (I == Count || Foreign[I * 3] != Row)
    return R;
  R.IsForeign = 1;
  R.File = Foreign[I * 3 + 1];
  R.Line = uint32_t(Foreign[I * 3 + 2]);
  return R;
}

RowEntry RowTable::row(uint64_t Row, StringOffset RangeFile) const {
  StoredRow R = load(Row);
  return {R.Offset, R.Line, R.IsForeign ? R.File : RangeFile, R.Column};
}

uint64_t RowTable::store(RowRef Rows) {
  uint64_t First = size();
  for (const StoredRow &R : Rows) {
    if (R.IsForeign)
      Foreign.append({size(), R.File, R.Line});
    Lines.append({R.Offset, R.IsForeign ? 0 : R.Line});
    if (Columns)
      RowColumns.append(R.Column);
  }
  return First;
}

/// Rows past four billion are not shared; no archive comes close to that.
void RowTable::remember(Slot &S, uint32_t Hash, uint64_t First) {
  if (First >= UINT32_MAX)
    return;
  S = {Hash, uint32_t(First + 1)};
  if (++SlotsUsed > Slots.size() / 4 * 3)
    grow();
}

void RowTable::grow() {
  std::vector<Slot> Old(Slots.size() * 2);
  Old.swap(Slots);
  for (const Slot &S : Old) {
    if (S.First == 0)
      continue;
    uint64_t I = S.Hash;
    while (Slots[I & (Slots.size() - 1)].First != 0)
      ++I;
    Slots[I & (Slots.size() - 1)] = S;
  }
}
