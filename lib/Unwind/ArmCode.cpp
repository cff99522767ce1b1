//===- ArmCode.cpp - Frames from Arm instructions -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmCode.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia {

/// Code is little-endian on all current systems ("BE8"). The bit of the link
/// register in a register list.
static constexpr uint16_t LinkRegisterBit = 1 << 14;

/// The 16 bits that end \p Before bytes before the end of \p Code; 0 if there
/// are none.
static uint16_t half(ArrayRef<uint8_t> Code, size_t Before = 0) {
  if (Code.size() < Before + 2)
    return 0;
  return support::endian::read16le(Code.end() - Before - 2);
}

/// The last 32 bits of \p Code; 0 if there are fewer.
static uint32_t word(ArrayRef<uint8_t> Code) {
  return Code.size() < 4 ? 0 : uint32_t(half(Code)) << 16 | half(Code, 2);
}

bool endsWithArmSystemCall(ArrayRef<uint8_t> Code) {
  // svc #0, without a condition.
  return half(Code) == 0xdf00 || word(Code) == 0xef000000;
}

bool endsWithArmCall(ArrayRef<uint8_t> Code, bool IsThumb) {
  if (!IsThumb) {
    uint32_t W = word(Code);
    // With the condition 1111, the bits of bl are a blx.
    bool IsBL = (W & 0x0f000000) == 0x0b000000;
    bool IsBLX = (W & 0xfe000000) == 0xfa000000;
    bool IsBLXOfRegister = (W & 0x0ffffff0) == 0x012fff30 && W >> 28 != 15;
    return IsBL || IsBLX || IsBLXOfRegister;
  }
  // blx of a register; or bl or blx in two halves.
  uint16_t Last = half(Code), First = half(Code, 2);
  return (Last & 0xff87) == 0x4780 ||
         ((First & 0xf800) == 0xf000 &&
          ((Last & 0xd000) == 0xd000 || (Last & 0xd001) == 0xc000));
}

bool pushesArmLinkRegister(ArrayRef<uint8_t> Code) {
  for (size_t Size = 2; Size <= Code.size(); Size += 2) {
    uint16_t Last = half(Code.take_front(Size));
    uint16_t First = half(Code.take_front(Size), 2);
    // push in 16-bit Thumb; push in 32-bit Thumb; str lr, [sp, #-N]!.
    if ((Last & 0xff00) == 0xb500 ||
        (First == 0xe92d && Last & LinkRegisterBit) ||
        (First == 0xf84d && (Last & 0xff00) == 0xed00))
      return true;
    // The same in Arm's own encoding, in which the upper half comes last.
    if ((Last == 0xe92d && First & LinkRegisterBit) ||
        (Last == 0xe52d && (First & 0xf000) == 0xe000))
      return true;
  }
  return false;
}

} // namespace lidia
