//===- CallSites.cpp - Calls in the DWARF of an archive -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSites.h"
#include "lidia/Archive/CallTarget.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

// Abbreviation codes: a call site, plus flags.
enum : uint32_t {
  CodeSite = CallSites::FirstCode,
  SiteIsTail = 1,
  SiteAtReturn = 2,
  SiteHasTarget = 4,
};

CallSites::CallSites(const Archive &A, SectionWriter &Debug, bool ForLLDB)
    : A(A), Debug(Debug), ForLLDB(ForLLDB) {
  if (!A.callCount())
    return;
  for (uint64_t I = 0; I != A.rangeCount(); ++I)
    if (A.range(I).Depth == 0 && A.entry(I) == I)
      Defined.insert(A.function(I));
}

void CallSites::writeAbbreviations(SectionWriter &Abbrevs) {
  for (uint32_t What = 0; What < CodeCount; ++What) {
    Abbrevs.beginAbbreviation(CodeSite + What, DW_TAG_call_site, false);
    if (What & SiteHasTarget)
      Abbrevs.attribute(DW_AT_call_target, DW_FORM_exprloc);
    else
      Abbrevs.attribute(DW_AT_call_origin, DW_FORM_ref_addr);
    Abbrevs.attribute(What & SiteAtReturn ? DW_AT_call_return_pc
                                          : DW_AT_call_pc,
                      DW_FORM_addr);
    if (What & SiteIsTail)
      Abbrevs.attribute(DW_AT_call_tail_call, DW_FORM_flag_present);
    Abbrevs.endAbbreviation();
  }
}

bool CallSites::keeps(const FunctionCall &Call) const {
  if (ForLLDB && Call.isNested())
    return false;
  return !Call.hasTarget() ||
         callTargetBytes(A.string(Call.Callee)).has_value();
}

bool CallSites::any(uint64_t Start, uint64_t End) const {
  bool Any = false;
  visitCalls(A, Start, End,
             [&](const FunctionCall &Call) { Any |= keeps(Call); });
  return Any;
}

void CallSites::writeSite(const FunctionCall &Call) {
  std::optional<uint64_t> Return = Call.returnAddress();
  uint32_t Code = CodeSite;
  if (Call.isTail())
    Code += SiteIsTail;
  if (Return)
    Code += SiteAtReturn;
  if (Call.hasTarget())
    Code += SiteHasTarget;
  Debug.uleb(Code);
  if (Call.hasTarget()) {
    std::string Target = *callTargetBytes(A.string(Call.Callee));
    Debug.uleb(Target.size());
    Debug.append(Target);
  } else {
    UnitReferences.push_back({Debug.size(), Call.Callee});
    Debug.u32(0);
  }
  Debug.codeAddress(Return.value_or(Call.Address));
}

void CallSites::write(uint64_t Start, uint64_t End) {
  visitCalls(A, Start, End, [&](const FunctionCall &Call) {
    if (keeps(Call))
      writeSite(Call);
  });
}

void CallSites::endUnit(function_ref<void(StringOffset)> Declare) {
  for (const Reference &R : UnitReferences) {
    if (!ForLLDB) {
      if (UnitFunctions.try_emplace(R.Callee, Debug.size()).second)
        Declare(R.Callee);
    } else if (!Defined.contains(R.Callee) &&
               Functions.try_emplace(R.Callee, Debug.size()).second)
      Declare(R.Callee);
    auto Found = UnitFunctions.find(R.Callee);
    if (Found != UnitFunctions.end())
      Debug.patch(R.Place, uint32_t(Found->second));
    else
      References.push_back(R);
  }
  UnitReferences.clear();
  UnitFunctions.clear();
}

void CallSites::finish() {
  for (const Reference &R : References)
    Debug.patch(R.Place, uint32_t(Functions.lookup(R.Callee)));
}

} // namespace lidia
