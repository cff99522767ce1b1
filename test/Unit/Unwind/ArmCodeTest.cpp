//===- ArmCodeTest.cpp - Encodings of Arm instructions --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Encodings are written as in the Arm Architecture Reference Manual: each
/// character is a bit, and a letter is a bit of any value.
///
//===----------------------------------------------------------------------===//

#include "Unwind/ArmCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace lidia;
using namespace llvm;

namespace {

/// In Thumb, the upper half of an instruction of 32 bits comes first.
uint32_t reordered(uint32_t Code, size_t Bits, bool IsThumb) {
  return IsThumb && Bits == 32 ? Code << 16 | Code >> 16 : Code;
}

/// Whether \p Bytes end with an instruction of \p Encoding. The bits "cccc" are
/// a condition, which is never 1111.
bool endsWith(ArrayRef<uint8_t> Bytes, StringRef Encoding, bool IsThumb) {
  const size_t Bits = Encoding.size();
  if (Bytes.size() < Bits / 8)
    return false;
  uint32_t Code = 0;
  for (uint8_t Byte : reverse(Bytes.take_back(Bits / 8)))
    Code = Code << 8 | Byte;
  Code = reordered(Code, Bits, IsThumb);
  for (size_t I = 0; I != Bits; ++I)
    if (isDigit(Encoding[I]) &&
        (Encoding[I] == '1') != (Code >> (Bits - 1 - I) & 1))
      return false;
  return !Encoding.starts_with("cccc") || Code >> 28 != 15;
}

/// Calls \p Visit with instructions of each of \p Encodings, whole and with one
/// bit changed.
void forEachInstruction(ArrayRef<StringRef> Encodings, bool IsThumb,
                        function_ref<void(ArrayRef<uint8_t>)> Visit) {
  std::mt19937 Random;
  for (StringRef Encoding : Encodings)
    for (unsigned Round = 0; Round != 200; ++Round) {
      uint32_t Code = 0;
      for (char Bit : Encoding)
        Code = Code << 1 | (isDigit(Bit) ? Bit == '1' : Random() & 1);
      Code = reordered(Code, Encoding.size(), IsThumb);
      std::vector<uint8_t> Bytes;
      for (size_t I = 0; I != Encoding.size(); I += 8)
        Bytes.push_back(uint8_t(Code >> I));
      Visit(Bytes);
      for (size_t I = 0; I != Encoding.size(); ++I) {
        std::vector<uint8_t> Changed = Bytes;
        Changed[I / 8] ^= uint8_t(1 << I % 8);
        Visit(Changed);
      }
    }
}

const StringRef ArmCalls[] = {
    "cccc1011iiiiiiiiiiiiiiiiiiiiiiii", // bl
    "1111101hiiiiiiiiiiiiiiiiiiiiiiii", // blx of an address
    "cccc000100101111111111110011mmmm", // blx of a register
};
const StringRef ThumbCalls[] = {
    "11110siiiiiiiiii11j1kiiiiiiiiiii", // bl
    "11110siiiiiiiiii11j0kiiiiiiiiii0", // blx of an address
    "010001111mmmm000",                 // blx of a register
};
const StringRef ArmPushes[] = {
    "1110100100101101r1rrrrrrrrrrrrrr", // push
    "11100101001011011110iiiiiiiiiiii", // str lr, [sp, #-N]!
};
const StringRef ThumbPushes[] = {
    "10110101rrrrrrrr",                 // push
    "1110100100101101r1rrrrrrrrrrrrrr", // push
    "111110000100110111101101iiiiiiii", // str lr, [sp, #-N]!
};

} // namespace

TEST(ArmCodeTest, KnowsCalls) {
  for (bool IsThumb : {false, true}) {
    ArrayRef<StringRef> Calls =
        IsThumb ? ArrayRef(ThumbCalls) : ArrayRef(ArmCalls);
    forEachInstruction(Calls, IsThumb, [&](ArrayRef<uint8_t> Code) {
      EXPECT_EQ(endsWithArmCall(Code, IsThumb),
                any_of(Calls,
                       [&](StringRef E) { return endsWith(Code, E, IsThumb); }))
          << toHex(Code);
    });
  }
}

TEST(ArmCodeTest, KnowsSystemCalls) {
  const StringRef SVC = "11101111000000000000000000000000";
  forEachInstruction(SVC, /*IsThumb=*/false, [&](ArrayRef<uint8_t> Code) {
    EXPECT_EQ(endsWithArmSystemCall(Code), endsWith(Code, SVC, false));
  });
  const StringRef ThumbSVC = "1101111100000000";
  forEachInstruction(ThumbSVC, /*IsThumb=*/true, [&](ArrayRef<uint8_t> Code) {
    EXPECT_EQ(endsWithArmSystemCall(Code), endsWith(Code, ThumbSVC, true));
  });
}

TEST(ArmCodeTest, KnowsWhatPushesTheLinkRegister) {
  auto IsAnyPush = [](ArrayRef<uint8_t> Code) {
    return any_of(ArmPushes,
                  [&](StringRef E) { return endsWith(Code, E, false); }) ||
           any_of(ThumbPushes,
                  [&](StringRef E) { return endsWith(Code, E, true); });
  };
  auto Check = [&](ArrayRef<uint8_t> Instruction) {
    std::vector<uint8_t> Code(2);
    Code.insert(Code.end(), Instruction.begin(), Instruction.end());
    bool IsPush = false;
    for (size_t Size = 2; Size <= Code.size(); Size += 2)
      IsPush |= IsAnyPush(ArrayRef(Code).take_front(Size));
    Code.resize(Code.size() + 4);
    EXPECT_EQ(pushesArmLinkRegister(Instruction), IsPush) << toHex(Code);
    EXPECT_EQ(pushesArmLinkRegister(Code), IsPush) << toHex(Code);
  };
  forEachInstruction(ArmPushes, /*IsThumb=*/false, Check);
  forEachInstruction(ThumbPushes, /*IsThumb=*/true, Check);
}

TEST(ArmCodeTest, NeedsAWholeInstruction) {
  const uint8_t BL[] = {0, 0, 0, 0xeb}, ThumbBL[] = {0, 0xf0, 0, 0xd0},
                SVC[] = {0, 0, 0, 0xef}, Push[] = {0x2d, 0xe9, 0, 0x40};
  for (size_t Size : {0, 1, 2, 3, 4}) {
    const bool IsWhole = Size == 4;
    EXPECT_EQ(endsWithArmCall(ArrayRef(BL).take_back(Size), false), IsWhole);
    EXPECT_EQ(endsWithArmCall(ArrayRef(ThumbBL).take_back(Size), true),
              IsWhole);
    EXPECT_EQ(endsWithArmSystemCall(ArrayRef(SVC).take_back(Size)), IsWhole);
    EXPECT_EQ(pushesArmLinkRegister(ArrayRef(Push).take_front(Size)), IsWhole);
  }
}
