//===- UnwindText.cpp - Unwind rules as text ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/UnwindText.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace llvm;

using Kind = RegisterRule::Kind;

static std::string registerName(const UnwindMachine *Machine, uint32_t Number) {
  return Machine ? Machine->registerName(Number) : "r" + std::to_string(Number);
}

static std::string sum(const Twine &Base, int64_t Offset) {
  if (Offset == 0)
    return Base.str();
  return (Base + (Offset < 0 ? "" : "+") + Twine(Offset)).str();
}

std::string lidia::unwindRuleText(const RegisterRule &R,
                                  const UnwindMachine *Machine) {
  switch (R.How) {
  case Kind::Undefined:
    return "undefined";
  case Kind::Same:
    return "same";
  case Kind::AtCFA:
    return "[" + sum("CFA", R.Offset) + "]";
  case Kind::IsCFA:
    return sum("CFA", R.Offset);
  case Kind::Register:
    return registerName(Machine, R.Register);
  case Kind::AtExpression:
    return "[expression " + toHex(R.Expression, /*LowerCase=*/true) + "]";
  case Kind::IsExpression:
    return "expression " + toHex(R.Expression, /*LowerCase=*/true);
  case Kind::AtRegister:
    return "[" + sum(registerName(Machine, R.Register), R.Offset) + "]";
  case Kind::IsRegister:
    return sum(registerName(Machine, R.Register), R.Offset);
  }
  return "?";
}

void lidia::printUnwindRules(raw_ostream &OS, const UnwindRules &Rules,
                             const UnwindMachine *Machine) {
  OS << "CFA=" << unwindRuleText(Rules.CFA, Machine);
  for (const auto &[Number, Rule] : Rules.Registers)
    OS << ' ' << registerName(Machine, Number) << '='
       << unwindRuleText(Rule, Machine);
  if (!Rules.find(Rules.ReturnAddress))
    OS << " returns to " << registerName(Machine, Rules.ReturnAddress);
  if (Rules.IsSigned)
    OS << " signed";
  if (Rules.IsSignalFrame)
    OS << " signal frame";
  if (Rules.HoldAtCallsOnly)
    OS << " at calls";
  if (Rules.IsFaultFrame)
    OS << " fault frame";
}
