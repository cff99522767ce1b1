//===- ArmUnwindCodes.cpp - Arm's unwind instructions ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmUnwindCodes.h"
#include "DWARF/Cursor.h"
#include "FrameSearch.h"
#include <optional>

using namespace llvm;

namespace lidia::unwindinfo {

/// DWARF register numbers ("DWARF for the Arm Architecture", IHI0040).
static constexpr uint32_t ProgramCounter = 15;
static constexpr uint32_t ControlOfWMMX = 104;
static constexpr uint32_t WMMX = 112;
static constexpr uint32_t AuthenticationCode = 143;
static constexpr uint32_t VFP = 256;

namespace {
class Interpreter {
public:
  explicit Interpreter(StringRef Codes) : C(Codes, /*LittleEndian=*/true) {}

  bool run();
  void take(UnwindRules &Into) const;

private:
  bool step(uint8_t Code);
  bool stepWithPrefix(uint8_t Code);
  bool popOthers(uint8_t Code);
  bool popMask(uint32_t Mask, uint32_t First);
  bool popRange(uint32_t First, uint32_t Count, int64_t Size = 8);
  bool setFrom(uint32_t Register);

  dwarf::Cursor C;
  FrameSearch Frame{ArmStackPointer};
  bool IsFinished = false;
};
} // namespace

bool Interpreter::popRange(uint32_t First, uint32_t Count, int64_t Size) {
  for (uint32_t I = 0; I != Count; ++I)
    if (!Frame.pop(First + I, Size))
      return false;
  return true;
}

/// Pops a register for each bit of \p Mask, from the lowest bit and \p First
/// on.
bool Interpreter::popMask(uint32_t Mask, uint32_t First) {
  std::optional<FrameSearch::Place> StackPointer;
  for (; Mask; Mask >>= 1, ++First) {
    if (!(Mask & 1))
      continue;
    if (First == ArmStackPointer)
      StackPointer = Frame.stackPointer();
    if (First == ArmStackPointer ? !Frame.move(4) : !Frame.pop(First, 4))
      return false;
  }
  if (StackPointer)
    Frame.loadStackPointer(*StackPointer);
  return true;
}

/// The register numbers 13 and 15 are reserved.
bool Interpreter::setFrom(uint32_t Register) {
  return Register != ArmStackPointer && Register != ProgramCounter &&
         Frame.setStackPointer(Register, 0);
}

/// Instructions that pop registers other than general ones: 0xb3 to 0xbf and
/// those above 0xc0.
bool Interpreter::popOthers(uint8_t Code) {
  // FSTMX saves an additional word.
  constexpr int64_t Format = 4;
  if (Code == 0xb4)
    return Frame.pop(AuthenticationCode, 4);
  // Uses the stack pointer as modifier in return address authentication: no
  // effect here.
  if (Code == 0xb5)
    return true;
  if (Code >= 0xb8 && Code < 0xc0)
    return popRange(VFP + 8, (Code & 7) + 1) && Frame.move(Format);
  if (Code >= 0xc0 && Code < 0xc6)
    return popRange(WMMX + 10, (Code & 7) + 1);
  if (Code >= 0xd0 && Code < 0xd8)
    return popRange(VFP + 8, (Code & 7) + 1);
  uint8_t Operand = C.u8();
  uint32_t First = Operand >> 4, Count = (Operand & 15) + 1;
  switch (Code) {
  case 0xb3:
    return First + Count <= 16 && popRange(VFP + First, Count) &&
           Frame.move(Format);
  case 0xc6:
    return First + Count <= 16 && popRange(WMMX + First, Count);
  case 0xc7:
    return Operand && Operand < 16 && popMask(Operand, ControlOfWMMX);
  case 0xc8:
    return First + Count <= 16 && popRange(VFP + 16 + First, Count);
  case 0xc9:
    return First + Count <= 32 && popRange(VFP + First, Count);
  default:
    return false;
  }
}

bool Interpreter::step(uint8_t Code) {
  int64_t Words = (Code & 0x3f) + 1;
  switch (Code >> 4) {
  case 0:
  case 1:
  case 2:
  case 3:
    return Frame.move(4 * Words);
  case 4:
  case 5:
  case 6:
  case 7:
    return Frame.move(-4 * Words);
  case 8: {
    // Without registers, the meaning is "refuse to unwind".
    uint32_t Mask = uint32_t(Code & 15) << 8 | C.u8();
    return Mask && popMask(Mask, 4);
  }
  case 9:
    return setFrom(Code & 15);
  case 10:
    return popRange(4, (Code & 7) + 1, 4) &&
           (!(Code & 8) || Frame.pop(ArmLinkRegister, 4));
  default:
    return stepWithPrefix(Code);
  }
}

bool Interpreter::stepWithPrefix(uint8_t Code) {
  switch (Code) {
  case 0xb0:
    IsFinished = true;
    return true;
  case 0xb1: {
    uint8_t Mask = C.u8();
    return Mask && Mask < 16 && popMask(Mask, 0);
  }
  case 0xb2: {
    uint64_t Words = C.uleb();
    return Words <= UINT32_MAX && Frame.move(0x204 + 4 * int64_t(Words));
  }
  default:
    return popOthers(Code);
  }
}

/// The end of the instructions has the same meaning as "finish".
bool Interpreter::run() {
  while (!IsFinished && !C.atEnd())
    if (!step(C.u8()) || C.bad())
      return false;
  return true;
}

void Interpreter::take(UnwindRules &Into) const {
  Frame.take(Into);
  // Without a saved program counter, the return address is that in the link
  // register, which may have been popped.
  if (Frame.isSaved(ProgramCounter))
    Into.ReturnAddress = ProgramCounter;
  // Only the return code of a signal handler has all registers on the stack.
  Into.IsSignalFrame = Frame.isLoaded() && Frame.isSaved(ProgramCounter);
}

bool runArmUnwindCodes(StringRef Codes, UnwindRules &Rules) {
  Interpreter I(Codes);
  if (!I.run())
    return false;
  I.take(Rules);
  return true;
}

} // namespace lidia::unwindinfo
