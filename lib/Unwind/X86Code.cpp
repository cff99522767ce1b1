//===- X86Code.cpp - The instructions of x86 that lead out of a function --===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "X86Code.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <deque>

using namespace llvm;
using support::endian::read16le;
using support::endian::read32le;

namespace lidia {

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

namespace {
/// One instruction: its length, and what a follower of the stack pointer needs.
/// The opcodes are those of Intel's manual, volume 2, appendix A.
class Instruction {
public:
  /// None if \p Bytes are not an instruction, or have only a part of it.
  static std::optional<Instruction> decode(ArrayRef<uint8_t> Bytes, bool Is64);

  enum OpcodeMap { OneByte, TwoBytes, ThreeBytes38, ThreeBytes3A };
  unsigned Size = 0;
  OpcodeMap Map = OneByte;
  uint8_t Opcode = 0, Rex = 0, ModRM = 0, SIB = 0;
  int64_t Displacement = 0, Immediate = 0;

  unsigned mode() const { return ModRM >> 6; }
  unsigned reg() const { return (ModRM >> 3 & 7) | (Rex & 4 ? 8 : 0); }
  unsigned rm() const { return (ModRM & 7) | (Rex & 1 ? 8 : 0); }
  /// Whether the operand in memory is at a constant offset from esp or rsp.
  bool isOnStack() const {
    return mode() != 3 && (ModRM & 7) == 4 && SIB == 0x24 && !(Rex & 3);
  }

private:
  explicit Instruction(ArrayRef<uint8_t> Bytes, bool Is64)
      : Left(Bytes), Is64(Is64) {}

  bool readPrefixes();
  bool readVector(uint8_t First);
  bool readOpcode();
  bool hasModRM() const;
  unsigned immediateSize() const;
  bool readModRM();
  bool take(unsigned Count, int64_t &Value);

  ArrayRef<uint8_t> Left;
  const bool Is64;
  bool IsShort = false;
};
} // namespace

bool Instruction::take(unsigned Count, int64_t &Value) {
  if (Left.size() < Count)
    return false;
  if (Count == 1)
    Value = SignExtend64<8>(Left[0]);
  else if (Count == 2)
    Value = int16_t(read16le(Left.data()));
  else if (Count >= 4)
    Value = int32_t(read32le(Left.data()));
  Left = Left.drop_front(Count);
  return true;
}

bool Instruction::readPrefixes() {
  static constexpr uint8_t Prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
                                         0x66, 0x67, 0xf0, 0xf2, 0xf3};
  for (; !Left.empty() && is_contained(Prefixes, Left[0]);
       Left = Left.drop_front()) {
    IsShort |= Left[0] == 0x66;
    // Addresses of 16 or, in 64-bit code, 32 bits are not expected.
    if (Left[0] == 0x67 && !Is64)
      return false;
  }
  if (Is64 && !Left.empty() && (Left[0] & 0xf0) == 0x40) {
    Rex = Left[0];
    Left = Left.drop_front();
  }
  return !Left.empty();
}

/// The prefixes of AVX, which contain the map.
bool Instruction::readVector(uint8_t First) {
  unsigned Count = First == 0xc5 ? 1 : First == 0xc4 ? 2 : 3;
  if (Left.size() <= Count)
    return false;
  unsigned Which = First == 0xc5 ? 1 : Left[0] & 7;
  if (Which == 0 || Which > 3)
    return false;
  Map = OpcodeMap(Which);
  Left = Left.drop_front(Count);
  Opcode = Left[0];
  Left = Left.drop_front();
  return true;
}

