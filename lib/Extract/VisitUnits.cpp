//===- VisitUnits.cpp - Visits units one after another --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DWARF/Abbreviations.h"
#include "DWARFFile.h"
#include "SplitFiles.h"
#include "UnitBudgets.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lidia {

namespace {

class UnitVisitor {
public:
  UnitVisitor(Conversion &C, const dwarf::Sections &S,
              ArrayRef<dwarf::UnitHeader> Headers,
              ArrayRef<dwarf::UnitHeader> Supplementary, SplitFiles &Splits,
              function_ref<void(VisitedUnit &)> Visit)
      : C(C), S(S), Headers(Headers), Splits(Splits), Visit(Visit), Budgets(S),
        Types(S, Headers), Abbreviations(S, Budget),
        Names(S, Headers, Supplementary, Types, Abbreviations, Budget) {}

  void run();

private:
  void visit(const dwarf::UnitHeader &Header);
  bool visitSplit(const dwarf::Unit &Skeleton);
  void warn(Error E);

  Conversion &C;
  const dwarf::Sections &S;
  ArrayRef<dwarf::UnitHeader> Headers;
  SplitFiles &Splits;
  function_ref<void(VisitedUnit &)> Visit;
  UnitBudgets Budgets;
  dwarf::WorkBudget Budget;
  dwarf::TypeUnits Types;
  dwarf::AbbreviationCache Abbreviations;
  dwarf::FunctionNames Names;
  size_t Index = 0;
};

} // namespace

void UnitVisitor::warn(Error E) {
  C.warn(formatv("{0}: unit at {1:x}: {2}", S.FileName, Headers[Index].Offset,
                 toString(std::move(E)))
             .str());
}

void UnitVisitor::visit(const dwarf::UnitHeader &Header) {
  std::optional<uint64_t> TableBefore;
  if (Index)
    TableBefore = Headers[Index - 1].AbbrevOffset;
  Abbreviations.beginUnit(TableBefore);
  Expected<dwarf::Unit> U = dwarf::Unit::open(S, Header, Abbreviations, Budget);
  if (!U)
    return warn(U.takeError());
  if (!U->splitName().empty() && visitSplit(*U))
    return;
  VisitedUnit V = {*U, *U, Names, Types, Budget, S};
  Visit(V);
}

/// Returns false if the split unit of \p Skeleton is missing.
bool UnitVisitor::visitSplit(const dwarf::Unit &Skeleton) {
  auto Read = [&](const dwarf::Unit &U, dwarf::FunctionNames &SplitNames,
                  dwarf::TypeUnits &SplitTypes) {
    VisitedUnit V = {U, Skeleton, SplitNames, SplitTypes, Budget, S};
    Visit(V);
  };
  Error E = Splits.read(Skeleton, Index, Budgets, Budget, Read);
  if (!E)
    return true;
  warn(std::move(E));
  return false;
}

void UnitVisitor::run() {
  for (; Index != Headers.size(); ++Index) {
    Budgets.add(Headers[Index]);
    Budget.reset(Budgets.begin(Index));
    visit(Headers[Index]);
    Budgets.finish(Index, Budget.used(), Budget.peak());
    if (Budgets.exceeds(Index))
      warn(make_error<LimitError>(
          "", "refers to the same abbreviations, ranges, lines or names so "
              "often that the rest of it is left out"));
  }
}

Error visitUnits(Conversion &C, function_ref<void(dwarf::Sections &)> Begin,
                 function_ref<void(VisitedUnit &)> Visit) {
  Binary &File = C.Files.withDebugInfo();
  auto Report = [&](Error E) { C.reportBroken(std::move(E)); };
  OpenSections Open =
      openDWARFSections(File, C.threads(), /*LeaveInfo=*/false, Report);
  dwarf::Sections &S = Open.S;
  std::optional<OpenSections> Other;
  if (!S.Info.empty())
    Other = openSupplementary(C);
  if (Other)
    S.Supplementary = &Other->S;
  Begin(S);
  auto ReportUnit = [&](Error E) {
    Report(addPrefix(S.FileName, std::move(E)));
  };
  std::vector<dwarf::UnitHeader> Headers =
      dwarf::readUnitHeaders(S, ReportUnit);
  std::vector<dwarf::UnitHeader> OtherHeaders;
  if (Other)
    OtherHeaders = dwarf::readUnitHeaders(Other->S, ReportUnit);
  SplitOptions Split = splitOptions(C, C.Files);
  Expected<std::unique_ptr<SplitFiles>> Splits =
      SplitFiles::create(S, Split, Report);
  if (!Splits)
    return Splits.takeError();
  UnitVisitor(C, S, Headers, OtherHeaders, **Splits, Visit).run();
  return Error::success();
}

} // namespace lidia
