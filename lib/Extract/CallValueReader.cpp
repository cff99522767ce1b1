//===- CallValueReader.cpp - What calls pass in registers -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallValueReader.h"
#include "lidia/Archive/ExpressionOperands.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

/// Adds \p Entry under \p Key. A key of several functions names none.
template <typename Map>
static void addOnce(Map &M, uint64_t Key, uint64_t Entry) {
  auto [It, New] = M.try_emplace(Key, Entry);
  if (!New && It->second != Entry)
    It->second = std::nullopt;
}

void CallValueReader::addFunction(uint64_t Entry, uint64_t DIE,
                                  std::optional<uint64_t> Origin) {
  addOnce(FunctionsOfUnit, DIE, Entry);
  if (Origin)
    addOnce(FunctionsOfUnit, *Origin, Entry);
}

void CallValueReader::addName(uint64_t Entry, StringRef LinkageName) {
  if (!LinkageName.empty())
    addOnce(Named, xxh3_64bits(LinkageName), Entry);
}

void CallValueReader::addDependence(uint64_t Entry, uint64_t Registers) {
  if (Registers)
    Dependences[Entry] |= Registers;
}

bool CallValueReader::readCall(const dwarf::Unit &U, const ReadDIE &D) {
  if (!D.HasChildren)
    return false;
  bool IsGNU = D.Tag == DW_TAG_GNU_call_site;
  bool IsTail = D.find(DW_AT_call_tail_call) || D.find(DW_AT_GNU_tail_call);
  std::optional<uint64_t> Return =
      U.address(D.find(IsGNU ? DW_AT_low_pc : DW_AT_call_return_pc));
  // Clang gives tail calls no return address.
  if (!Return && IsTail)
    if (std::optional<uint64_t> Jump = U.address(D.find(DW_AT_call_pc)))
      Return = ValuedCall::afterJump(*Jump);
  if (!Return)
    return false;
  dwarf::FormValue Callee =
      D.find(IsGNU ? DW_AT_abstract_origin : DW_AT_call_origin);
  Call C;
  C.ReturnAddress = *Return;
  C.IsTail = IsTail;
  C.FirstValue = Values.size();
  if (Callee) {
    std::optional<uint64_t> DIE = U.reference(Callee);
    C.Kind = DIE ? ByDIE : Unknown;
    C.Callee = DIE.value_or(0);
  }
  Calls.push_back(C);
  return true;
}

/// Whether \p Expression is a number, whatever the frame.
static bool isNumber(StringRef Expression) {
  uint8_t Code = Expression.empty() ? 0 : uint8_t(Expression.front());
  if (Code >= DW_OP_lit0 && Code <= DW_OP_lit31)
    return Expression.size() == 1;
  std::optional<OperandKinds> Operands = operandsOf(Code);
  bool IsConstant = Code >= DW_OP_const1u && Code <= DW_OP_consts && Operands;
  if (!IsConstant)
    return false;
  if (Operands->FixedBytes)
    return Expression.size() == 1 + size_t(Operands->FixedBytes);
  // One LEB128 number.
  return Expression.size() > 1 && !(Expression.back() & 0x80) &&
         all_of(Expression.drop_front().drop_back(),
                [](char C) { return C & 0x80; });
}

uint64_t CallValueReader::readValue(const dwarf::Unit &U, const ReadDIE &D) {
  if (D.Tag != DW_TAG_call_site_parameter &&
      D.Tag != DW_TAG_GNU_call_site_parameter)
    return 0;
  std::optional<uint32_t> Register = registerOf(D.find(DW_AT_location).Inline);
  dwarf::FormValue V =
      D.find(D.Tag == DW_TAG_call_site_parameter ? DW_AT_call_value
                                                 : DW_AT_GNU_call_site_value);
  if (!Register || V.Inline.empty())
    return 0;
  uint64_t Needed = 0;
  std::optional<std::string> Text = Locations.rewritten(U, V.Inline, Needed);
  if (!Text || (Calls.back().IsTail && !isNumber(*Text)))
    return 0;
  auto [It, New] = TextIndices.try_emplace(*Text, Texts.size());
  if (New)
    Texts.push_back(It->first());
  Values.push_back({*Register, It->second});
  ++Calls.back().ValueCount;
  return Needed;
}

void CallValueReader::finishUnit(function_ref<StringRef(uint64_t)> NameOf) {
  for (Call &C : MutableArrayRef(Calls).drop_front(FirstOfUnit)) {
    if (C.Kind != ByDIE)
      continue;
    auto Found = FunctionsOfUnit.find(C.Callee);
    if (Found != FunctionsOfUnit.end()) {
      C.Kind = Found->second ? ByEntry : Unknown;
      C.Callee = Found->second.value_or(0);
      continue;
    }
    StringRef Name = C.ValueCount ? NameOf(C.Callee) : StringRef();
    C.Kind = Name.empty() ? Unknown : ByName;
    C.Callee = xxh3_64bits(Name);
  }
  erase_if(Calls, [](const Call &C) {
    return C.Kind == Unknown || C.ValueCount == 0;
  });
  FirstOfUnit = Calls.size();
  FunctionsOfUnit.clear();
}

/// Finds the entry of the called function.
void CallValueReader::resolve(Call &C) {
  if (C.Kind != ByName)
    return;
  auto Found = Named.find(C.Callee);
  bool IsKnown = Found != Named.end() && Found->second;
  C.Kind = IsKnown ? ByEntry : Unknown;
  C.Callee = IsKnown ? *Found->second : 0;
}

void CallValueReader::finish() {
  llvm::sort(Calls, [](const Call &A, const Call &B) {
    return std::tie(A.ReturnAddress, A.FirstValue) <
           std::tie(B.ReturnAddress, B.FirstValue);
  });
  std::optional<uint64_t> Last;
  SmallVector<CallValue, 8> Kept;
  for (Call &C : Calls) {
    resolve(C);
    auto Found = Dependences.find(C.Callee);
    uint64_t Registers = C.Kind == ByPointer ? UINT64_MAX
                         : C.Kind == ByEntry && Found != Dependences.end()
                             ? Found->second
                             : 0;
    Kept.clear();
    for (const Value &V : ArrayRef(Values).slice(C.FirstValue, C.ValueCount))
      if (Registers >> V.Register & 1)
        Kept.push_back({V.Register, Builder.expression(Texts[V.Text])});
    if (Kept.empty() || C.ReturnAddress == Last)
      continue;
    Last = C.ReturnAddress;
    Builder.addCall(C.ReturnAddress,
                    C.Kind == ByEntry ? std::optional(C.Callee) : std::nullopt,
                    Kept);
  }
}

} // namespace lidia