bool Instruction::readOpcode() {
  Opcode = Left[0];
  Left = Left.drop_front();
  bool MayBeVector = Opcode == 0xc4 || Opcode == 0xc5 || Opcode == 0x62;
  if (MayBeVector && (Is64 || (!Left.empty() && Left[0] >= 0xc0)))
    return readVector(Opcode);
  if (Opcode != 0x0f)
    return true;
  Map = TwoBytes;
  for (OpcodeMap Next : {ThreeBytes38, ThreeBytes3A, TwoBytes}) {
    if (Left.empty())
      return false;
    Opcode = Left[0];
    bool IsNext = (Next == ThreeBytes38 && Opcode == 0x38) ||
                  (Next == ThreeBytes3A && Opcode == 0x3a);
    if (Next != TwoBytes && !IsNext)
      continue;
    Left = Left.drop_front();
    if (!IsNext)
      return true;
    Map = Next;
    if (Left.empty())
      return false;
    Opcode = Left[0];
    Left = Left.drop_front();
    return true;
  }
  return false;
}

bool Instruction::hasModRM() const {
  const uint8_t O = Opcode;
  if (Map == TwoBytes)
    return !(O >= 0x05 && O <= 0x0b && O != 0x0a) && O != 0x0e &&
           !(O >= 0x30 && O <= 0x37) && O != 0x77 && (O & 0xf0) != 0x80 &&
           !(O >= 0xa0 && O <= 0xa2) && !(O >= 0xa8 && O <= 0xaa) &&
           !(O >= 0xc8 && O <= 0xcf);
  if (Map != OneByte || O < 0x40)
    return Map != OneByte || (O & 7) < 4;
  return O == 0x62 || O == 0x63 || O == 0x69 || O == 0x6b ||
         (O >= 0x80 && O <= 0x8f) || (O >= 0xc0 && O <= 0xc1) ||
         (O >= 0xc4 && O <= 0xc7) || (O >= 0xd0 && O <= 0xd3) ||
         (O >= 0xd8 && O <= 0xdf) || O == 0xf6 || O == 0xf7 || O == 0xfe ||
         O == 0xff;
}

unsigned Instruction::immediateSize() const {
  const uint8_t O = Opcode;
  const unsigned Large = IsShort ? 2 : 4;
  if (Map == ThreeBytes3A)
    return 1;
  if (Map == TwoBytes) {
    bool IsByte = (O >= 0x70 && O <= 0x73) || O == 0xa4 || O == 0xac ||
                  O == 0xba || O == 0xc2 || (O >= 0xc4 && O <= 0xc6) ||
                  O == 0x0f;
    return IsByte ? 1 : (O & 0xf0) == 0x80 ? 4 : 0;
  }
  if (Map != OneByte)
    return 0;
  if (O < 0x40)
    return (O & 7) == 4 ? 1 : (O & 7) == 5 ? Large : 0;
  if (O >= 0xb8 && O <= 0xbf)
    return Rex & 8 ? 8 : Large;
  if (O >= 0xa0 && O <= 0xa3)
    return Is64 ? 8 : 4;
  if (O == 0xf6 || O == 0xf7)
    return (ModRM >> 3 & 7) > 1 ? 0 : O == 0xf6 ? 1 : Large;
  if (O == 0xe8 || O == 0xe9)
    return 4;
  if (O == 0x68 || O == 0x69 || O == 0x81 || O == 0xa9 || O == 0xc7)
    return Large;
  if (O == 0xc2 || O == 0xca)
    return 2;
  bool IsByte = O == 0x6a || O == 0x6b || (O & 0xf0) == 0x70 || O == 0x80 ||
                O == 0x82 || O == 0x83 || O == 0xa8 || (O & 0xf8) == 0xb0 ||
                O == 0xc0 || O == 0xc1 || O == 0xc6 || O == 0xcd || O == 0xd4 ||
                O == 0xd5 || (O >= 0xe0 && O <= 0xe7) || O == 0xeb;
  return IsByte ? 1 : 0;
}

