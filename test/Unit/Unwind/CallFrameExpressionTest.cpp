//===- CallFrameExpressionTest.cpp - Operations, one by one ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unwind/CallFrameExpression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "gtest/gtest.h"

using namespace lidia;
using namespace llvm;
using namespace llvm::dwarf;

namespace {

constexpr uint64_t Minus1 = UINT64_MAX, Minus2 = UINT64_MAX - 1;
constexpr uint64_t Lowest = uint64_t(1) << 63;

using Bytes = std::vector<unsigned>;

const UnwindMachine &x64() {
  return *UnwindMachine::find(ELF::EM_X86_64, 8, true);
}

/// The result with registers that hold 0x1000 times their number; register 9 is
/// unknown. A word of memory holds its address plus 0x8877665500000000.
std::optional<uint64_t> valueOf(const Bytes &Expression,
                                std::optional<uint64_t> First = std::nullopt,
                                const UnwindMachine &Machine = x64(),
                                unsigned MaxOperations = 100) {
  RegisterSet Registers;
  for (unsigned R = 0; R != 40; ++R)
    if (R != 9 && R != Machine.RA)
      Registers.set(R, 0x1000 * R);
  Registers.PC = 0x123456;
  std::vector<uint8_t> Text(Expression.begin(), Expression.end());
  return evaluateCallFrameExpression(
      Text, First, Machine, Registers, MaxOperations,
      [](uint64_t Address) -> std::optional<uint64_t> {
        if (Address >= 0x100000)
          return std::nullopt;
        return Address + 0x8877'6655'0000'0000;
      });
}

void append(Bytes &To, const Bytes &More) {
  To.insert(To.end(), More.begin(), More.end());
}

Bytes pushing(uint64_t Value) {
  Bytes Text = {DW_OP_const8u};
  for (unsigned I = 0; I != 8; ++I)
    Text.push_back(uint8_t(Value >> 8 * I));
  return Text;
}

std::optional<uint64_t> valueOf(unsigned Opcode, uint64_t A, uint64_t B,
                                const UnwindMachine &Machine = x64()) {
  Bytes Text = pushing(A);
  append(Text, pushing(B));
  Text.push_back(Opcode);
  return valueOf(Text, std::nullopt, Machine);
}

using Value = std::optional<uint64_t>;

} // namespace

TEST(CallFrameExpressionTest, PushesConstants) {
  EXPECT_EQ(valueOf({DW_OP_lit0}), Value(0));
  EXPECT_EQ(valueOf({DW_OP_lit31}), Value(31));
  EXPECT_EQ(valueOf({DW_OP_addr, 1, 2, 3, 4, 5, 6, 7, 0x88}),
            Value(0x8807060504030201));
  EXPECT_EQ(valueOf({DW_OP_const1u, 0xfe}), Value(0xfe));
  EXPECT_EQ(valueOf({DW_OP_const1s, 0xfe}), Value(Minus2));
  EXPECT_EQ(valueOf({DW_OP_const2u, 0xfe, 0xff}), Value(0xfffe));
  EXPECT_EQ(valueOf({DW_OP_const2s, 0xfe, 0xff}), Value(Minus2));
  EXPECT_EQ(valueOf({DW_OP_const4u, 0xfe, 0xff, 0xff, 0xff}),
            Value(0xfffffffe));
  EXPECT_EQ(valueOf({DW_OP_const4s, 0xfe, 0xff, 0xff, 0xff}), Value(Minus2));
  for (unsigned Opcode : {DW_OP_const8u, DW_OP_const8s})
    EXPECT_EQ(valueOf({Opcode, 1, 2, 3, 4, 5, 6, 7, 0x88}),
              Value(0x8807060504030201));
  EXPECT_EQ(valueOf({DW_OP_constu, 0xfe, 0x01}), Value(0xfe));
  EXPECT_EQ(valueOf({DW_OP_consts, 0x7e}), Value(Minus2));
}

TEST(CallFrameExpressionTest, PushesRegisters) {
  EXPECT_EQ(valueOf({DW_OP_breg0, 5}), Value(5));
  EXPECT_EQ(valueOf({DW_OP_breg7, 0x7f}), Value(0x6fff));
  EXPECT_EQ(valueOf({DW_OP_breg31, 1}), Value(0x1f001));
  EXPECT_EQ(valueOf({DW_OP_bregx, 33, 2}), Value(0x21002));
  EXPECT_EQ(valueOf({DW_OP_breg9, 0}), Value());
  EXPECT_EQ(valueOf({DW_OP_bregx, 70, 0}), Value());
  // The column of the return address stands for the program counter, but only
  // where it is no register.
  EXPECT_EQ(valueOf({DW_OP_breg16, 1}), Value(0x123457));
  EXPECT_EQ(valueOf({DW_OP_breg30, 1}, std::nullopt,
                    *UnwindMachine::find(ELF::EM_AARCH64, 8, true)),
            Value());
}

