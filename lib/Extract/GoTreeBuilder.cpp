//===- GoTreeBuilder.cpp - Builds the tree of one Go function -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoTreeBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

bool GoTreeBuilder::readTables(const go::Function &F) {
  Calls.clear();
  FileNames.clear();
  Indices.clear();
  bool Whole = Table.readValues(F, F.StackTable, Stack);
  Whole &= Table.readValues(F, F.FileTable, Files);
  Whole &= Table.readValues(F, F.LineTable, Lines);
  if (Trees)
    Whole &= Trees->readIndices(F, Indices);
  return Whole;
}

/// Each table ends at the function's end, and none includes the padding.
uint64_t GoTreeBuilder::endOf(const go::Function &F) const {
  uint64_t Size = 0;
  for (ArrayRef<go::ValueRun> Runs :
       {ArrayRef(Stack), ArrayRef(Files), ArrayRef(Lines)})
    if (!Runs.empty())
      Size = std::max(Size, Runs.back().End);
  uint64_t Max = F.NextEntry - F.Entry;
  return F.Entry + (Size ? std::min(Size, Max) : Max);
}

bool GoTreeBuilder::add(const go::Function &F) {
  bool Whole = readTables(F);
  uint64_t Start = F.Entry, End = endOf(F);
  if (!Code.clip(Start, End))
    return Whole;
  RangeTreeBuilder::Mark Before = Out.mark();
  if (Whole && addTree(F, End - Start))
    return true;
  Out.drop(Before);
  Range R;
  R.Start = Start;
  R.Name = Strings.intern(Table.name(F.Name), /*Stable=*/true);
  Out.open(R, 0);
  Out.close(0, End);
  return false;
}

/// Calls \p Visit with each run of code along which the three tables have the
/// same values, until it returns false.
template <class Visitor>
static bool
forEachPiece(ArrayRef<go::ValueRun> Files, ArrayRef<go::ValueRun> Lines,
             ArrayRef<go::ValueRun> Indices, uint64_t Size, Visitor Visit) {
  ArrayRef<go::ValueRun> *Tables[] = {&Files, &Lines, &Indices};
  for (uint64_t Start = 0; Start < Size;) {
    uint64_t End = Size;
    for (ArrayRef<go::ValueRun> *T : Tables) {
      while (!T->empty() && T->front().End <= Start)
        *T = T->drop_front();
      if (!T->empty())
        End = std::min(End, T->front().End);
    }
    auto Value = [](ArrayRef<go::ValueRun> T) {
      return T.empty() ? -1 : T.front().Value;
    };
    if (!Visit(Start, End, Value(Files), Value(Lines), Value(Indices)))
      return false;
    Start = End;
  }
  return true;
}

bool GoTreeBuilder::addTree(const go::Function &F, uint64_t Size) {
  // A table that alternates between deep chains would multiply ranges.
  size_t MaxRanges = Out.mark().Ranges + Indices.size() * 64 + 1000;
  bool Whole = forEachPiece(
      Files, Lines, Indices, Size,
      [&](uint64_t Start, uint64_t End, int32_t File, int32_t Line,
          int32_t Index) {
        if (Out.mark().Ranges > MaxRanges || !findPath(F, Index))
          return false;
        switchTo(F.Entry + Start);
        addRow(F, {F.Entry + Start, F.Entry + End, File, Line, Index});
        return true;
      });
  if (Whole)
    Out.close(0, F.Entry + Size);
  return Whole;
}

/// Sets Path to the function and the calls from it to call \p Index. False if
/// there is no such path.
bool GoTreeBuilder::findPath(const go::Function &F, int32_t Index) {
  Path.clear();
  while (Index >= 0) {
    const Call *C = call(F, Index);
    if (!C || Path.size() == DeepestCall)
      return false;
    Path.push_back(C->Of);
    Index = C->Parent;
  }
  Range Outermost;
  Outermost.Name = Strings.intern(Table.name(F.Name), /*Stable=*/true);
  Path.push_back(Outermost);
  std::reverse(Path.begin(), Path.end());
  for (auto [Depth, R] : enumerate(Path))
    R.Depth = Depth;
  return true;
}

const GoTreeBuilder::Call *GoTreeBuilder::call(const go::Function &F,
                                               int32_t Index) {
  auto [It, New] = Calls.try_emplace(Index);
  if (!New)
    return &It->second;
  std::optional<go::InlinedCall> Inlined =
      Trees ? Trees->call(F, Index) : std::nullopt;
  if (!Inlined)
    return nullptr;
  if (!Inlined->HasPosition) {
    // The instruction at ParentOffset belongs to the call site.
    Inlined->Parent = go::valueAt(Indices, Inlined->ParentOffset);
    Inlined->File = go::valueAt(Files, Inlined->ParentOffset);
    Inlined->Line = go::valueAt(Lines, Inlined->ParentOffset);
  }
  Call &C = It->second;
  C.Of.Name = Strings.intern(Inlined->Name, /*Stable=*/true);
  if (Options.Files)
    C.Of.CallFile = file(F, Inlined->File);
  if (Options.Lines)
    C.Of.CallLine = std::max(Inlined->Line, 0);
  C.Parent = Inlined->Parent;
  return &C;
}

StringID GoTreeBuilder::file(const go::Function &F, int32_t Index) {
  auto [It, New] = FileNames.try_emplace(Index);
  if (New)
    It->second = Strings.intern(Table.file(F, Index), /*Stable=*/true);
  return It->second;
}

/// Closes and opens ranges until the open ones are Path. A call continues as
/// another that no answer can tell apart from it.
void GoTreeBuilder::switchTo(uint64_t Address) {
  size_t Common = 0;
  while (Common < Out.depth() && Common < Path.size() &&
         sameCall(Out.range(Common), Path[Common]))
    ++Common;
  Out.close(Common, Address);
  for (Range R : ArrayRef(Path).drop_front(Common)) {
    R.Start = Address;
    Out.open(R, 0);
  }
}

/// Adds the position of \p P to the innermost open range.
void GoTreeBuilder::addRow(const go::Function &F, const Piece &P) {
  if (!Options.Files)
    return;
  Row New;
  if (P.File >= 0 && P.Line >= 0) {
    New.Line = P.Line;
    New.File = file(F, P.File);
  }
  Out.addRow(P.Start, New);
}

} // namespace lidia
