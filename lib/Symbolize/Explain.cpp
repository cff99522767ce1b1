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

/// What the explanations of all addresses of an archive read.
class Explainer {
public:
  explicit Explainer(const Archive &A);

  void explain(Explanation &To);
  /// Adds the aliases of all functions that were explained. Call this last.
  void addAliases();

private:
  void addFunction(uint64_t Root, Explanation &To);
  void addRows(const RangeEntry &Range, Explanation &To) const;
  void addUnit(uint64_t Root, Explanation &To) const;
  void addNeighbours(Explanation &To) const;
  void addUnwindRow(Explanation &To) const;
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
  Symbolizer Frames;
  NameOrigins Origins;
  const UnnamedFunctions Unnamed;
  std::optional<UnwindTable> Unwind;
  const UnwindMachine *Machine = nullptr;
  /// The explanations of each function that has one, by its range.
  DenseMap<uint64_t, SmallVector<Explanation *, 1>> Explained;
};

} // namespace

static SymbolizerOptions withoutDoubt() {
  SymbolizerOptions Options;
  Options.Doubt = false;
  Options.Text = TextForm::Printable;
  return Options;
}

Explainer::Explainer(const Archive &A)
    : A(A), Frames(A, withoutDoubt()), Origins(A), Unnamed(A) {
  // verify() reports a damaged table.
  if (Expected<UnwindTable> Table = A.unwindTable())
    Unwind = std::move(*Table);
  else
    consumeError(Table.takeError());
  if (const ArchiveInfo *I = A.info())
    Machine = UnwindMachine::find(*I);
}

void Explainer::explain(Explanation &To) {
  if (const ArchiveInfo *I = A.info())
    To.BuildID = toHex(I->BuildID, /*LowerCase=*/true);
  To.LeftOut = A.leftOut();
  SmallVector<Frame, 16> Found;
  A.lookup(To.Address, Found);
  To.Frames = Frames.symbolize(To.Address);
  if (!Found.empty() && Found.back().Range < A.rangeCount())
    addFunction(Found.back().Range, To);
  if (!Found.empty() && Found.front().Range < A.rangeCount())
    addRows(A.range(Found.front().Range), To);
  To.Unnamed = Unnamed.find(To.Address);
  addNeighbours(To);
  addUnwindRow(To);
}

void Explainer::addFunction(uint64_t Root, Explanation &To) {
  RangeEntry Range = A.range(Root);
  if (Range.Function)
    To.Origin = Origins.origin(Root);
  To.Trust = Origins.trust(Root, To.Address - Range.VA);
  NameReach Reach = Origins.reach(Root);
  To.Code = {Range.VA, Range.VA + Range.Length};
  To.ShownEnd = Range.VA + std::min(Reach.Shown, Range.Length);
  To.PossibleEnd = Range.VA + std::min(Reach.Possible, Range.Length);
  Explained[Root].push_back(&To);
  addUnit(Root, To);
}

void Explainer::addAliases() {
  if (Explained.empty())
    return;
  // Damaged aliases are left out; verify() reports them.
  consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    auto Its = Explained.find(Alias.Root);
    if (Its == Explained.end())
      return;
    for (Explanation *To : Its->second)
      if (Alias.Address == To->Code->Begin && To->Aliases.size() < MaxAliases)
        To->Aliases.push_back(name(Alias.Name));
  }));
}

void Explainer::addRows(const RangeEntry &Range, Explanation &To) const {
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

void Explainer::addUnit(uint64_t Root, Explanation &To) const {
  FunctionUnit U = A.unit(Root);
  To.Unit = text(U.Name);
  if (U.Language)
    To.Language = dwarf::LanguageString(U.Language).str();
}

/// Adds the functions whose ranges are the nearest that do not contain the
/// address.
void Explainer::addNeighbours(Explanation &To) const {
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

void Explainer::addUnwindRow(Explanation &To) const {
  if (!Unwind)
    return;
  std::optional<UnwindRow> Row = Unwind->find(To.Address);
  if (!Row)
    return;
  To.UnwindRow = {Row->Begin, Row->End};
  raw_string_ostream OS(To.UnwindRules);
  if (std::optional<UnwindRules> Rules = Unwind->rules(Row->Rules))
    printUnwindRules(OS, *Rules, Machine);
}

std::vector<Explanation> explain(const Archive &A,
                                 ArrayRef<uint64_t> Addresses) {
  std::vector<Explanation> Result(Addresses.size());
  Explainer All(A);
  for (auto [To, Address] : zip_equal(Result, Addresses)) {
    To.Address = Address;
    All.explain(To);
  }
  All.addAliases();
  return Result;
}

} // namespace lidia
