//===- Merge.cpp - One forest from all sources ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/Merge.h"
#include "lidia/Extract/Overlap.h"

using namespace llvm;

namespace lidia {

namespace {

/// What an Interval's Item stands for while merging.
struct Item {
  /// 0: functions of DWARF; N: the Nth symbol table; LineOnly: code with lines
  /// only.
  uint32_t Source = 0;
  /// Unit (or nothing, for symbols), and the index of the range in it.
  uint32_t Unit = 0;
  uint32_t Index = 0;

  static constexpr uint32_t LineOnly = UINT32_MAX;
};

class Merger {
public:
  Merger(MergeInput Input, const StringPool &Strings, ArchiveWriter &Writer,
         bool Files)
      : Input(std::move(Input)), Strings(Strings), Writer(Writer), Files(Files),
        Offsets(Strings.idEnd(), NotWritten) {}

  Expected<MergeResult> run();

private:
  void claimFunctions();
  void claimSymbols();
  void claimLines();
  uint64_t firstOwnRow(const Interval &I) const;
  void attributeLines();
  void addDirectories();

  Error writeFunction(const Interval &I);
  Error writeTree(const Interval &I, const Forest &F, size_t Root);
  Error writeSymbol(const Interval &I);
  Error writeLineOnly(const Interval &I);
  Error write(const Forest &F, const Range &R, uint64_t Start, uint64_t End,
              StringID Name);
  void collectRows(const Forest &F, const Range &R, uint64_t Start,
                   uint64_t End, uint64_t Base);
  StringID symbolAt(uint64_t Address) const;
  StringOffset offset(StringID ID);
  Error flush(ArchiveRange &Out);
  void freeWhenDone(uint32_t Unit);

  uint64_t addItem(Item I) {
    Items.push_back(I);
    return Items.size() - 1;
  }

  static constexpr StringOffset NotWritten = ~StringOffset(0);