bool Instruction::readModRM() {
  int64_t Byte = 0;
  if (!take(1, Byte))
    return false;
  ModRM = uint8_t(Byte);
  if (mode() == 3)
    return true;
  bool HasSIB = (ModRM & 7) == 4;
  if (HasSIB && !take(1, Byte))
    return false;
  SIB = HasSIB ? uint8_t(Byte) : 0;
  unsigned Base = HasSIB ? SIB & 7 : ModRM & 7;
  unsigned Count = mode() == 1 ? 1 : mode() == 2 || Base == 5 ? 4 : 0;
  return Count == 0 || take(Count, Displacement);
}

std::optional<Instruction> Instruction::decode(ArrayRef<uint8_t> Bytes,
                                               bool Is64) {
  // The processor accepts no more.
  constexpr size_t Longest = 15;
  Instruction I(Bytes.take_front(std::min(Bytes.size(), Longest)), Is64);
  const size_t Before = I.Left.size();
  if (!I.readPrefixes() || !I.readOpcode() ||
      (I.hasModRM() && !I.readModRM()) ||
      !I.take(I.immediateSize(), I.Immediate))
    return std::nullopt;
  // enter has two numbers; far calls and jumps are not expected.
  if (I.Map == OneByte &&
      (I.Opcode == 0xc8 || I.Opcode == 0x9a || I.Opcode == 0xea))
    return std::nullopt;
  I.Size = unsigned(Before - I.Left.size());
  return I;
}

//===----------------------------------------------------------------------===//
// Following
//===----------------------------------------------------------------------===//

namespace {
/// The state before an instruction.
struct Way {
  uint64_t PC = 0;
  /// The end of the function.
  uint64_t End = 0;
  /// The stack pointer, as an offset from its first value or, with FromFP, from
  /// the frame pointer.
  int64_t SP = 0;
  /// The frame pointer as such an offset, if the code has set it.
  std::optional<int64_t> FP;
  Epilogue Out;
};

class Follower {
public:
  Follower(const UnwindMachine &Machine, CodeToFollow &Code)
      : Machine(Machine), Code(Code), Is64(Machine.WordSize == 8) {}

  SmallVector<Epilogue, 1> run(uint64_t PC);

private:
  std::optional<Instruction> instructionAt(uint64_t PC);
  unsigned number(unsigned Register) const;
  bool step(Way &W);
  bool isOneByteDone(Way &W, const Instruction &I, bool &GoesOn);
  bool changesSP(Way &W, const Instruction &I, bool &GoesOn);
  void load(Way &W, unsigned Register, int64_t At) const;
  void setSPFromFP(Way &W, int64_t More) const;
  void found(Way &W, int64_t More);
  void jump(Way &W, int64_t Offset);

  const UnwindMachine &Machine;
  CodeToFollow &Code;
  const bool Is64;
  std::deque<Way> Ways;
  DenseSet<uint64_t> Seen;
  SmallVector<Epilogue, 1> Found;
  /// The code that was read last.
  SmallVector<uint8_t, 256> Bytes;
  uint64_t BytesAt = 0;
};
} // namespace

std::optional<Instruction> Follower::instructionAt(uint64_t PC) {
  constexpr size_t Window = 256, Longest = 15;
  if (PC < BytesAt || PC - BytesAt > Bytes.size() ||
      Bytes.size() - (PC - BytesAt) < Longest) {
    Bytes.resize_for_overwrite(Window);
    Bytes.truncate(Code.read(PC, Bytes));
    BytesAt = PC;
  }
  return Instruction::decode(ArrayRef(Bytes).drop_front(PC - BytesAt), Is64);
}

/// DWARF's number of the register that instructions call \p Register.
unsigned Follower::number(unsigned Register) const {
  static constexpr uint8_t Numbers64[] = {0, 2, 1, 3, 7, 6, 4, 5};
  return Is64 && Register < 8 ? Numbers64[Register] : Register;
}

/// Only what the function has found there is of its caller.
void Follower::load(Way &W, unsigned Register, int64_t At) const {
  unsigned Number = number(Register);
  if ((W.Out.FromFP || At >= 0) && Number != Machine.SP &&
      (Machine.Preserved >> Number & 1))
    W.Out.Loads.push_back({Number, At});
}

