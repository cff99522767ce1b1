//===- Explain.cpp - Why an address has its answer ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/Explain.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/UnwindText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

/// The maximum number of names and of rows that are kept.
static constexpr size_t MaxAliases = 64;
static constexpr uint64_t RowsAround = 2;
/// The maximum size of an alias's or a neighbour's name.
static constexpr size_t MaxName = 4096;

MissCode Explanation::miss() const {
  if (Trust == NameTrust::Refuted)
    return MissCode::NoSymbols;
  return missOfFrames(Frames, LeftOut);
}

namespace {

class Explainer {
public:
  Explainer(const Archive &A, Explanation &To) : A(A), To(To) {}

  void run();

private:
  void addFrames();
  void addFunction(uint64_t Root);
  void addAliases(uint64_t Root);
  void addRows(const RangeEntry &Range);
  void addUnit(uint64_t Root);
  void addNeighbours();
  void addUnwindRow();
  std::string name(StringRef Raw) const {
    return escapeText(readableName(Raw.take_front(MaxName)));
  }
  std::string text(StringOffset Offset) const {
    return escapeText(A.string(Offset));
  }
  bool isNamed(uint64_t Index) const {
    RangeEntry R = A.range(Index);
    return R.Depth == 0 && !A.string(R.Function).empty();
  }
  Explanation::Neighbour neighbour(uint64_t Index) const {
    RangeEntry R = A.range(Index);
    return {R.VA, R.VA + R.Length, name(A.string(R.Function))};
  }

  const Archive &A;
  Explanation &To;
  SmallVector<Frame, 16> Found;
};

} // namespace

void Explainer::run() {
  if (const ArchiveInfo *I = A.info())
    To.BuildID = toHex(I->BuildID, /*LowerCase=*/true);
  To.LeftOut = A.leftOut();
  A.lookup(To.Address, Found);
  addFrames();
  if (!Found.empty() && Found.back().Range < A.rangeCount())
    addFunction(Found.back().Range);
  if (!Found.empty() && Found.front().Range < A.rangeCount())
    addRows(A.range(Found.front().Range));
  To.Unnamed = UnnamedFunctions(A).find(To.Address);
  addNeighbours();
  addUnwindRow();
}

void Explainer::addFrames() {
  SymbolizerOptions Options;
  Options.Doubt = false;
  Options.Text = TextForm::Printable;
  To.Frames = Symbolizer(A, Options).symbolize(To.Address);
}

void Explainer::addFunction(uint64_t Root) {
  RangeEntry Range = A.range(Root);
  NameOrigins Origins(A);
  if (Range.Function)
    To.Origin = Origins.origin(Root);
  To.Trust = Origins.trust(Root, To.Address - Range.VA);
  NameReach Reach = Origins.reach(Root);
  To.Code = {Range.VA, Range.VA + Range.Length};
  To.ShownEnd = Range.VA + std::min(Reach.Shown, Range.Length);
  To.PossibleEnd = Range.VA + std::min(Reach.Possible, Range.Length);
  addAliases(Root);
  addUnit(Root);
}

void Explainer::addAliases(uint64_t Root) {
  uint64_t Start = A.range(Root).VA;
  // Damaged aliases are left out; verify() reports them.
  consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    if (Alias.Root == Root && Alias.Address == Start &&
        To.Aliases.size() < MaxAliases)
      To.Aliases.push_back(name(Alias.Name));
  }));
}

void Explainer::addRows(const RangeEntry &Range) {

  uint64_t Count = A.plausibleRows(Range), InForce = Count;
  for (uint64_t I = 0; I != Count; ++I)
    if (Range.VA + A.row(Range, I).Offset <= To.Address)
      InForce = I;
  uint64_t First =
      InForce == Count ? 0 : InForce - std::min(InForce, RowsAround);
  uint64_t Last = InForce == Count ? RowsAround : InForce + RowsAround + 1;
  for (uint64_t I = First; I < std::min(Count, Last); ++I) {
    RowEntry R = A.row(Range, I);
    To.Rows.push_back({Range.VA + R.Offset, text(R.File), uint32_t(R.Line),
                       R.Column, I == InForce});
  }
}

void Explainer::addUnit(uint64_t Root) {
  FunctionUnit U = A.unit(Root);
  To.Unit = text(U.Name);
  if (U.Language)
    To.Language = dwarf::LanguageString(U.Language).str();
}

/// Adds the functions whose ranges are the nearest that do not contain the
/// address.
void Explainer::addNeighbours() {
  uint64_t Low = 0, High = A.rangeCount();
  while (Low < High) {
    uint64_t Middle = Low + (High - Low) / 2;
    if (A.range(Middle).VA <= To.Address)
      Low = Middle + 1;
    else
      High = Middle;
  }
  for (uint64_t I = Low; I != A.rangeCount() && !To.After; ++I)
    if (isNamed(I))
      To.After = neighbour(I);
  for (uint64_t I = Low; I != 0 && !To.Before; --I)
    if (isNamed(I - 1) && (!To.Code || A.range(I - 1).VA < To.Code->Begin))
      To.Before = neighbour(I - 1);
}

void Explainer::addUnwindRow() {
  Expected<UnwindTable> Table = A.unwindTable();
  // verify() reports a damaged table.
  if (!Table)
    return consumeError(Table.takeError());
  std::optional<UnwindRow> Row = Table->find(To.Address);
  if (!Row)
    return;
  To.UnwindRow = {Row->Begin, Row->End};
  const ArchiveInfo *I = A.info();
  const UnwindMachine *Machine =
      I ? UnwindMachine::find(I->Machine, I->Class == ELF::ELFCLASS64 ? 8 : 4,
                              I->Data == ELF::ELFDATA2LSB)
        : nullptr;
  raw_string_ostream OS(To.UnwindRules);
  if (std::optional<UnwindRules> Rules = Table->rules(Row->Rules))
    printUnwindRules(OS, *Rules, Machine);
}

Explanation explain(const Archive &A, uint64_t Address) {
  Explanation Result;
  Result.Address = Address;
  Explainer(A, Result).run();
  return Result;
}

} // namespace lidia
