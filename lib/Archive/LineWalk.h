//===- LineWalk.h - Walks the lines of one function -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_LINEWALK_H
#define LIDIA_LIB_ARCHIVE_LINEWALK_H

#include "lidia/Archive/FunctionLines.h"

namespace lidia {

/// Visits the lines of a function in \p Tables: those of an archive or, with
/// the same functions, of an archive being written.
template <typename Tables> class LineWalk {
public:
  /// \p Budget is how many rows and lines may be read.
  LineWalk(const Tables &T, uint64_t Budget,
           llvm::function_ref<void(const FunctionLine &)> Visit)
      : T(T), Visit(Visit), Budget(Budget) {}

  /// Returns false if the budget did not suffice.
  bool run(uint64_t Root);

private:
  /// A range that has begun but not ended.
  struct OpenRange {
    RangeEntry R;
    uint64_t End = 0;
    uint64_t NextRow = 0;
    RowEntry InForce;
  };

  void open(const RangeEntry &R);
  void close();
  void advanceTo(uint64_t Limit);
  std::optional<uint64_t> nextChange(OpenRange &O);
  void emit(uint64_t Address, const RowEntry &Row);
  bool pay();

  const Tables &T;
  llvm::function_ref<void(const FunctionLine &)> Visit;
  uint64_t Budget;
  bool IsExhausted = false;
  llvm::SmallVector<OpenRange, 16> Open;
  uint64_t Position = 0;
  std::optional<FunctionLine> Last;
};

template <typename Tables> bool LineWalk<Tables>::pay() {
  IsExhausted |= Budget == 0;
  if (!IsExhausted)
    --Budget;
  return !IsExhausted;
}

template <typename Tables>
void LineWalk<Tables>::emit(uint64_t Address, const RowEntry &Row) {
  FunctionLine L = {Address, Row.File, Row.Line, Row.Column};
  if (Last && Last->File == L.File && Last->Line == L.Line &&
      Last->Column == L.Column)
    return;
  Last = L;
  Visit(L);
}

/// Where the row after the one in force at Position begins. Sets InForce.
template <typename Tables>
std::optional<uint64_t> LineWalk<Tables>::nextChange(OpenRange &O) {
  for (; O.NextRow < O.R.RowCount && pay(); ++O.NextRow) {
    RowEntry Row = T.row(O.R, O.NextRow);
    if (O.R.VA + Row.Offset > Position)
      return O.R.VA + Row.Offset;
    O.InForce = Row;
  }
  return std::nullopt;
}

/// Assigns the code up to \p Limit to the innermost open range.
template <typename Tables> void LineWalk<Tables>::advanceTo(uint64_t Limit) {
  OpenRange &O = Open.back();
  Limit = std::min(Limit, O.End);
  while (Position < Limit && pay()) {
    std::optional<uint64_t> Next = nextChange(O);
    emit(Position, O.InForce);
    Position = Next ? std::min(Limit, *Next) : Limit;
  }
}

template <typename Tables> void LineWalk<Tables>::open(const RangeEntry &R) {
  OpenRange O;
  O.R = R;
  O.R.RowCount = T.plausibleRows(R);
  O.End = R.VA + std::min(R.Length, UINT64_MAX - R.VA);
  if (!Open.empty())
    O.End = std::min(O.End, Open.back().End);
  O.InForce.File = R.File;
  Open.push_back(O);
  // Another call's code begins here, possibly on the same line: debuggers stop
  // at the first line of each.
  Last.reset();
}

template <typename Tables> void LineWalk<Tables>::close() {
  advanceTo(Open.back().End);
  Open.pop_back();
}

template <typename Tables> bool LineWalk<Tables>::run(uint64_t Root) {
  RangeEntry Function = T.range(Root);
  Position = Function.VA;
  open(Function);
  for (uint64_t I = Root + 1; I < T.rangeCount() && !IsExhausted; ++I) {
    RangeEntry R = T.range(I);
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
  return !IsExhausted;
}

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_LINEWALK_H
