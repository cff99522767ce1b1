//===- CallFrameProgram.cpp - Runs call frame instructions ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFrameProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lidia;
using namespace lidia::dwarf;
using namespace llvm;
using namespace llvm::dwarf;

using Kind = RegisterRule::Kind;

/// Compilers do not nest deeper than two.
static constexpr size_t MaxRemembered = 32;

/// Expressions of compilers have fewer than forty bytes. The limit is needed
/// because each row is written with all of its expressions.
static constexpr size_t MaxOfExpression = 256;

/// Instructions that LLVM's headers do not have.
static constexpr uint8_t NegateRAStateWithPC = 0x2c;
static constexpr uint8_t NegativeOffsetExtended = 0x2f;

bool CallFrameProgram::runInitial(uint64_t Begin, uint64_t End) {
  Cursor C(Section.Bytes, Section.IsLittleEndian, Begin);
  C.limit(End);
  while (!C.bad() && !C.atEnd())
    if (step(C) != Step::Rules)
      return false;
  return !C.bad();
}

bool CallFrameProgram::run(uint64_t Begin, uint64_t End, uint64_t First,
                           uint64_t Last, const UnwindRules &InitialRules,
                           CallFrames::VisitRow Visit) {
  Initial = &InitialRules;
  Location = First;
  Cursor C(Section.Bytes, Section.IsLittleEndian, Begin);
  C.limit(End);
  uint64_t RowBegin = First;
  while (!C.bad() && !C.atEnd()) {
    Step S = step(C);
    if (S == Step::Broken || C.bad())
      return false;
    if (S == Step::Rules || Location == RowBegin)
      continue;
    if (Location < RowBegin)
      return false;
    if (Location >= Last)
      break;
    if (!Visit(RowBegin, Location, Rules))
      return true;
    RowBegin = Location;
  }
  Visit(RowBegin, Last, Rules);
  return true;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

CallFrameProgram::Step CallFrameProgram::step(Cursor &C) {
  uint8_t Opcode = C.u8();
  uint8_t Operand = Opcode & 0x3f;
  switch (Opcode & 0xc0) {
  case DW_CFA_advance_loc:
    return advance(Operand);
  case DW_CFA_offset:
    return set(Operand, atCFA(C.uleb()));
  case DW_CFA_restore:
    return restore(Operand);
  default:
    return extended(C, Opcode);
  }
}

CallFrameProgram::Step CallFrameProgram::extended(Cursor &C, uint8_t Opcode) {
  switch (Opcode) {
  case DW_CFA_nop:
    return Step::Rules;
  case DW_CFA_set_loc:
    return setLocation(C);
  case DW_CFA_advance_loc1:
    return advance(C.u8());
  case DW_CFA_advance_loc2:
    return advance(C.u16());
  case DW_CFA_advance_loc4:
    return advance(C.u32());
  case DW_CFA_MIPS_advance_loc8:
    return advance(C.u64());
  case DW_CFA_remember_state:
    if (Remembered.size() == MaxRemembered)
      return Step::Broken;
    Remembered.push_back(Rules);
    return Step::Rules;
  case DW_CFA_restore_state:
    if (Remembered.empty())
      return Step::Broken;
    Rules = std::move(Remembered.back());
    Remembered.pop_back();
    return Step::Rules;
  case DW_CFA_def_cfa:
  case DW_CFA_def_cfa_sf:
  case DW_CFA_def_cfa_register:
  case DW_CFA_def_cfa_offset:
  case DW_CFA_def_cfa_offset_sf:
  case DW_CFA_def_cfa_expression:
    return definesCFA(C, Opcode);
  default:
    return registerRule(C, Opcode);
  }
}

/// DW_CFA_set_loc is not supported in .eh_frame, where the CIE gives the
/// encoding of the address, because no compiler writes it there.
CallFrameProgram::Step CallFrameProgram::setLocation(Cursor &C) {
  if (Section.IsEH)
    return Step::Broken;
  Location = C.sized(Section.AddressSize);
  return Step::Advance;
}

CallFrameProgram::Step CallFrameProgram::advance(uint64_t Delta) {
  if (!Initial)
    return Step::Broken;
  if (Delta && Factors.Code > (UINT64_MAX - Location) / Delta)
    return Step::Broken;
  Location += Delta * Factors.Code;
  return Step::Advance;
}

CallFrameProgram::Step CallFrameProgram::definesCFA(Cursor &C, uint8_t Opcode) {
  RegisterRule &CFA = Rules.CFA;
  if (Opcode == DW_CFA_def_cfa_expression) {
    std::optional<RegisterRule> Rule = cfaExpression(C);
    if (!Rule)
      return Step::Broken;
    CFA = *Rule;
    return Step::Rules;
  }
  bool HasRegister = Opcode == DW_CFA_def_cfa || Opcode == DW_CFA_def_cfa_sf ||
                     Opcode == DW_CFA_def_cfa_register;
  // An instruction that changes only the register or only the offset requires a
  // previous rule. Binutils' assemblers for RISC-V and MIPS begin with only the
  // register; the offset is then 0.
  if (Opcode != DW_CFA_def_cfa && Opcode != DW_CFA_def_cfa_sf &&
      CFA.How != Kind::IsRegister && CFA.How != Kind::Same)
    return Step::Broken;
  CFA.How = Kind::IsRegister;
  CFA.Expression = {};
  if (HasRegister) {
    uint64_t Register = C.uleb();
    if (Register > UINT16_MAX)
      return Step::Broken;
    CFA.Register = uint32_t(Register);
  }
  if (Opcode == DW_CFA_def_cfa || Opcode == DW_CFA_def_cfa_offset)
    CFA.Offset = int64_t(C.uleb());
  else if (Opcode != DW_CFA_def_cfa_register)
    CFA.Offset = int64_t(uint64_t(C.sleb()) * uint64_t(Factors.Data));
  return Step::Rules;
}

CallFrameProgram::Step CallFrameProgram::registerRule(Cursor &C,
                                                      uint8_t Opcode) {
  if (Opcode >= NegateRAStateWithPC || Opcode == 0)
    return vendor(C, Opcode);
  uint64_t Register = C.uleb();
  RegisterRule Rule;
  switch (Opcode) {
  case DW_CFA_offset_extended:
    return set(Register, atCFA(C.uleb()));
  case DW_CFA_offset_extended_sf:
    return set(Register, atCFA(C.sleb()));
  case DW_CFA_val_offset:
    return set(Register, atCFA(C.uleb(), /*IsAddress=*/false));
  case DW_CFA_val_offset_sf:
    return set(Register, atCFA(C.sleb(), /*IsAddress=*/false));
  case DW_CFA_restore_extended:
    return restore(Register);
  case DW_CFA_undefined:
    Rule.How = Kind::Undefined;
    return set(Register, Rule);
  case DW_CFA_same_value:
    return set(Register, Rule);
  case DW_CFA_register: {
    uint64_t From = C.uleb();
    if (From > UINT16_MAX)
      return Step::Broken;
    Rule.How = Kind::Register;
    Rule.Register = uint32_t(From);
    return set(Register, Rule);
  }
  case DW_CFA_expression:
  case DW_CFA_val_expression: {
    std::optional<RegisterRule> E = expression(C, Opcode == DW_CFA_expression);
    return E ? set(Register, *E) : Step::Broken;
  }
  default:
    return Step::Broken;
  }
}

CallFrameProgram::Step CallFrameProgram::vendor(Cursor &C, uint8_t Opcode) {
  switch (Opcode) {
  case NegateRAStateWithPC:
  case DW_CFA_AARCH64_negate_ra_state: // DW_CFA_GNU_window_save elsewhere.
    if (Section.Machine != ELF::EM_AARCH64)
      return Step::Broken;
    Rules.IsSigned = !Rules.IsSigned;
    return Step::Rules;
  case DW_CFA_GNU_args_size:
    // The value is only needed for throwing exceptions.
    C.uleb();
    return Step::Rules;
  case NegativeOffsetExtended: {
    uint64_t Register = C.uleb();
    return set(Register, atCFA(uint64_t(0) - C.uleb()));
  }
  default:
    return Step::Broken;
  }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

CallFrameProgram::Step CallFrameProgram::set(uint64_t Register,
                                             RegisterRule Rule) {
  if (Register > UINT16_MAX)
    return Step::Broken;
  auto *At = llvm::find_if(Rules.Registers,
                           [&](const auto &R) { return R.first >= Register; });
  if (At != Rules.Registers.end() && At->first == Register) {
    At->second = Rule;
    return Step::Rules;
  }
  if (Rules.Registers.size() == format::MaxUnwindRegisters)
    return Step::Broken;
  Rules.Registers.insert(At, {uint32_t(Register), Rule});
  return Step::Rules;
}

CallFrameProgram::Step CallFrameProgram::restore(uint64_t Register) {
  if (!Initial)
    return Step::Broken;
  if (const RegisterRule *Rule = Initial->find(uint32_t(Register)))
    return set(Register, *Rule);
  llvm::erase_if(Rules.Registers,
                 [&](const auto &R) { return R.first == Register; });
  return Step::Rules;
}

RegisterRule CallFrameProgram::atCFA(uint64_t Factored, bool IsAddress) const {
  RegisterRule Rule;
  Rule.How = IsAddress ? Kind::AtCFA : Kind::IsCFA;
  Rule.Offset = int64_t(Factored * uint64_t(Factors.Data));
  return Rule;
}

RegisterRule CallFrameProgram::atCFA(int64_t Factored, bool IsAddress) const {
  return atCFA(uint64_t(Factored), IsAddress);
}

/// If \p Bytes begin with a DW_OP_bregN, returns its register and offset as a
/// rule, and removes it from \p Bytes.
static std::optional<RegisterRule> baseRegister(StringRef &Bytes) {
  Cursor C(Bytes, /*LittleEndian=*/true);
  uint8_t Opcode = C.u8();
  RegisterRule Rule;
  Rule.How = Kind::IsRegister;
  uint64_t Register = Opcode - DW_OP_breg0;
  if (Opcode == DW_OP_bregx)
    Register = C.uleb();
  else if (Opcode < DW_OP_breg0 || Opcode > DW_OP_breg31)
    return std::nullopt;
  Rule.Offset = C.sleb();
  if (C.bad() || Register > UINT16_MAX)
    return std::nullopt;
  Rule.Register = uint32_t(Register);
  Bytes = Bytes.drop_front(C.offset());
  return Rule;
}

/// Most expressions are a register and an offset, which is a rule of its own.
std::optional<RegisterRule> CallFrameProgram::expression(Cursor &C,
                                                         bool IsAddress) const {
  StringRef Bytes = C.bytes(C.uleb());
  if (C.bad() || Bytes.empty() || Bytes.size() > MaxOfExpression)
    return std::nullopt;
  StringRef Left = Bytes;
  std::optional<RegisterRule> Rule = baseRegister(Left);
  if (Rule && Left.empty()) {
    if (IsAddress)
      Rule->How = Kind::AtRegister;
    return Rule;
  }
  Rule = RegisterRule();
  Rule->How = IsAddress ? Kind::AtExpression : Kind::IsExpression;
  Rule->Expression = arrayRefFromStringRef(Bytes);
  return Rule;
}

std::optional<RegisterRule> CallFrameProgram::cfaExpression(Cursor &C) const {
  StringRef Bytes = C.bytes(C.uleb());
  if (C.bad() || Bytes.empty() || Bytes.size() > MaxOfExpression)
    return std::nullopt;
  StringRef Left = Bytes;
  std::optional<RegisterRule> Rule = baseRegister(Left);
  if (Rule && Left.empty())
    return Rule;
  // GCC writes this in functions that align the stack.
  if (Rule && Left.size() == 1 && uint8_t(Left.front()) == DW_OP_deref) {
    Rule->How = Kind::AtRegister;
    return Rule;
  }
  Rule = RegisterRule();
  Rule->How = Kind::IsExpression;
  Rule->Expression = arrayRefFromStringRef(Bytes);
  return Rule;
}
