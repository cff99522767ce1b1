//===- CFIExpression.cpp - The expressions of STACK CFI records -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CFIExpression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;

namespace lidia {

CFIRegisters::CFIRegisters(const UnwindMachine &Machine) {
  for (uint32_t Number = 0; Number != RegisterSet::Count; ++Number)
    Numbers.try_emplace(Machine.registerName(Number), Number);
  if (Machine.ELFMachine == ELF::EM_AARCH64)
    for (auto [Name, Number] : {std::pair("fp", 29), std::pair("lr", 30)})
      Numbers[Name] = Number;
  if (Machine.ELFMachine == ELF::EM_ARM)
    for (auto [Name, Number] : {std::pair("fp", 11), std::pair("r13", 13),
                                std::pair("r14", 14), std::pair("r15", 15)})
      Numbers[Name] = Number;
}

std::optional<uint32_t> CFIRegisters::find(StringRef Name) const {
  Name.consume_front("$");
  auto Found = Numbers.find(Name);
  if (Found == Numbers.end())
    return std::nullopt;
  return Found->second;
}

static void appendSLEB128(SmallVectorImpl<uint8_t> &To, int64_t Value) {
  uint8_t Bytes[10];
  To.append(Bytes, Bytes + encodeSLEB128(Value, Bytes));
}

/// Converts \p T to a term that Expression computes. DWARF has the CFA only at
/// the bottom of the stack.
bool CFIValue::toExpression(Term &T) {
  using Kind = Term::Kind;
  switch (T.Type) {
  case Kind::Other:
    return true;
  case Kind::CFA:
    return false;
  case Kind::Constant:
    T.Expression.push_back(llvm::dwarf::DW_OP_consts);
    break;
  case Kind::Register:
    if (T.Register > 31)
      return false;
    T.Expression.push_back(uint8_t(llvm::dwarf::DW_OP_breg0 + T.Register));
    break;
  }
  appendSLEB128(T.Expression, T.Offset);
  if (T.IsInMemory)
    T.Expression.push_back(llvm::dwarf::DW_OP_deref);
  T.Type = Kind::Other;
  return true;
}

/// The DWARF operations for an operator with two operands.
static ArrayRef<uint8_t> operationsOf(char Operator) {
  static const uint8_t Plus[] = {llvm::dwarf::DW_OP_plus};
  static const uint8_t Minus[] = {llvm::dwarf::DW_OP_minus};
  static const uint8_t Times[] = {llvm::dwarf::DW_OP_mul};
  // "@" rounds down to a multiple of a power of two.
  static const uint8_t Align[] = {
      llvm::dwarf::DW_OP_lit1, llvm::dwarf::DW_OP_minus, llvm::dwarf::DW_OP_not,
      llvm::dwarf::DW_OP_and};
  switch (Operator) {
  case '+':
    return Plus;
  case '-':
    return Minus;
  case '*':
    return Times;
  case '@':
    return Align;
  default:
    return {};
  }
}

/// Replaces the operands on \p Stack with the result of \p Operator.
bool CFIValue::combine(char Operator, SmallVectorImpl<Term> &Stack) {
  using Kind = Term::Kind;
  if (Operator == '^') {
    if (Stack.empty())
      return false;
    Term &T = Stack.back();
    if ((T.Type == Kind::CFA || T.Type == Kind::Register) && !T.IsInMemory) {
      T.IsInMemory = true;
      return true;
    }
    if (!toExpression(T))
      return false;
    T.Expression.push_back(llvm::dwarf::DW_OP_deref);
    return true;
  }
  ArrayRef<uint8_t> Operations = operationsOf(Operator);
  if (Stack.size() < 2 || Operations.empty())
    return false;
  Term Right = Stack.pop_back_val();
  Term &Left = Stack.back();
  bool IsSum = Operator == '+' || Operator == '-';
  if (IsSum && Right.Type == Kind::Constant && Left.Type != Kind::Other &&
      !Left.IsInMemory) {
    uint64_t Added =
        Operator == '+' ? uint64_t(Right.Offset) : 0 - uint64_t(Right.Offset);
    Left.Offset = int64_t(uint64_t(Left.Offset) + Added);
    return true;
  }
  // Endlessly nested expressions would be copied at each level.
  constexpr size_t Max = 256;
  if (!toExpression(Left) || !toExpression(Right) ||
      Left.Expression.size() + Right.Expression.size() > Max)
    return false;
  Left.Expression.append(Right.Expression);
  Left.Expression.append(Operations.begin(), Operations.end());
  return true;
}

bool CFIValue::parse(StringRef Text, const CFIRegisters &Registers,
                     bool HasCFA) {
  SmallVector<Term, 4> Stack;
  constexpr size_t MaxTerms = 64;
  for (StringRef Token : split(Text, ' ')) {
    if (Token.empty())
      continue;
    if (Token.size() == 1 && StringRef("^+-*@").contains(Token.front())) {
      if (!combine(Token.front(), Stack))
        return false;
      continue;
    }
    Term T;
    if (Token == ".cfa" && HasCFA) {
      T.Type = Term::Kind::CFA;
    } else if (std::optional<uint32_t> Number = Registers.find(Token)) {
      T.Type = Term::Kind::Register;
      T.Register = *Number;
    } else if (Token.getAsInteger(10, T.Offset)) {
      return false;
    }
    if (Stack.size() == MaxTerms)
      return false;
    Stack.push_back(std::move(T));
  }
  if (Stack.size() != 1)
    return false;
  Result = std::move(Stack.front());
  return true;
}

bool CFIValue::isCFA(RegisterRule &Rule) const {
  using Kind = RegisterRule::Kind;
  switch (Result.Type) {
  case Term::Kind::Register:
    Rule.How = Result.IsInMemory ? Kind::AtRegister : Kind::IsRegister;
    Rule.Register = Result.Register;
    Rule.Offset = Result.Offset;
    return true;
  case Term::Kind::Other:
    Rule.How = Kind::IsExpression;
    Rule.Expression = Result.Expression;
    return true;
  case Term::Kind::CFA:
  case Term::Kind::Constant:
    return false;
  }
  llvm_unreachable("no other kind");
}

bool CFIValue::isRegister(uint32_t Register, RegisterRule &Rule) const {
  using Kind = RegisterRule::Kind;
  switch (Result.Type) {
  case Term::Kind::CFA:
    Rule.How = Result.IsInMemory ? Kind::AtCFA : Kind::IsCFA;
    Rule.Offset = Result.Offset;
    return true;
  case Term::Kind::Constant:
    // A return address of zero ends the stack.
    return Result.Offset == 0;
  case Term::Kind::Register:
    if (Result.IsInMemory || Result.Offset != 0)
      return isCFA(Rule);
    Rule.How = Result.Register == Register ? Kind::Same : Kind::Register;
    Rule.Register = Result.Register == Register ? 0 : Result.Register;
    return true;
  case Term::Kind::Other:
    Rule.How = Kind::IsExpression;
    Rule.Expression = Result.Expression;
    return true;
  }
  llvm_unreachable("no other kind");
}

} // namespace lidia
