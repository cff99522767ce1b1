//===- CompactEncodings.cpp - Apple's compact unwind encodings ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An encoding describes a complete frame. So the rules are valid everywhere
/// only in a function that never has a frame.
///
//===----------------------------------------------------------------------===//

#include "CompactEncodings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia::unwindinfo {

/// For both machines (UNWIND_X86_64_MODE_MASK, UNWIND_ARM64_MODE_MASK).
static unsigned modeOf(uint32_t Encoding) { return Encoding >> 24 & 15; }

static void setCFA(UnwindRules &Into, uint32_t Register, int64_t Offset) {
  Into.CFA.How = RegisterRule::Kind::IsRegister;
  Into.CFA.Register = Register;
  Into.CFA.Offset = Offset;
}

static void save(UnwindRules &Into, uint32_t Register, int64_t Offset) {
  RegisterRule Rule;
  Rule.How = RegisterRule::Kind::AtCFA;
  Rule.Offset = Offset;
  Into.Registers.push_back({Register, Rule});
}

/// Sorts the registers. Returns Broken if one is saved twice.
static CompactMeaning finish(UnwindRules &Into) {
  llvm::sort(Into.Registers, less_first());
  for (size_t I = 1; I < Into.Registers.size(); ++I)
    if (Into.Registers[I].first == Into.Registers[I - 1].first)
      return CompactMeaning::Broken;
  return CompactMeaning::Rules;
}

//===----------------------------------------------------------------------===//
// x86-64
//===----------------------------------------------------------------------===//

/// UNWIND_X86_64_MODE_*.
enum : unsigned {
  X64Frame = 1,
  X64Immediate = 2,
  X64Indirect = 3,
  X64CallFrames = 4
};

/// DWARF register numbers.
enum : uint32_t { X64RBP = 6, X64RSP = 7, X64RIP = 16 };

/// The DWARF numbers of UNWIND_X86_64_REG_RBX and the registers after it, whose
/// values begin at 1.
static constexpr uint8_t X64Saved[] = {3, 12, 13, 14, 15, X64RBP};

static constexpr int64_t Word = 8;

/// A function with a frame pointer. Up to five registers are saved below it.
static CompactMeaning readX64Frame(uint32_t Encoding, UnwindRules &Into) {
  setCFA(Into, X64RBP, 2 * Word);
  save(Into, X64RBP, -2 * Word);
  int64_t At = -2 * Word - Word * (Encoding >> 16 & 0xff);
  for (unsigned I = 0; I != 5; ++I, At += Word) {
    unsigned Number = Encoding >> 3 * I & 7;
    if (Number >= std::size(X64Saved))
      return CompactMeaning::Broken;
    if (Number)
      save(Into, X64Saved[Number - 1], At);
  }
  return finish(Into);
}

/// Saves the \p Count registers that \p Permutation encodes below the return
/// address, the last one next to it. The number has a digit for each register:
/// its index among the remaining registers.
static bool saveX64Permutation(unsigned Count, unsigned Permutation,
                               UnwindRules &Into) {
  SmallVector<uint8_t, 6> Left(std::begin(X64Saved), std::end(X64Saved));
  if (Count > Left.size())
    return false;
  for (unsigned I = 0; I != Count; ++I) {
    unsigned Scale = 1;
    for (unsigned J = I + 1; J != Count; ++J)
      Scale *= std::size(X64Saved) - J;
    unsigned Digit = Permutation / Scale;
    Permutation %= Scale;
    if (Digit >= Left.size())
      return false;
    save(Into, Left[Digit], -Word * int64_t(Count + 1 - I));
    Left.erase(Left.begin() + Digit);
  }
  return true;
}

CompactMeaning readX64Encoding(uint32_t Encoding, StringRef Code,
                               UnwindRules &Into) {
  if (Encoding == 0)
    return CompactMeaning::None;
  unsigned Mode = modeOf(Encoding);
  if (Mode == X64CallFrames)
    return CompactMeaning::CallFrames;
  Into.ReturnAddress = X64RIP;
  Into.HoldAtCallsOnly = true;
  save(Into, X64RIP, -Word);
  if (Mode == X64Frame)
    return readX64Frame(Encoding, Into);
  if (Mode != X64Immediate && Mode != X64Indirect)
    return CompactMeaning::Broken;
  int64_t Size = Encoding >> 16 & 0xff;
  unsigned Count = Encoding >> 10 & 7, Permutation = Encoding & 0x3ff;
  if (Mode == X64Immediate) {
    Size *= Word;
  } else {
    // The size is too large for the encoding: an instruction of the prologue
    // has it.
    StringRef Operand = Code.drop_front(std::min<size_t>(Size, Code.size()));
    if (Operand.size() < 4)
      return CompactMeaning::Broken;
    Size =
        support::endian::read32le(Operand.data()) + Word * (Encoding >> 13 & 7);
  }
  if (Size < Word * int64_t(Count + 1) ||
      !saveX64Permutation(Count, Permutation, Into))
    return CompactMeaning::Broken;
  setCFA(Into, X64RSP, Size);
  Into.HoldAtCallsOnly = Size != Word;
  return finish(Into);
}

//===----------------------------------------------------------------------===//
// ARM64
//===----------------------------------------------------------------------===//

/// UNWIND_ARM64_MODE_*.
enum : unsigned { Arm64Frameless = 2, Arm64CallFrames = 3, Arm64Frame = 4 };

/// DWARF register numbers.
enum : uint32_t {
  Arm64X19 = 19,
  Arm64FP = 29,
  Arm64LR = 30,
  Arm64SP = 31,
  Arm64D8 = 72
};

/// Saves pairs of registers in descending order of address, starting below
/// \p At: first x19 to x28 (UNWIND_ARM64_FRAME_X19_X20_PAIR), then d8 to d15.
static void saveArm64Pairs(uint32_t Encoding, int64_t At, UnwindRules &Into) {
  auto Save = [&](unsigned FirstBit, unsigned Pairs, uint32_t Register) {
    for (unsigned I = 0; I != Pairs; ++I, Register += 2)
      if (Encoding >> (FirstBit + I) & 1) {
        save(Into, Register, At - Word);
        save(Into, Register + 1, At - 2 * Word);
        At -= 2 * Word;
      }
  };
  Save(0, 5, Arm64X19);
  Save(8, 4, Arm64D8);
}

CompactMeaning readArm64Encoding(uint32_t Encoding, UnwindRules &Into) {
  if (Encoding == 0)
    return CompactMeaning::None;
  Into.ReturnAddress = Arm64LR;
  switch (modeOf(Encoding)) {
  case Arm64CallFrames:
    return CompactMeaning::CallFrames;
  case Arm64Frame:
    setCFA(Into, Arm64FP, 2 * Word);
    save(Into, Arm64FP, -2 * Word);
    save(Into, Arm64LR, -Word);
    saveArm64Pairs(Encoding, -2 * Word, Into);
    Into.HoldAtCallsOnly = true;
    return finish(Into);
  case Arm64Frameless: {
    int64_t Size = int64_t(Encoding >> 12 & 0xfff) * 16;
    setCFA(Into, Arm64SP, Size);
    saveArm64Pairs(Encoding, 0, Into);
    Into.HoldAtCallsOnly = Size != 0;
    return finish(Into);
  }
  default:
    return CompactMeaning::Broken;
  }
}

} // namespace lidia::unwindinfo