TEST(CallFrameExpressionTest, RearrangesTheStack) {
  EXPECT_EQ(valueOf({}, 77), Value(77));
  EXPECT_EQ(valueOf({}), Value());
  EXPECT_EQ(valueOf({DW_OP_nop}, 77), Value(77));
  const Bytes Three = {DW_OP_lit1, DW_OP_lit2, DW_OP_lit4};
  auto After = [&](const Bytes &Operations) {
    Bytes Text = Three;
    append(Text, Operations);
    return valueOf(Text);
  };
  EXPECT_EQ(After({}), Value(4));
  EXPECT_EQ(After({DW_OP_dup, DW_OP_plus, DW_OP_plus}), Value(10));
  EXPECT_EQ(After({DW_OP_over}), Value(2));
  EXPECT_EQ(After({DW_OP_pick, 0}), Value(4));
  EXPECT_EQ(After({DW_OP_pick, 2}), Value(1));
  EXPECT_EQ(After({DW_OP_pick, 3}), Value());
  EXPECT_EQ(After({DW_OP_drop}), Value(2));
  EXPECT_EQ(After({DW_OP_drop, DW_OP_drop, DW_OP_drop}), Value());
  EXPECT_EQ(After({DW_OP_drop, DW_OP_drop, DW_OP_drop, DW_OP_drop, DW_OP_lit1}),
            Value());
  EXPECT_EQ(After({DW_OP_swap}), Value(2));
  EXPECT_EQ(After({DW_OP_swap, DW_OP_drop}), Value(4));
  // The first becomes the third.
  EXPECT_EQ(After({DW_OP_rot}), Value(2));
  EXPECT_EQ(After({DW_OP_rot, DW_OP_drop}), Value(1));
  EXPECT_EQ(After({DW_OP_rot, DW_OP_drop, DW_OP_drop}), Value(4));
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_lit2, DW_OP_rot, DW_OP_lit1}), Value());
}

TEST(CallFrameExpressionTest, ReadsMemory) {
  EXPECT_EQ(valueOf({DW_OP_breg1, 4, DW_OP_deref}), Value(0x8877665500001004));
  EXPECT_EQ(valueOf({DW_OP_const4u, 0, 0, 0x10, 0, DW_OP_deref}), Value());
  auto Deref = [](unsigned Size, const UnwindMachine &Machine = x64()) {
    return valueOf({DW_OP_breg4, 4, DW_OP_deref_size, Size}, std::nullopt,
                   Machine);
  };
  EXPECT_EQ(Deref(1), Value(0x04));
  EXPECT_EQ(Deref(2), Value(0x4004));
  EXPECT_EQ(Deref(4), Value(0x4004));
  EXPECT_EQ(Deref(5), Value(0x5500004004));
  EXPECT_EQ(Deref(8), Value(0x8877665500004004));
  EXPECT_EQ(Deref(0), Value());
  EXPECT_EQ(Deref(9), Value());
  const UnwindMachine &S390 = *UnwindMachine::find(ELF::EM_S390, 8, false);
  EXPECT_EQ(Deref(1, S390), Value(0x88));
  EXPECT_EQ(Deref(2, S390), Value(0x8877));
  EXPECT_EQ(Deref(8, S390), Value(0x8877665500004004));
  EXPECT_EQ(Deref(8, *UnwindMachine::find(ELF::EM_386, 4, true)), Value());
}

TEST(CallFrameExpressionTest, ComputesOneValue) {
  EXPECT_EQ(valueOf({DW_OP_const1s, 0xfe, DW_OP_abs}), Value(2));
  EXPECT_EQ(valueOf({DW_OP_lit2, DW_OP_abs}), Value(2));
  EXPECT_EQ(valueOf({DW_OP_lit0, DW_OP_abs}), Value(0));
  EXPECT_EQ(valueOf({DW_OP_lit2, DW_OP_neg}), Value(Minus2));
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_not}), Value(Minus2));
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_plus_uconst, 0x81, 0x01}), Value(130));
  EXPECT_EQ(valueOf({DW_OP_neg, DW_OP_lit1}), Value());
}

