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

/// Stands for registers with consecutive numbers that are saved at consecutive
/// addresses.
static constexpr uint8_t RunKind = 9;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

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

/// The number of registers from \p Index on that are saved at consecutive
/// addresses.
static size_t runLength(const UnwindRules &Rules, size_t Index, uint8_t Word) {
  auto IsSaved = [&](size_t I) {
    return Rules.Registers[I].second.How == Kind::AtCFA;
  };
  size_t I = Index;
  while (I + 1 < Rules.Registers.size() && IsSaved(I) && IsSaved(I + 1) &&
         Rules.Registers[I + 1].first == Rules.Registers[I].first + 1 &&
         Rules.Registers[I + 1].second.Offset ==
             Rules.Registers[I].second.Offset + Word)
    ++I;
  return I - Index + 1;
}

static void appendRegisters(std::string &Out, const UnwindRules &Rules,
                            uint8_t Word) {
  uint32_t LastRegister = 0;
  int64_t LastOffset = 0;
  for (size_t I = 0; I < Rules.Registers.size();) {
    const auto &[Register, Rule] = Rules.Registers[I];
    size_t Length = runLength(Rules, I, Word);
    uint8_t How = Length > 1 ? RunKind : uint8_t(Rule.How);
    appendULEB(Out, uint64_t(Register - LastRegister) << KindBits | How);
    if (Rule.How != Kind::AtCFA) {
      appendOperands(Out, Rule);
    } else {
      appendSLEB(Out, Rule.Offset - LastOffset);
      LastOffset = Rules.Registers[I + Length - 1].second.Offset;
    }
    if (Length > 1)
      appendULEB(Out, Length - 2);
    I += Length;
    LastRegister = Rules.Registers[I - 1].first;
  }
}

void lidia::encodeRules(const UnwindRules &Rules,
                        const UnwindRuleDefaults &Defaults, std::string &Out) {
  bool IsPlainCFA = Rules.CFA.How == Kind::IsRegister;
  uint8_t Flags = 0;
  if (Rules.IsSignalFrame)
    Flags |= UF_SignalFrame;
  if (Rules.IsSigned)
    Flags |= UF_Signed;
  if (Rules.HoldAtCallsOnly)
    Flags |= UF_AtCallsOnly;
  if (Rules.IsFaultFrame)
    Flags |= UF_FaultFrame;
  if (!IsPlainCFA)
    Flags |= UF_OtherCFA;
  if (Rules.ReturnAddress != Defaults.ReturnAddress)
    Flags |= UF_ReturnAddress;
  Out.assign(1, char(Flags));
  if (Flags & UF_ReturnAddress)
    appendULEB(Out, Rules.ReturnAddress);
  if (!IsPlainCFA)
    Out += char(Rules.CFA.How);
  appendOperands(Out, Rules.CFA);
  appendRegisters(Out, Rules, Defaults.Word);
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

/// Whether the rule of a CFA can be of this kind.
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

namespace {
/// Decodes the rules of registers from the front of some bytes.
class RegisterReader {
public:
  RegisterReader(StringRef Bytes, uint8_t Word, UnwindRules &Into)
      : Bytes(Bytes), Word(Word), Into(Into) {}

  /// Returns false if the bytes are invalid.
  bool run() {
    while (!Bytes.empty())
      if (!takeNext())
        return false;
    return true;
  }

private:
  bool takeNext();
  bool takeSaved(uint64_t Register, uint64_t Count);
  bool add(uint64_t Register, const RegisterRule &Rule);

  StringRef Bytes;
  const uint8_t Word;
  UnwindRules &Into;
  uint64_t LastRegister = 0;
  int64_t LastOffset = 0;
};
} // namespace

bool RegisterReader::add(uint64_t Register, const RegisterRule &Rule) {
  auto &Known = Into.Registers;
  if (Register > UINT32_MAX || Known.size() == MaxUnwindRegisters ||
      (!Known.empty() && Known.back().first >= Register))
    return false;
  Known.push_back({uint32_t(Register), Rule});
  LastRegister = Register;
  return true;
}

bool RegisterReader::takeSaved(uint64_t Register, uint64_t Count) {
  int64_t Step;
  if (!takeOffset(Bytes, Step))
    return false;
  if (Count > 1) {
    std::optional<uint64_t> More = takeULEB(Bytes);
    if (!More || *More > MaxUnwindRegisters)
      return false;
    Count += *More;
  }
  RegisterRule Rule;
  Rule.How = Kind::AtCFA;
  Rule.Offset = int64_t(uint64_t(LastOffset) + uint64_t(Step));
  for (uint64_t I = 0; I != Count; ++I) {
    if (!add(Register + I, Rule))
      return false;
    LastOffset = Rule.Offset;
    Rule.Offset = int64_t(uint64_t(Rule.Offset) + Word);
  }
  return true;
}

bool RegisterReader::takeNext() {
  std::optional<uint64_t> Head = takeULEB(Bytes);
  if (!Head || *Head >> KindBits > UINT32_MAX)
    return false;
  uint64_t Register = LastRegister + (*Head >> KindBits);
  uint8_t How = *Head & ((1 << KindBits) - 1);
  if (How == RunKind || Kind(How) == Kind::AtCFA)
    return takeSaved(Register, How == RunKind ? 2 : 1);
  RegisterRule Rule;
  Rule.How = Kind(How);
  return takeOperands(Bytes, Rule) && add(Register, Rule);
}

std::optional<UnwindRules>
lidia::decodeRules(StringRef Bytes, const UnwindRuleDefaults &Defaults) {
  if (Bytes.empty())
    return std::nullopt;
  uint8_t Flags = Bytes.front();
  Bytes = Bytes.drop_front();
  UnwindRules R;
  R.IsSignalFrame = Flags & UF_SignalFrame;
  R.IsSigned = Flags & UF_Signed;
  R.HoldAtCallsOnly = Flags & UF_AtCallsOnly;
  R.IsFaultFrame = Flags & UF_FaultFrame;
  R.ReturnAddress = Defaults.ReturnAddress;
  if (Flags & UF_ReturnAddress && !takeRegister(Bytes, R.ReturnAddress))
    return std::nullopt;
  if (!takeCFA(Bytes, Flags & UF_OtherCFA, R.CFA) ||
      !RegisterReader(Bytes, Defaults.Word, R).run())
    return std::nullopt;
  return R;
}
