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
  SiteHasValues = 8,
  CodeValue = CodeSite + 16,
};
static_assert(CodeValue + 1 == CallSites::FirstCode + CallSites::CodeCount);

CallSites::CallSites(const Archive &A, SectionWriter &Debug, bool ForLLDB)
    : A(A), Debug(Debug), ForLLDB(ForLLDB) {}

bool CallSites::any() const {
  return A.callCount() || (Values && Values->hasCalls());
}

bool CallSites::isDefined(StringOffset Callee) {
  if (Defined.empty())
    for (uint64_t I = 0; I != A.rangeCount(); ++I)
      if (A.range(I).Depth == 0 && A.entry(I) == I)
        Defined.insert(A.function(I));
  return Defined.contains(Callee);
}

void CallSites::writeAbbreviations(SectionWriter &Abbrevs) {
  for (uint32_t What = 0; What < CodeValue - CodeSite; ++What) {
    Abbrevs.beginAbbreviation(CodeSite + What, DW_TAG_call_site,
                              What & SiteHasValues);
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
  Abbrevs.beginAbbreviation(CodeValue, DW_TAG_call_site_parameter, false);
  Abbrevs.attribute(DW_AT_location, DW_FORM_exprloc);
  Abbrevs.attribute(DW_AT_call_value, DW_FORM_exprloc);
  Abbrevs.endAbbreviation();
}

bool CallSites::keeps(const FunctionCall &Call) const {
  if (!Call.Callee)
    return false;
  return !Call.hasTarget() ||
         callTargetBytes(A.string(Call.Callee)).has_value();
}

/// The name of the called function; none for a call by a pointer, or if the
/// archive has no function there.
std::optional<StringOffset> CallSites::calleeOf(const ValuedCall &Call) const {
  if (!Call.Callee)
    return std::nullopt;
  uint64_t Entry = Values->table().address(*Call.Callee);
  SmallVector<Frame, 8> Frames;
  A.lookup(Entry, Frames);
  if (Frames.empty() || A.range(Frames.back().Range).VA != Entry)
    return std::nullopt;
  return A.function(Frames.back().Range);
}

/// Calls \p Visit with the call sites to write of the function in [\p Start,
/// \p End), ascending. What calls by a pointer is known to the archive's calls
/// only.
void CallSites::visitSites(uint64_t Start, uint64_t End,
                           function_ref<void(const Site &)> Visit) const {
  ArrayRef<ValuedCall> Valued;
  if (Values)
    Valued = Values->table().calls(Start + 1, End);
  auto VisitUntil = [&](uint64_t Return) {
    for (; !Valued.empty() && Valued.front().ReturnAddress < Return;
         Valued = Valued.drop_front())
      if (std::optional<StringOffset> Callee = calleeOf(Valued.front()))
        Visit({std::nullopt, &Valued.front(), *Callee});
  };
  visitCalls(A, Start, End, [&](const FunctionCall &Call) {
    Site S = {Call};
    uint64_t Return =
        Call.returnAddress().value_or(ValuedCall::afterJump(Call.Address));
    VisitUntil(Return);
    if (!Valued.empty() && Valued.front().ReturnAddress == Return) {
      S.Valued = &Valued.front();
      Valued = Valued.drop_front();
    }
    if (keeps(Call))
      Visit(S);
  });
  VisitUntil(UINT64_MAX);
}

bool CallSites::any(uint64_t Start, uint64_t End) const {
  bool Any = false;
  visitSites(Start, End, [&](const Site &) { Any = true; });
  return Any;
}

void CallSites::writeSite(const Site &S) {
  std::optional<uint64_t> Return =
      S.Call ? S.Call->returnAddress() : S.Valued->ReturnAddress;
  bool HasTarget = S.Call && S.Call->hasTarget();
  uint32_t Code = CodeSite;
  if (S.Call && S.Call->isTail())
    Code += SiteIsTail;
  if (Return)
    Code += SiteAtReturn;
  if (HasTarget)
    Code += SiteHasTarget;
  if (S.Valued)
    Code += SiteHasValues;
  Debug.uleb(Code);
  if (HasTarget) {
    std::string Target = *callTargetBytes(A.string(S.Call->Callee));
    Debug.uleb(Target.size());
    Debug.append(Target);
  } else {
    UnitReferences.push_back(
        {Debug.size(), S.Call ? S.Call->Callee : S.Callee});
    Debug.u32(0);
  }
  Debug.codeAddress(Return ? *Return : S.Call->Address);
  if (S.Valued) {
    Values->writeCallValues(*S.Valued, CodeValue);
    Debug.uleb(0);
  }
}

void CallSites::write(uint64_t Start, uint64_t End) {
  visitSites(Start, End, [&](const Site &S) { writeSite(S); });
}

void CallSites::endUnit(function_ref<void(StringOffset)> Declare) {
  for (const Reference &R : UnitReferences) {
    if (!ForLLDB) {
      if (UnitFunctions.try_emplace(R.Callee, Debug.size()).second)
        Declare(R.Callee);
    } else if (!isDefined(R.Callee) &&
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
