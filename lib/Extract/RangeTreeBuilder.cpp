//===- RangeTreeBuilder.cpp - Builds trees of ranges ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeTreeBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

/// Completes \p R, a range of \p F: its file is that of most of \p Rows, or
/// else \p FirstCallFile (a range that consists of inlined calls is only
/// visible through them). Keeps the rows if \p Lines is set and any of them has
/// information.
static void setRows(RangeTrees &F, Range &R, ArrayRef<Row> Rows,
                    StringID FirstCallFile, bool Lines) {
  R.File = mainFile(Rows);
  if (!R.File)
    R.File = FirstCallFile;
  bool AnyKnown =
      any_of(Rows, [](const Row &Row) { return Row.Line || Row.File; });
  if (!Lines || !AnyKnown)
    return;
  R.FirstRow = F.Rows.size();
  R.RowCount = Rows.size();
  F.Rows.insert(F.Rows.end(), Rows.begin(), Rows.end());
}

void RangeTreeBuilder::open(Range R, uint32_t Item) {
  if (OpenCount && !Open[OpenCount - 1].CallFile)
    Open[OpenCount - 1].CallFile = R.CallFile;
  if (OpenCount == Open.size())
    Open.emplace_back();
  OpenRange &O = Open[OpenCount++];
  O.Item = Item;
  O.Index = Out.Ranges.size();
  O.CallFile = 0;
  O.Rows.clear();
  Out.Ranges.push_back(R);
}

void RangeTreeBuilder::close(size_t Depth, uint64_t End) {
  for (; OpenCount > Depth; --OpenCount) {
    OpenRange &O = Open[OpenCount - 1];
    Range &R = Out.Ranges[O.Index];
    R.End = End;
    setRows(Out, R, O.Rows, O.CallFile, Lines);
  }
}

void RangeTreeBuilder::addRow(uint64_t Address, Row R, bool KeepRepeated) {
  OpenRange &O = Open[OpenCount - 1];
  uint64_t Offset = Address - Out.Ranges[O.Index].Start;
  if (Offset > UINT32_MAX)
    return;
  R.Offset = Offset;
  if (O.Rows.empty() || KeepRepeated || !O.Rows.back().samePosition(R))
    O.Rows.push_back(R);
}

void RangeTreeBuilder::drop(Mark M) {
  OpenCount = 0;
  Out.Ranges.resize(M.Ranges);
  Out.Rows.resize(M.Rows);
}

} // namespace lidia
