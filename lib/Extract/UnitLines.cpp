//===- UnitLines.cpp - The lines of one unit, by address ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitLines.h"

using namespace llvm;

namespace lidia {

void UnitLines::clear() {
  Intervals.clear();
  Files.clear();
  Directories.clear();
  Sources.clear();
  Foreign.clear();
  LastRow = nullptr;
}

/// The end of the sequence that describes the code at 0, among those that begin
/// there: the symbols' end, or else the last end.
uint64_t UnitLines::endAtZero() const {
  uint64_t Last = 0;
  for (const dwarf::LineSequence &S : Table.sequences()) {
    if (S.Start == 0 && S.End == AtZero->End)
      return S.End;
    if (S.Start == 0)
      Last = std::max(Last, S.End);
  }
  return Last;
}

Error UnitLines::parse(const dwarf::Unit &U, uint64_t Offset,
                       dwarf::WorkBudget &TheBudget,
                       function_ref<void(Error)> Report) {
  clear();
  Budget = &TheBudget;
  if (Error E = Table.parse(U, Offset, *Budget, Report))
    return E;
  std::vector<Interval> Claims;
  ArrayRef<dwarf::LineSequence> Sequences = Table.sequences();
  uint64_t EndAtZero = AtZero ? endAtZero() : 0;
  for (size_t I = 0; I < Sequences.size(); ++I) {
    uint64_t Start = Sequences[I].Start, End = Sequences[I].End;
    if (AtZero && Start == 0 && End != EndAtZero)
      continue;
    if (Code.clip(Start, End))
      Claims.push_back({Start, End, I, I});
  }
  Intervals = resolveOverlaps(std::move(Claims));
  Files.assign(Table.fileEnd(), Unresolved);
  return Error::success();
}

StringID UnitLines::file(uint64_t Index) {
  if (Index >= Files.size())
    return 0;
  if (Files[Index] != Unresolved)
    return Files[Index];
  return Files[Index] = intern(Table, Index);
}

StringID UnitLines::intern(const dwarf::LineTable &From, uint64_t Index) {
  // A directory's name may be as long as the file and occur in many paths.
  dwarf::LineTablePath Path;
  if (Budget->exhausted() || !From.path(Index, Path))
    return 0;
  Budget->charge(Path.Path.size());
  if (Budget->exhausted())
    return 0;
  StringID ID = Strings.intern(Path.Path, /*Stable=*/false);
  if (Path.DirectoryLength)
    Directories.push_back({ID, uint32_t(Path.DirectoryLength)});
  if (StringRef Source = From.sourceAndRest(Index); ID && !Source.empty())
    Sources.push_back({ID, Source});
  return ID;
}

StringID UnitLines::fileOf(const dwarf::Unit &U, uint64_t Index) {
  std::optional<uint64_t> Offset = U.lineTableOffset();
  if (!Budget || !Offset || Budget->exhausted())
    return 0;
  auto It = find_if(Foreign, [&](const auto &F) {
    return F->S == &U.sections() && F->Offset == *Offset;
  });
  if (It == Foreign.end()) {
    if (Foreign.size() == MaxForeignFiles)
      Foreign.erase(Foreign.begin());
    auto New = std::make_unique<ForeignFiles>();
    New->S = &U.sections();
    New->Offset = *Offset;
    // That unit's own reader reports what is broken.
    consumeError(New->Table.parseFiles(U, *Offset, *Budget));
    New->Files.assign(New->Table.fileEnd(), Unresolved);
    Foreign.push_back(std::move(New));
    It = std::prev(Foreign.end());
  }
  std::rotate(It, It + 1, Foreign.end());
  ForeignFiles &F = *Foreign.back();
  if (Index >= F.Files.size())
    return 0;
  if (F.Files[Index] == Unresolved)
    F.Files[Index] = intern(F.Table, Index);
  return F.Files[Index];
}

/// The interval that contains \p Address, or else the first above it.
const Interval *UnitLines::intervalAt(uint64_t Address) const {
  return std::upper_bound(
      Intervals.data(), Intervals.data() + Intervals.size(), Address,
      [](uint64_t Address, const Interval &I) { return Address < I.End; });
}

static const dwarf::LineRow *firstRowAfter(ArrayRef<dwarf::LineRow> Rows,
                                           uint64_t Address) {
  return std::upper_bound(Rows.begin(), Rows.end(), Address,
                          [](uint64_t Address, const dwarf::LineRow &R) {
                            return Address < R.Address;
                          });
}

/// firstRowAfter(), starting at LastRow.
const dwarf::LineRow *UnitLines::rowAfter(ArrayRef<dwarf::LineRow> Rows,
                                          uint64_t Address) const {
  if (!LastRow || LastRow < Rows.begin() || LastRow >= Rows.end() ||
      LastRow->Address > Address)
    return firstRowAfter(Rows, Address);
  constexpr unsigned MaxSteps = 16;
  const dwarf::LineRow *Row = LastRow;
  for (unsigned Step = 0; Step != MaxSteps; ++Step)
    if (++Row == Rows.end() || Row->Address > Address)
      return Row;
  return firstRowAfter({Row, Rows.end()}, Address);
}

/// Visits [Start, End), which begins within \p I; returns the end of \p I.
uint64_t
UnitLines::visitInterval(const Interval &I, uint64_t Start, uint64_t End,
                         function_ref<void(const LinePosition &)> Visit) {
  ArrayRef<dwarf::LineRow> Rows = Table.rows(Table.sequences()[I.Item]);
  End = std::min(End, I.End);
  // The first row is at the sequence's start, so one is always in force.
  const dwarf::LineRow *R = rowAfter(Rows, Start) - 1;
  Visit({Start, R->Line, R->Column, file(R->File)});
  for (++R; R != Rows.end() && R->Address < End; ++R)
    // Of several rows at one address the last is in force.
    if (R + 1 == Rows.end() || R[1].Address != R->Address)
      Visit({R->Address, R->Line, R->Column, file(R->File)});
  LastRow = R - 1;
  return End;
}

void UnitLines::visit(uint64_t Start, uint64_t End,
                      function_ref<void(const LinePosition &)> Visit) {
  const Interval *I = intervalAt(Start);
  const Interval *Last = Intervals.data() + Intervals.size();
  while (Start < End) {
    if (I != Last && I->Start <= Start) {
      Start = visitInterval(*I++, Start, End, Visit);
      continue;
    }
    LinePosition Unknown;
    Unknown.Address = Start;
    Visit(Unknown);
    Start = I != Last ? std::min(I->Start, End) : End;
  }
}

// The flags of a row are used unchanged as those of a statement.
static_assert(uint8_t(dwarf::LF_IsStmt) == uint8_t(SF_IsStmt) &&
              uint8_t(dwarf::LF_PrologueEnd) == uint8_t(SF_PrologueEnd) &&
              uint8_t(dwarf::LF_EpilogueBegin) == uint8_t(SF_EpilogueBegin));

void UnitLines::visitStatements(uint64_t Start, uint64_t End,
                                function_ref<void(const Statement &)> Visit) {
  auto Add = [&](const dwarf::LineRow &R, uint64_t Address, uint8_t Flags) {
    Visit({Address, R.Line, R.Column, file(R.File), Flags});
  };
  const Interval *Last = Intervals.data() + Intervals.size();
  for (const Interval *I = intervalAt(Start); Start < End; ++I) {
    if (I == Last || I->Start > Start)
      Visit({Start, 0, 0, 0, SF_Unknown});
    if (I == Last || I->Start >= End)
      return;
    ArrayRef<dwarf::LineRow> Rows = Table.rows(Table.sequences()[I->Item]);
    Start = std::max(Start, I->Start);
    const dwarf::LineRow *R = partition_point(
        Rows, [&](const dwarf::LineRow &Row) { return Row.Address < Start; });
    if (R == Rows.end() || R->Address != Start)
      Add(R[-1], Start, R[-1].Flags & dwarf::LF_IsStmt);
    for (; R != Rows.end() && R->Address < std::min(End, I->End); ++R)
      Add(*R, R->Address, R->Flags);
    Start = I->End;
  }
}

uint64_t UnitLines::firstRow(uint64_t Start, uint64_t End) const {
  const Interval *I = intervalAt(Start);
  for (; I != Intervals.data() + Intervals.size() && I->Start < End; ++I) {
    ArrayRef<dwarf::LineRow> Rows = Table.rows(Table.sequences()[I->Item]);
    uint64_t From = std::max(Start, I->Start);
    const dwarf::LineRow *R = firstRowAfter(Rows, From);
    if (R != Rows.begin() && R[-1].Address == From)
      return From;
    if (R != Rows.end() && R->Address < std::min(End, I->End))
      return R->Address;
  }
  return End;
}

} // namespace lidia
