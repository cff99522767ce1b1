//===- MovedRanges.cpp - Ranges of an object in its program ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MovedRanges.h"
#include "Support/StableSort.h"

using namespace llvm;

namespace lidia {

/// The first code that ends after \p Address.
static const MovedCode *firstAfter(ArrayRef<MovedCode> Moved,
                                   uint64_t Address) {
  return llvm::partition_point(Moved, [&](const MovedCode &M) {
    return M.ObjectAddress + M.Size <= Address;
  });
}

/// The code that contains [Start, End); null if none does.
static const MovedCode *codeOf(ArrayRef<MovedCode> Moved, uint64_t Start,
                               uint64_t End) {
  const MovedCode *M = firstAfter(Moved, Start);
  bool Contains = M != Moved.end() && M->ObjectAddress <= Start &&
                  End - M->ObjectAddress <= M->Size;
  return Contains ? M : nullptr;
}

/// The address in the program of \p Address in the object; none if the linker
/// did not take it.
static std::optional<uint64_t> moved(ArrayRef<MovedCode> Moved,
                                     uint64_t Address) {
  const MovedCode *M = codeOf(Moved, Address, Address);
  if (!M)
    return std::nullopt;
  return Address - M->ObjectAddress + M->Address;
}

namespace {
/// Moves the trees of one unit.
class TreeMover {
public:
  TreeMover(RangeTrees &From, ArrayRef<MovedCode> Moved)
      : From(From), Moved(Moved) {}

  void run();

private:
  void moveTree(size_t Root, size_t End, const MovedCode &M);
  void moveNotes(size_t Root, uint64_t Distance);

  RangeTrees &From;
  ArrayRef<MovedCode> Moved;
  RangeTrees To;
};
} // namespace

void TreeMover::moveNotes(size_t Root, uint64_t Distance) {
  uint32_t NewRoot = To.Ranges.size();
  for (auto [Of, Note] : From.callNotes(Root)) {
    Note.Address += Distance;
    To.CallNotes.push_back({NewRoot, Note});
  }
  StringRef Statements = From.statements(Root);
  if (Statements.empty())
    return;
  To.StatementStarts.push_back({NewRoot, uint32_t(To.Statements.size())});
  To.Statements += Statements;
}

/// Moves the tree of the ranges [\p Root, \p End), which \p M contains. Rows
/// and statements count from the range's start.
void TreeMover::moveTree(size_t Root, size_t End, const MovedCode &M) {
  uint64_t Distance = M.Address - M.ObjectAddress;
  uint64_t Entry = From.entry(Root);
  if (Entry != From.Ranges[Root].Start)
    if (std::optional<uint64_t> NewEntry = moved(Moved, Entry))
      To.Entries.push_back({uint32_t(To.Ranges.size()), *NewEntry});
  moveNotes(Root, Distance);
  for (Range R : ArrayRef(From.Ranges).slice(Root, End - Root)) {
    R.Start += Distance;
    R.End += Distance;
    To.Ranges.push_back(R);
  }
}

void TreeMover::run() {
  for (size_t Root = 0; Root != From.Ranges.size();) {
    size_t End = From.treeEnd(Root);
    const Range &R = From.Ranges[Root];
    if (const MovedCode *M = codeOf(Moved, R.Start, R.End))
      moveTree(Root, End, *M);
    Root = End;
  }
  To.Rows = std::move(From.Rows);
  From = std::move(To);
}

/// The rows of \p Rows for the code from \p Start to \p End, both counted from
/// the start of the range, as rows of that code.
static void appendRows(ArrayRef<Row> Rows, uint64_t Start, uint64_t End,
                       std::vector<Row> &Out) {
  size_t First = llvm::partition_point(
                     Rows, [&](const Row &R) { return R.Offset <= Start; }) -
                 Rows.begin();
  for (Row R : Rows.drop_front(First ? First - 1 : 0)) {
    if (R.Offset >= End)
      return;
    R.Offset -= std::min<uint64_t>(R.Offset, Start);
    Out.push_back(R);
  }
}

/// Moves lines without functions. The linker moves each symbol of an assembly
/// file separately, so a range becomes several.
static RangeTrees movedLines(const RangeTrees &From,
                             ArrayRef<MovedCode> Moved) {
  RangeTrees To;
  for (const Range &R : From.Ranges)
    for (const MovedCode *M = firstAfter(Moved, R.Start);
         M != Moved.end() && M->ObjectAddress < R.End; ++M) {
      uint64_t Start = std::max(R.Start, M->ObjectAddress);
      uint64_t End = std::min(R.End, M->ObjectAddress + M->Size);
      Range New = R;
      New.Start = Start - M->ObjectAddress + M->Address;
      New.End = New.Start + (End - Start);
      New.FirstRow = To.Rows.size();
      appendRows(From.rows(R), Start - R.Start, End - R.Start, To.Rows);
      New.RowCount = To.Rows.size() - New.FirstRow;
      To.Ranges.push_back(New);
    }
  return To;
}

static void moveCalls(std::vector<CallEdge> &Calls, ArrayRef<MovedCode> Moved) {
  erase_if(Calls, [&](CallEdge &C) {
    std::optional<uint64_t> Address = moved(Moved, C.Address);
    C.Address = Address.value_or(0);
    return !Address;
  });
  stableSort(Calls, [](const CallEdge &C) { return C.Address; });
  Calls.erase(llvm::unique(Calls,
                           [](const CallEdge &A, const CallEdge &B) {
                             return A.Address == B.Address;
                           }),
              Calls.end());
}

void moveRanges(UnitRanges &Unit, ArrayRef<MovedCode> Moved) {
  TreeMover(Unit.Functions, Moved).run();
  Unit.LineOnly = movedLines(Unit.LineOnly, Moved);
  moveCalls(Unit.Calls, Moved);
}

} // namespace lidia
