//===- FunctionLines.cpp - The lines of one function ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/FunctionLines.h"

using namespace llvm;

namespace lidia {

namespace {

/// A range that has begun but not ended.
struct OpenRange {
  RangeEntry R;
  uint64_t End = 0;
  uint64_t NextRow = 0;
  RowEntry InForce;
};

class LineWalk {
public:
  LineWalk(const Archive &A, function_ref<void(const FunctionLine &)> Visit)
      : A(A), Visit(Visit) {}

  void run(uint64_t Root);

private:
  void open(const RangeEntry &R);
  void close();
  void advanceTo(uint64_t Limit);
  void emit(uint64_t Address, const RowEntry &Row);

  const Archive &A;
  function_ref<void(const FunctionLine &)> Visit;
  SmallVector<OpenRange, 16> Open;
  uint64_t Position = 0;
  std::optional<FunctionLine> Last;
};

} // namespace

void LineWalk::emit(uint64_t Address, const RowEntry &Row) {
  FunctionLine L = {Address, Row.File, Row.Line, Row.Column};
  if (Last && Last->File == L.File && Last->Line == L.Line &&
      Last->Column == L.Column)
    return;
  Last = L;
  Visit(L);
}

/// Assigns the code up to \p Limit to the innermost open range.
void LineWalk::advanceTo(uint64_t Limit) {
  OpenRange &O = Open.back();
  Limit = std::min(Limit, O.End);
  while (Position < Limit) {
    std::optional<uint64_t> Next;
    for (; O.NextRow < O.R.RowCount; ++O.NextRow) {
      RowEntry Row = A.row(O.R, O.NextRow);
      if (O.R.VA + Row.Offset > Position) {
        Next = O.R.VA + Row.Offset;
        break;
      }
      O.InForce = Row;
    }
    emit(Position, O.InForce);
    Position = Next ? std::min(Limit, *Next) : Limit;
  }
}

void LineWalk::open(const RangeEntry &R) {
  OpenRange O;
  O.R = R;
  O.R.RowCount = A.plausibleRows(R);
  O.End = R.VA + std::min(R.Length, UINT64_MAX - R.VA);
  if (!Open.empty())
    O.End = std::min(O.End, Open.back().End);
  O.InForce.File = R.File;
  Open.push_back(O);
  // Another call's code begins here, possibly on the same line: debuggers stop
  // at the first line of each.
  Last.reset();
}

void LineWalk::close() {
  advanceTo(Open.back().End);
  Open.pop_back();
}

void LineWalk::run(uint64_t Root) {
  RangeEntry Function = A.range(Root);
  Position = Function.VA;
  open(Function);
  for (uint64_t I = Root + 1; I < A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth == 0)
      break;
    while (Open.size() > 1 && Open.back().R.Depth >= R.Depth)
      close();
    advanceTo(R.VA);
    open(R);
  }
  while (!Open.empty())
    close();
  emit(Position, RowEntry());
}

uint64_t functionEnd(const Archive &A, uint64_t Root) {
  uint64_t End = Root + 1;
  while (End < A.rangeCount() && A.range(End).Depth)
    ++End;
  return End;
}

void visitFunctionLines(const Archive &A, uint64_t Root,
                        function_ref<void(const FunctionLine &)> Visit) {
  LineWalk(A, Visit).run(Root);
}

} // namespace lidia