  MergeInput Input;
  const StringPool &Strings;
  ArchiveWriter &Writer;
  bool Files;
  std::vector<StringOffset> Offsets;
  std::vector<Item> Items;
  /// Functions and symbols, then also the lines that neither has; by address.
  std::vector<Interval> Settled;
  /// Lines of code that no function of DWARF has.
  std::vector<Interval> Lines;
  /// Where in Lines the next symbol begins to look.
  size_t NextLine = 0;
  std::vector<Interval> Claims;
  /// Intervals of each unit that are still to be written.
  std::vector<uint32_t> UnitUses;
  std::vector<ArchiveRow> RowBuffer;
  MergeResult Result;
};

} // namespace

void Merger::claimFunctions() {
  for (uint32_t U = 0; U < Input.DWARF.Units.size(); ++U) {
    const Forest &F = Input.DWARF.Units[U].Functions;
    for (uint32_t I = 0; I < F.Ranges.size(); ++I)
      if (!F.Ranges[I].Depth)
        Claims.push_back({F.Ranges[I].Start, F.Ranges[I].End, Claims.size(),
                          addItem({0, U, I})});
  }
}

void Merger::claimSymbols() {
  for (uint32_t T = 0; T < Input.Symbols.size(); ++T) {
    const std::vector<SymbolRange> &Table = Input.Symbols[T];
    // The later start has the smaller rank.
    uint64_t Rank = Claims.size() + Table.size();
    for (uint32_t I = 0; I < Table.size(); ++I)
      Claims.push_back(
          {Table[I].Start, Table[I].End, --Rank, addItem({T + 1, 0, I})});
  }
}

void Merger::claimLines() {
  std::vector<Interval> LineClaims;
  for (uint32_t U = 0; U < Input.DWARF.Units.size(); ++U) {
    const Forest &F = Input.DWARF.Units[U].LineOnly;
    for (uint32_t I = 0; I < F.Ranges.size(); ++I)
      LineClaims.push_back({F.Ranges[I].Start, F.Ranges[I].End,
                            LineClaims.size(),
                            addItem({Item::LineOnly, U, I})});
  }
  std::vector<Interval> Functions;
  for (const Interval &I : Settled)
    if (Items[I.Item].Source == 0)
      Functions.push_back(I);
  Lines = subtract(resolveOverlaps(std::move(LineClaims)), Functions);
}

/// The first address of \p I at which a row of its own begins; its end when
/// there is none.
uint64_t Merger::firstOwnRow(const Interval &I) const {
  const Item &It = Items[I.Item];
  const Forest &F = Input.DWARF.Units[It.Unit].LineOnly;
  const Range &R = F.Ranges[It.Index];
  for (const Row &Row : F.rows(R))
    if (!(R.InheritsRow && Row.Offset == 0) && R.Start + Row.Offset >= I.Start)
      return std::min(R.Start + Row.Offset, I.End);
  return I.End;
}

/// Adds the lines that not even a symbol has to Settled.
void Merger::attributeLines() {
  for (Interval I : subtract(Lines, Settled)) {
    // The row in force at a function's end says nothing of the padding after
    // it.
    I.Start = firstOwnRow(I);
    if (I.Start < I.End)
      Settled.push_back(I);
  }
  // They do not overlap.
  std::sort(
      Settled.begin(), Settled.end(),
      [](const Interval &A, const Interval &B) { return A.Start < B.Start; });
}

StringOffset Merger::offset(StringID ID) {
  StringOffset &O = Offsets[ID];
  if (O == NotWritten)
    O = Writer.addString(Strings[ID]);
  return O;
}

/// The name of the best symbol that has \p Address.
StringID Merger::symbolAt(uint64_t Address) const {
  for (const std::vector<SymbolRange> &Table : Input.Symbols) {
    auto It = std::upper_bound(Table.begin(), Table.end(), Address,
                               [](uint64_t Address, const SymbolRange &S) {
                                 return Address < S.Start;
                               });
    if (It != Table.begin() && Address < std::prev(It)->End)
      return std::prev(It)->Name;
  }
  return 0;
}

/// Appends the rows of \p R that are in force from \p Start to \p End to
/// RowBuffer, relative to \p Base.
void Merger::collectRows(const Forest &F, const Range &R, uint64_t Start,
                         uint64_t End, uint64_t Base) {
  ArrayRef<Row> Rows = F.rows(R);
  auto *Next = std::upper_bound(
      Rows.begin(), Rows.end(), Start - R.Start,
      [](uint64_t Offset, const Row &Row) { return Offset < Row.Offset; });
  auto Add = [&](const Row &Row, uint64_t Address) {
    ArchiveRow Out;
    Out.Offset = Address - Base;
    Out.Line = Row.Line;
    Out.Column = Row.Column;
    Out.File = offset(Row.File);
    RowBuffer.push_back(Out);
  };
  if (Next != Rows.begin())
    Add(Next[-1], Start);
  for (; Next != Rows.end() && R.Start + Next->Offset < End; ++Next)
    Add(*Next, R.Start + Next->Offset);
}

Error Merger::flush(ArchiveRange &Out) {
  Out.Rows = RowBuffer;
  Error E = Writer.addRange(Out);
  RowBuffer.clear();
  return E;
}

/// Writes the part of \p R from \p Start to \p End.
Error Merger::write(const Forest &F, const Range &R, uint64_t Start,
                    uint64_t End, StringID Name) {
  ArchiveRange Out;
  Out.Start = Start;
  Out.Length = End - Start;
  Out.Depth = R.Depth;
  // In this order the strings are stored.
  Out.Function = offset(Name);
  Out.File = offset(R.File);
  Out.CallFile = offset(R.CallFile);
  Out.CallLine = R.CallLine;
  Out.CallColumn = R.CallColumn;
  collectRows(F, R, Start, End, Start);
  return flush(Out);
}

/// Writes the tree at \p Root, cut to \p I.
Error Merger::writeTree(const Interval &I, const Forest &F, size_t Root) {
  StringID Name = F.Ranges[Root].Name;
  if (!Name)
    Name = symbolAt(I.Start);
  for (size_t N = Root, E = F.treeEnd(Root); N < E; ++N) {
    const Range &R = F.Ranges[N];
    uint64_t Start = std::max(I.Start, R.Start), End = std::min(I.End, R.End);
    // Within a cut tree ranges can begin together that did not before, but
    // still in order of depth.
    if (Start < End)
      if (Error E = write(F, R, Start, End, N == Root ? Name : R.Name))
        return E;
  }
  return Error::success();
}

void Merger::freeWhenDone(uint32_t Unit) {
  if (--UnitUses[Unit])
    return;
  Input.DWARF.Units[Unit].Functions = Forest();
}

Error Merger::writeFunction(const Interval &I) {
  const Item &It = Items[I.Item];
  Result.DWARFBytes += I.End - I.Start;
  Error E = writeTree(I, Input.DWARF.Units[It.Unit].Functions, It.Index);
  freeWhenDone(It.Unit);
  return E;
}

Error Merger::writeSymbol(const Interval &I) {
  const Item &It = Items[I.Item];
  Result.SymbolBytes[It.Source - 1] += I.End - I.Start;
  ArchiveRange Out;
  Out.Start = I.Start;
  Out.Length = I.End - I.Start;
  const SymbolRange &Symbol = Input.Symbols[It.Source - 1][It.Index];
  Out.Function = offset(Symbol.Name);

  while (NextLine < Lines.size() && Lines[NextLine].End <= I.Start)
    ++NextLine;
  uint64_t Known = I.Start;
  for (size_t L = NextLine; L < Lines.size() && Lines[L].Start < I.End; ++L) {
    const Item &LineItem = Items[Lines[L].Item];
    const Forest &F = Input.DWARF.Units[LineItem.Unit].LineOnly;
    const Range &R = F.Ranges[LineItem.Index];
    uint64_t Start = std::max(Lines[L].Start, I.Start);
    uint64_t End = std::min(Lines[L].End, I.End);
    if (!Out.File)
      Out.File = offset(R.File);
    if (Known < Start)
      RowBuffer.push_back({Known - I.Start, 0, 0, 0});
    collectRows(F, R, Start, End, I.Start);
    Known = End;
  }
  if (!RowBuffer.empty() && Known < I.End)
    RowBuffer.push_back({Known - I.Start, 0, 0, 0});
  if (!Out.File && Files)
    Out.File = offset(Symbol.File);
  return flush(Out);
}

Error Merger::writeLineOnly(const Interval &I) {
  const Item &It = Items[I.Item];
  Result.NamelessBytes += I.End - I.Start;
  const Forest &F = Input.DWARF.Units[It.Unit].LineOnly;
  return write(F, F.Ranges[It.Index], I.Start, I.End, 0);
}

/// Says of the files that were written which of their path is the compilation
/// directory.
void Merger::addDirectories() {
  for (const UnitRanges &U : Input.DWARF.Units)
    for (auto [File, Length] : U.Directories)
      if (Offsets[File] != NotWritten)
        Writer.addDirectory(Offsets[File], Length);
}

Expected<MergeResult> Merger::run() {
  Offsets[0] = 0;
  Result.SymbolBytes.resize(Input.Symbols.size());
  claimFunctions();
  claimSymbols();
  Settled = resolveOverlaps(std::move(Claims));
  claimLines();
  attributeLines();

  UnitUses.assign(Input.DWARF.Units.size(), 0);
  for (const Interval &I : Settled)
    if (Items[I.Item].Source == 0)
      ++UnitUses[Items[I.Item].Unit];

  for (const Interval &I : Settled) {
    uint32_t Source = Items[I.Item].Source;
    if (Error E = Source == 0                ? writeFunction(I)
                  : Source == Item::LineOnly ? writeLineOnly(I)
                                             : writeSymbol(I))
      return E;
  }
  addDirectories();
  return Result;
}

Expected<MergeResult> merge(MergeInput Input, const StringPool &Strings,
                            ArchiveWriter &Writer, bool Files) {
  return Merger(std::move(Input), Strings, Writer, Files).run();
}

} // namespace lidia