TEST(CallFrameExpressionTest, ComputesWithTwoValues) {
  EXPECT_EQ(valueOf(DW_OP_and, 12, 10), Value(8));
  EXPECT_EQ(valueOf(DW_OP_or, 12, 10), Value(14));
  EXPECT_EQ(valueOf(DW_OP_xor, 12, 10), Value(6));
  EXPECT_EQ(valueOf(DW_OP_plus, 12, Minus2), Value(10));
  EXPECT_EQ(valueOf(DW_OP_minus, 10, 12), Value(Minus2));
  EXPECT_EQ(valueOf(DW_OP_mul, Minus2, 3), Value(uint64_t(-6)));
  // Division is signed, the remainder is not.
  EXPECT_EQ(valueOf(DW_OP_div, uint64_t(-7), 2), Value(uint64_t(-3)));
  EXPECT_EQ(valueOf(DW_OP_mod, uint64_t(-7), 4), Value(1));
  EXPECT_EQ(valueOf(DW_OP_div, 1, 0), Value());
  EXPECT_EQ(valueOf(DW_OP_mod, 1, 0), Value());
  EXPECT_EQ(valueOf(DW_OP_div, Lowest, Minus1), Value());
  EXPECT_EQ(valueOf(DW_OP_div, Lowest + 1, Minus1), Value(Lowest - 1));
  EXPECT_EQ(valueOf(DW_OP_shl, 3, 63), Value(Lowest));
  EXPECT_EQ(valueOf(DW_OP_shl, 3, 64), Value(0));
  EXPECT_EQ(valueOf(DW_OP_shr, Lowest, 63), Value(1));
  EXPECT_EQ(valueOf(DW_OP_shr, Lowest, 64), Value(0));
  EXPECT_EQ(valueOf(DW_OP_shra, Lowest, 62), Value(Minus2));
  EXPECT_EQ(valueOf(DW_OP_shra, Lowest, 500), Value(Minus1));
  EXPECT_EQ(valueOf(DW_OP_shra, 4, 1), Value(2));
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_plus}), Value());
}

TEST(CallFrameExpressionTest, ComparesSigned) {
  struct {
    unsigned Opcode;
    bool Less, Equal, Greater;
  } const Comparisons[] = {
      {DW_OP_eq, false, true, false}, {DW_OP_ne, true, false, true},
      {DW_OP_lt, true, false, false}, {DW_OP_le, true, true, false},
      {DW_OP_gt, false, false, true}, {DW_OP_ge, false, true, true}};
  for (const auto &C : Comparisons) {
    SCOPED_TRACE(OperationEncodingString(C.Opcode).str());
    EXPECT_EQ(valueOf(C.Opcode, Minus1, 1), Value(C.Less));
    EXPECT_EQ(valueOf(C.Opcode, 5, 5), Value(C.Equal));
    EXPECT_EQ(valueOf(C.Opcode, 1, Minus1), Value(C.Greater));
  }
}

TEST(CallFrameExpressionTest, ComputesWith32Bits) {
  const UnwindMachine &I386 = *UnwindMachine::find(ELF::EM_386, 4, true);
  EXPECT_EQ(valueOf(DW_OP_minus, 1, 2, I386), Value(0xffffffff));
  EXPECT_EQ(valueOf(DW_OP_lt, 0xffffffff, 1, I386), Value(1));
  EXPECT_EQ(valueOf(DW_OP_div, 0xfffffff9, 2, I386), Value(0xfffffffd));
  EXPECT_EQ(valueOf(DW_OP_shra, 0x80000000, 4, I386), Value(0xf8000000));
  EXPECT_EQ(valueOf({DW_OP_const1s, 0xfe, DW_OP_abs}, std::nullopt, I386),
            Value(2));
  EXPECT_EQ(valueOf({}, 0x1'0000'0002, I386), Value(2));
  EXPECT_EQ(valueOf({DW_OP_addr, 1, 2, 3, 4}, std::nullopt, I386),
            Value(0x4030201));
}

TEST(CallFrameExpressionTest, Branches) {
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_skip, 1, 0, DW_OP_lit2}), Value(1));
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_skip, 2, 0, DW_OP_lit2}), Value());
  EXPECT_EQ(valueOf({DW_OP_lit5, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit2}),
            Value(2));
  EXPECT_EQ(valueOf({DW_OP_lit5, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit2}),
            Value(5));
  // Backwards: 3 is counted down to 0.
  EXPECT_EQ(valueOf({DW_OP_lit3, DW_OP_lit1, DW_OP_minus, DW_OP_dup, DW_OP_bra,
                     0xfa, 0xff}),
            Value(0));
  EXPECT_EQ(
      valueOf({DW_OP_lit1, DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xfa, 0xff}, 3),
      Value(0));
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_skip, 0xfc, 0xff}, 1, x64(), 3),
            Value());
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_skip, 0xfb, 0xff}), Value());
}

TEST(CallFrameExpressionTest, IsLimited) {
  Bytes Many(64, DW_OP_lit3);
  EXPECT_EQ(valueOf(Many), Value(3));
  Many.push_back(DW_OP_lit3);
  EXPECT_EQ(valueOf(Many), Value());
  EXPECT_EQ(valueOf({DW_OP_lit3, DW_OP_nop}, std::nullopt, x64(), 2), Value(3));
  EXPECT_EQ(valueOf({DW_OP_lit3, DW_OP_nop}, std::nullopt, x64(), 1), Value());
}

TEST(CallFrameExpressionTest, RefusesWhatIsCutOrUnknown) {
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_const2u, 1}), Value());
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_constu, 0x80}), Value());
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_call_frame_cfa}), Value());
  EXPECT_EQ(valueOf({DW_OP_lit1, DW_OP_reg0}), Value());
}
