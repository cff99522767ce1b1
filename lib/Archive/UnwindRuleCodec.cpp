//===- UnwindRuleCodec.cpp - Unwind rules as bytes ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnwindRuleCodec.h"
#include "StatementCodec.h"
#include "llvm/ADT/StringExtras.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

using Kind = RegisterRule::Kind;

/// The bits of a register's number that hold the kind of its rule.
static constexpr unsigned KindBits = 4;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void appendSLEB(std::string &Out, int64_t Value) {
  uint8_t Buffer[10];
  Out.append(reinterpret_cast<char *>(Buffer), encodeSLEB128(Value, Buffer));
}

static void appendOperands(std::string &Out, const RegisterRule &R) {
  switch (R.How) {
  case Kind::Undefined:
  case Kind::Same:
    return;
  case Kind::AtCFA:
  case Kind::IsCFA:
    return appendSLEB(Out, R.Offset);
  case Kind::Register:
    return appendULEB(Out, R.Register);
  case Kind::AtExpression:
  case Kind::IsExpression:
    appendULEB(Out, R.Expression.size());
    Out += toStringRef(R.Expression);
    return;
  case Kind::AtRegister:
  case Kind::IsRegister:
    appendULEB(Out, R.Register);
    return appendSLEB(Out, R.Offset);
  }
}

void lidia::encodeRules(const UnwindRules &Rules, uint32_t ReturnAddress,
                        std::string &Out) {
  bool IsPlainCFA = Rules.CFA.How == Kind::IsRegister;
  uint8_t Flags = 0;
  if (Rules.IsSignalFrame)
    Flags |= UF_SignalFrame;
  if (Rules.IsSigned)
    Flags |= UF_Signed;
  if (!IsPlainCFA)
    Flags |= UF_OtherCFA;
  if (Rules.ReturnAddress != ReturnAddress)
    Flags |= UF_ReturnAddress;
  Out.assign(1, char(Flags));
  if (Flags & UF_ReturnAddress)
    appendULEB(Out, Rules.ReturnAddress);
  if (!IsPlainCFA)
    Out += char(Rules.CFA.How);
  appendOperands(Out, Rules.CFA);
  for (const auto &[Register, Rule] : Rules.Registers) {
    appendULEB(Out, uint64_t(Register) << KindBits | uint8_t(Rule.How));
    appendOperands(Out, Rule);
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool takeRegister(StringRef &Bytes, uint32_t &Register) {
  std::optional<uint64_t> Number = takeULEB(Bytes);
  if (!Number || *Number > UINT32_MAX)
    return false;
  Register = uint32_t(*Number);
  return true;
}

static bool takeOffset(StringRef &Bytes, int64_t &Offset) {
  std::optional<int64_t> Value = takeSLEB(Bytes);
  Offset = Value.value_or(0);
  return Value.has_value();
}

static bool takeExpression(StringRef &Bytes, ArrayRef<uint8_t> &Expression) {
  std::optional<uint64_t> Size = takeULEB(Bytes);
  if (!Size || *Size > Bytes.size())
    return false;
  Expression = arrayRefFromStringRef(Bytes.take_front(*Size));
  Bytes = Bytes.drop_front(*Size);
  return true;
}

static bool takeOperands(StringRef &Bytes, RegisterRule &R) {
  switch (R.How) {
  case Kind::Undefined:
  case Kind::Same:
    return true;
  case Kind::AtCFA:
  case Kind::IsCFA:
    return takeOffset(Bytes, R.Offset);
  case Kind::Register:
    return takeRegister(Bytes, R.Register);
  case Kind::AtExpression:
  case Kind::IsExpression:
    return takeExpression(Bytes, R.Expression);
  case Kind::AtRegister:
  case Kind::IsRegister:
    return takeRegister(Bytes, R.Register) && takeOffset(Bytes, R.Offset);
  }
  return false;
}

/// Whether a CFA can be of this kind.
static bool givesCFA(Kind K) {
  return K == Kind::IsRegister || K == Kind::AtRegister ||
         K == Kind::IsExpression;
}

static bool takeCFA(StringRef &Bytes, bool IsOther, RegisterRule &CFA) {
  CFA.How = Kind::IsRegister;
  if (IsOther) {
    if (Bytes.empty())
      return false;
    CFA.How = Kind(Bytes.front());
    Bytes = Bytes.drop_front();
  }
  return givesCFA(CFA.How) && takeOperands(Bytes, CFA);
}

std::optional<UnwindRules> lidia::decodeRules(StringRef Bytes,
                                              uint32_t ReturnAddress) {
  if (Bytes.empty())
    return std::nullopt;
  uint8_t Flags = Bytes.front();
  Bytes = Bytes.drop_front();
  UnwindRules R;
  R.IsSignalFrame = Flags & UF_SignalFrame;
  R.IsSigned = Flags & UF_Signed;
  R.ReturnAddress = ReturnAddress;
  if (Flags & UF_ReturnAddress && !takeRegister(Bytes, R.ReturnAddress))
    return std::nullopt;
  if (!takeCFA(Bytes, Flags & UF_OtherCFA, R.CFA))
    return std::nullopt;
  while (!Bytes.empty()) {
    std::optional<uint64_t> Head = takeULEB(Bytes);
    if (!Head || *Head >> KindBits > UINT32_MAX ||
        R.Registers.size() == MaxUnwindRegisters)
      return std::nullopt;
    uint32_t Register = uint32_t(*Head >> KindBits);
    RegisterRule Rule;
    Rule.How = Kind(*Head & ((1 << KindBits) - 1));
    if (!takeOperands(Bytes, Rule) ||
        (!R.Registers.empty() && R.Registers.back().first >= Register))
      return std::nullopt;
    R.Registers.push_back({Register, Rule});
  }
  return R;
}
