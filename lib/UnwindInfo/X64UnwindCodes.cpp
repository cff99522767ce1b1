//===- X64UnwindCodes.cpp - Windows' unwind codes for x86-64 --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "X64UnwindCodes.h"
#include "DWARF/Cursor.h"
#include "FrameSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia::unwindinfo {

using dwarf::Cursor;

/// Windows follows the same number (UNWIND_CHAIN_LIMIT).
static constexpr unsigned MaxChained = 32;

/// The DWARF number of xmm0.
static constexpr uint32_t VectorRegisters = 17;

/// rsi and rdi.
static constexpr uint32_t PreservedToo[] = {4, 5};

uint32_t x64Register(unsigned Number) {
  static constexpr uint8_t Numbers[] = {0, 2, 1,  3,  7,  6,  4,  5,
                                        8, 9, 10, 11, 12, 13, 14, 15};
  return Numbers[Number];
}

void addPreservedByWindows(UnwindRules &Rules) {
  for (uint32_t Register : PreservedToo)
    if (!Rules.find(Register))
      Rules.Registers.push_back({Register, RegisterRule()});
  llvm::sort(Rules.Registers, less_first());
}

std::optional<X64UnwindCodes> X64UnwindCodes::read(uint32_t Offset,
                                                   Image Bytes) {
  X64UnwindCodes Out;
  std::optional<uint32_t> Next = Offset;
  for (unsigned I = 0; Next; ++I) {
    uint32_t At = *Next;
    Next.reset();
    if (I == MaxChained || !Out.readOne(Bytes(At), I == 0, Next))
      return std::nullopt;
  }
  return Out;
}

/// Adds the codes of one UNWIND_INFO; sets \p Next if it is chained.
bool X64UnwindCodes::readOne(StringRef Bytes, bool IsFirst,
                             std::optional<uint32_t> &Next) {
  Cursor C(Bytes, /*LittleEndian=*/true);
  uint8_t Head = C.u8();
  C.u8();
  unsigned Count = C.u8();
  uint8_t Frame = C.u8();
  uint8_t Version = Head & 7, Flags = Head >> 3;
  StringRef Slots = C.bytes(Count * 2);
  if (C.bad() || (Version != 1 && Version != 2) ||
      !readCodes(Slots, IsFirst, Frame, Version))
    return false;
  if (!(Flags & Chained))
    return true;
  // The codes are padded to an even number. An entry of .pdata follows them.
  C.skip((Count & 1) * 2 + 8);
  Next = C.u32();
  return !C.bad();
}

bool X64UnwindCodes::readCodes(StringRef Slots, bool IsFirst, uint8_t Frame,
                               uint8_t Version) {
  Cursor C(Slots, /*LittleEndian=*/true);
  auto Add = [&](Operation What, uint8_t Offset, uint32_t Register,
                 uint64_t Value) {
    if (Value > INT32_MAX)
      return false;
    Codes.push_back(
        {What, IsFirst ? Offset : uint8_t(0), Register, uint32_t(Value)});
    return true;
  };
  while (!C.atEnd()) {
    uint8_t Offset = C.u8(), Operand = C.u8();
    uint8_t Info = Operand >> 4;
    bool IsGood = false;
    switch (Operand & 15) {
    case 0: // UWOP_PUSH_NONVOL
      IsGood = Add(Operation::Push, Offset, x64Register(Info), 0);
      break;
    case 1: // UWOP_ALLOC_LARGE
      IsGood = Info <= 1 && Add(Operation::Allocate, Offset, 0,
                                Info == 0 ? C.u16() * 8 : C.u32());
      break;
    case 2: // UWOP_ALLOC_SMALL
      IsGood = Add(Operation::Allocate, Offset, 0, Info * 8 + 8);
      break;
    case 3: // UWOP_SET_FPREG
      IsGood = (Frame & 15) && Add(Operation::SetFrame, Offset,
                                   x64Register(Frame & 15), Frame / 16 * 16);
      break;
    case 4: // UWOP_SAVE_NONVOL
      IsGood = Add(Operation::Save, Offset, x64Register(Info), C.u16() * 8);
      break;
    case 5: // UWOP_SAVE_NONVOL_FAR
      IsGood = Add(Operation::Save, Offset, x64Register(Info), C.u32());
      break;
    case 6: // UWOP_EPILOG: epilogues are found by their instructions
      IsGood = Version == 2;
      C.u16();
      break;
    case 8: // UWOP_SAVE_XMM128
      IsGood =
          Add(Operation::Save, Offset, VectorRegisters + Info, C.u16() * 16);
      break;
    case 9: // UWOP_SAVE_XMM128_FAR
      IsGood = Add(Operation::Save, Offset, VectorRegisters + Info, C.u32());
      break;
    case 10: // UWOP_PUSH_MACHFRAME
      IsGood = Info <= 1 && Add(Operation::MachineFrame, Offset, 0, Info * 8);
      break;
    default:
      break;
    }
    if (!IsGood || C.bad())
      return false;
  }
  return true;
}

std::vector<unsigned> X64UnwindCodes::offsets() const {
  std::vector<unsigned> Out = {0};
  for (const Code &C : Codes)
    Out.push_back(C.Offset);
  llvm::sort(Out);
  Out.erase(llvm::unique(Out), Out.end());
  return Out;
}

/// Follows RtlVirtualUnwind in a prologue: saves are relative to the frame
/// pointer if it is already set, otherwise to the stack pointer.
std::optional<UnwindRules> X64UnwindCodes::rules(unsigned Offset) const {
  constexpr int64_t Word = 8, StackPointerInMachineFrame = 24;
  auto IsDone = [&](const Code &C) { return C.Offset <= Offset; };
  FrameSearch Search(X64StackPointer);
  FrameSearch::Place Frame = Search.stackPointer();
  for (const Code &C : Codes)
    if (C.Op == Operation::SetFrame && IsDone(C)) {
      Frame = {C.Register, -int64_t(C.Value)};
      break;
    }
  UnwindRules Rules;
  Rules.ReturnAddress = X64ReturnAddress;
  for (const Code &C : Codes) {
    if (!IsDone(C))
      continue;
    bool IsGood = true;
    switch (C.Op) {
    case Operation::Push:
      IsGood = Search.pop(C.Register, Word);
      break;
    case Operation::Allocate:
      IsGood = Search.move(C.Value);
      break;
    case Operation::SetFrame:
      IsGood = Search.setStackPointer(C.Register, -int64_t(C.Value));
      break;
    case Operation::Save:
      Search.save(C.Register, {Frame.Register, Frame.Offset + C.Value});
      break;
    case Operation::MachineFrame: {
      FrameSearch::Place At = Search.stackPointer();
      At.Offset += C.Value;
      IsGood = !Search.isLoaded();
      Search.save(X64ReturnAddress, At);
      At.Offset += StackPointerInMachineFrame;
      Search.loadStackPointer(At);
      Rules.IsSignalFrame = true;
      break;
    }
    }
    if (!IsGood)
      return std::nullopt;
  }
  if (!Rules.IsSignalFrame)
    Search.pop(X64ReturnAddress, Word);
  Search.take(Rules);
  addPreservedByWindows(Rules);
  return Rules;
}

} // namespace lidia::unwindinfo
