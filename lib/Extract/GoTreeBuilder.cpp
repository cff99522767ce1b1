//===- GoTreeBuilder.cpp - Builds the tree of one Go function -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoTreeBuilder.h"

using namespace llvm;

namespace lidia {

/// Calls that nest deeper are no program's.
static constexpr size_t DeepestCall = 1000;

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

/// Each table reaches to the function's end, and no table knows of the padding.
uint64_t GoTreeBuilder::endOf(const go::Function &F) const {
  uint64_t Size = 0;
  for (ArrayRef<go::ValueRun> Runs :
       {ArrayRef(Stack), ArrayRef(Files), ArrayRef(Lines)})
    if (!Runs.empty())
      Size = std::max(Size, Runs.back().End);
  uint64_t Most = F.NextEntry - F.Entry;
  return F.Entry + (Size ? std::min(Size, Most) : Most);
}

bool GoTreeBuilder::add(const go::Function &F) {
  bool Whole = readTables(F);
  uint64_t Start = F.Entry, End = endOf(F);
  if (!Code.clip(Start, End))
    return Whole;
  size_t FirstRange = Out.Ranges.size(), FirstRow = Out.Rows.size();
  if (Whole && addTree(F, End - Start))
    return true;
  OpenCount = 0;
  Out.Ranges.resize(FirstRange);
  Out.Rows.resize(FirstRow);
  Range R;
  R.Start = Start;
  R.End = End;
  R.Name = Strings.intern(Table.name(F.Name), /*Stable=*/true);
  Out.Ranges.push_back(R);
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
  // A table that lets deep chains take turns would multiply.
  size_t MostRanges = Out.Ranges.size() + Indices.size() * 64 + 1000;
  bool Whole = forEachPiece(
      Files, Lines, Indices, Size,
      [&](uint64_t Start, uint64_t End, int32_t File, int32_t Line,
          int32_t Index) {
        if (Out.Ranges.size() > MostRanges || !findPath(F, Index))
          return false;
        switchTo(F.Entry + Start);
        addRow(F, {F.Entry + Start, F.Entry + End, File, Line, Index});
        return true;
      });
  if (Whole)
    close(0, F.Entry + Size);
  return Whole;
}

/// Sets Path to the function and the calls from it to call \p Index. False when
/// there is no such way.
bool GoTreeBuilder::findPath(const go::Function &F, int32_t Index) {
  Path.clear();
  for (; Index >= 0; Index = Path.back().Parent) {
    const Call *C = call(F, Index);
    if (!C || Path.size() == DeepestCall)
      return false;
    Path.push_back(*C);
  }
  Call Outermost;
  Outermost.Name = Strings.intern(Table.name(F.Name), /*Stable=*/true);
  Path.push_back(Outermost);
  std::reverse(Path.begin(), Path.end());
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
    // The instruction at ParentOffset belongs to the place of the call.
    Inlined->Parent = go::valueAt(Indices, Inlined->ParentOffset);
    Inlined->File = go::valueAt(Files, Inlined->ParentOffset);
    Inlined->Line = go::valueAt(Lines, Inlined->ParentOffset);
  }
  Call &C = It->second;
  C.Name = Strings.intern(Inlined->Name, /*Stable=*/true);
  if (Options.Files)
    C.CallFile = file(F, Inlined->File);
  if (Options.Lines)
    C.CallLine = std::max(Inlined->Line, 0);
  C.Parent = Inlined->Parent;
  return &C;
}

StringID GoTreeBuilder::file(const go::Function &F, int32_t Index) {
  auto [It, New] = FileNames.try_emplace(Index);
  if (New)
    It->second = Strings.intern(Table.file(F, Index), /*Stable=*/true);
  return It->second;
}

/// Closes and opens ranges until those that are open are Path. A call goes on
/// as one that no answer would tell from it.
void GoTreeBuilder::switchTo(uint64_t Address) {
  auto Same = [](const Call &A, const Call &B) {
    return A.Name == B.Name && A.CallFile == B.CallFile &&
           A.CallLine == B.CallLine;
  };
  size_t Common = 0;
  while (Common < OpenCount && Common < Path.size() &&
         Same(Open[Common].Of, Path[Common]))
    ++Common;
  close(Common, Address);
  for (const Call &C : ArrayRef(Path).drop_front(Common))
    open(C, Address);
}

void GoTreeBuilder::open(const Call &C, uint64_t Start) {
  if (OpenCount && !Open[OpenCount - 1].FirstCallFile)
    Open[OpenCount - 1].FirstCallFile = C.CallFile;
  Range R;
  R.Start = Start;
  R.Depth = OpenCount;
  R.Name = C.Name;
  R.CallFile = C.CallFile;
  R.CallLine = C.CallLine;
  if (OpenCount == Open.size())
    Open.emplace_back();
  OpenRange &O = Open[OpenCount++];
  O.Of = C;
  O.Index = Out.Ranges.size();
  O.FirstCallFile = 0;
  O.Rows.clear();
  Out.Ranges.push_back(R);
}

/// Closes all open ranges of depth \p Depth and more.
void GoTreeBuilder::close(size_t Depth, uint64_t End) {
  for (; OpenCount > Depth; --OpenCount) {
    OpenRange &O = Open[OpenCount - 1];
    Range &R = Out.Ranges[O.Index];
    R.End = End;
    setRows(Out, R, O.Rows, O.FirstCallFile, Options.Lines);
  }
}

/// Gives the position of \p P to the innermost open range.
void GoTreeBuilder::addRow(const go::Function &F, const Piece &P) {
  OpenRange &O = Open[OpenCount - 1];
  uint64_t Offset = P.Start - Out.Ranges[O.Index].Start;
  if (!Options.Files || Offset > UINT32_MAX)
    return;
  Row New;
  New.Offset = Offset;
  if (P.File >= 0 && P.Line >= 0) {
    New.Line = P.Line;
    New.File = file(F, P.File);
  }
  if (O.Rows.empty() || !O.Rows.back().samePosition(New))
    O.Rows.push_back(New);
}

} // namespace lidia