void Follower::setSPFromFP(Way &W, int64_t More) const {
  if (!W.FP) {
    W.Out = Epilogue();
    W.Out.FromFP = true;
  }
  W.SP = W.FP.value_or(0) + More;
}

void Follower::found(Way &W, int64_t More) {
  W.Out.ReturnAddress = W.SP;
  W.Out.CallersSP = W.SP + Machine.WordSize + More;
  bool IsKnown = any_of(Found, [&](const Epilogue &E) {
    return E.FromFP == W.Out.FromFP && E.ReturnAddress == W.Out.ReturnAddress;
  });
  if (!IsKnown && (W.Out.FromFP || W.SP >= 0))
    Found.push_back(W.Out);
}

void Follower::jump(Way &W, int64_t Offset) {
  W.PC += uint64_t(Offset);
  W.End = Code.functionEnd(W.PC);
}

/// Handles pushes, pops, branches and returns. Sets \p GoesOn to whether the
/// way goes on with the next instruction.
bool Follower::isOneByteDone(Way &W, const Instruction &I, bool &GoesOn) {
  const uint8_t O = I.Opcode;
  const int64_t Word = Machine.WordSize;
  GoesOn = true;
  if ((O & 0xf8) == 0x50 || O == 0x68 || O == 0x6a || O == 0x9c) {
    W.SP -= Word;
  } else if ((O & 0xf8) == 0x58) {
    unsigned Register = (O & 7) | (I.Rex & 1 ? 8 : 0);
    GoesOn = Register != 4;
    load(W, Register, W.SP);
    W.SP += Word;
  } else if (O == 0x9d || (O == 0x8f && I.mode() != 3)) {
    W.SP += Word;
  } else if (O == 0xc3 || O == 0xc2) {
    found(W, O == 0xc2 ? uint16_t(I.Immediate) : 0);
    GoesOn = false;
  } else if (O == 0xc9) {
    setSPFromFP(W, 0);
    load(W, 5, W.SP);
    W.SP += Word;
  } else if (O == 0xe9 || O == 0xeb) {
    jump(W, I.Immediate);
  } else if ((O & 0xf0) == 0x70 || (O >= 0xe0 && O <= 0xe3)) {
    Ways.push_back(W);
    jump(Ways.back(), I.Immediate);
  } else if (O == 0xff && (I.ModRM >> 3 & 7) >= 3) {
    const unsigned Kind = I.ModRM >> 3 & 7;
    // A jump through a word of memory without an index is a tail call, of a
    // virtual function or of another module, and not one by a table. Where
    // others lead to is not known. push has the same opcode.
    if (Kind == 4 && I.mode() != 3 && (I.ModRM & 7) != 4)
      found(W, 0);
    GoesOn = Kind == 6;
    W.SP -= Word;
  } else if (O == 0xf4 || O == 0xcc || O == 0xcf || O == 0xcb || O == 0xca ||
             O == 0x60 || O == 0x61 || (O == 0x0e && Is64)) {
    GoesOn = false;
  } else {
    return false;
  }
  return true;
}

/// Handles other instructions that change the stack pointer, or restore a
/// register from the stack.
bool Follower::changesSP(Way &W, const Instruction &I, bool &GoesOn) {
  const uint8_t O = I.Opcode;
  const unsigned Kind = I.ModRM >> 3 & 7;
  GoesOn = true;
  if ((O == 0x81 || O == 0x83) && I.mode() == 3 && I.rm() == 4) {
    // add, sub or cmp; and aligns.
    GoesOn = Kind == 0 || Kind == 5 || Kind == 7;
    W.SP += Kind == 0 ? I.Immediate : Kind == 5 ? -I.Immediate : 0;
  } else if (O == 0x8d && I.reg() == 4) {
    // lea from the stack pointer or the frame pointer.
    bool IsFromFP = I.mode() != 0 && I.rm() == 5;
    GoesOn = I.isOnStack() || IsFromFP;
    if (IsFromFP)
      setSPFromFP(W, I.Displacement);
    else
      W.SP += I.Displacement;
  } else if (((O == 0x89 && I.rm() == 4 && I.reg() == 5) ||
              (O == 0x8b && I.reg() == 4 && I.rm() == 5)) &&
             I.mode() == 3) {
    setSPFromFP(W, 0);
  } else if (((O == 0x89 && I.rm() == 5 && I.reg() == 4) ||
              (O == 0x8b && I.reg() == 5 && I.rm() == 4)) &&
             I.mode() == 3) {
    W.FP = W.SP;
  } else if (O == 0x8d && I.reg() == 5 && I.isOnStack()) {
    W.FP = W.SP + I.Displacement;
  } else if (O == 0x8b && I.isOnStack()) {
    GoesOn = I.reg() != 4;
    load(W, I.reg(), W.SP + I.Displacement);
  } else {
    return false;
  }
  return true;
}

/// Moves over one instruction. Returns false at the end of the way.
bool Follower::step(Way &W) {
  // After the function's last call, which does not return.
  if (W.PC >= W.End)
    return false;
  std::optional<Instruction> I = instructionAt(W.PC);
  if (!I)
    return false;
  W.PC += I->Size;
  bool GoesOn = true;
  if (I->Map == Instruction::OneByte) {
    if (isOneByteDone(W, *I, GoesOn) || changesSP(W, *I, GoesOn))
      return GoesOn;
    // An instruction with the stack pointer as its result.
    bool ToRM = I->Opcode < 0x40 ? (I->Opcode & 2) == 0 : I->Opcode == 0x89;
    bool ToReg = I->Opcode < 0x40 ? (I->Opcode & 2) != 0 : I->Opcode == 0x8b;
    bool IsWord = (I->Opcode & 1) && (I->Opcode & 0xf8) != 0x38;
    if (IsWord &&
        ((ToRM && (I->Opcode & 7) < 2 && I->mode() == 3 && I->rm() == 4) ||
         (ToReg && (I->Opcode & 7) < 4 && I->reg() == 4)))
      return false;
  } else if (I->Map == Instruction::TwoBytes) {
    if ((I->Opcode & 0xf0) == 0x80) {
      Ways.push_back(W);
      jump(Ways.back(), I->Immediate);
    }
    // ud2, ud1; push and pop of fs and gs.
    if (I->Opcode == 0x0b || I->Opcode == 0xb9 || (I->Opcode & 0xf6) == 0xa0)
      return false;
  }
  return true;
}

SmallVector<Epilogue, 1> Follower::run(uint64_t PC) {
  // Most functions return within this, and most have fewer branches.
  constexpr unsigned MaxInstructions = 4096, InstructionsOfTurn = 32;
  constexpr size_t MaxWays = 256, MaxFound = 3;
  Ways.push_back({PC, Code.functionEnd(PC), 0, std::nullopt, {}});
  for (unsigned I = 0; I < MaxInstructions && !Ways.empty();) {
    Way W = std::move(Ways.front());
    Ways.pop_front();
    // The ways take turns, because one of them may be long.
    bool GoesOn = true;
    for (unsigned End = I + InstructionsOfTurn; GoesOn && I != End; ++I)
      GoesOn = Seen.insert(W.PC).second && step(W);
    if (GoesOn && Ways.size() < MaxWays)
      Ways.push_back(std::move(W));
    if (Found.size() == MaxFound)
      break;
  }
  return std::move(Found);
}

SmallVector<Epilogue, 1> waysOut(const UnwindMachine &Machine, uint64_t PC,
                                 CodeToFollow &Code) {
  if (Machine.ELFMachine != ELF::EM_X86_64 && Machine.ELFMachine != ELF::EM_386)
    return {};
  return Follower(Machine, Code).run(PC);
}

} // namespace lidia
