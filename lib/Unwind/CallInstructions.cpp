//===- CallInstructions.cpp - Frames from instructions --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallInstructions.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

/// Whether \p Text begins, or with \p AtEnd ends, with \p Bytes.
static bool has(ArrayRef<uint8_t> Text, ArrayRef<uint8_t> Bytes, bool AtEnd) {
  if (Text.size() < Bytes.size())
    return false;
  return (AtEnd ? Text.take_back(Bytes.size())
                : Text.take_front(Bytes.size())) == Bytes;
}

static ReturnPlace returnPlaceX64(ArrayRef<uint8_t> Before,
                                  ArrayRef<uint8_t> From) {
  constexpr uint8_t PushFP = 0x55, Return = 0xc3, ReturnAndPop = 0xc2;
  // endbr64; mov %rsp,%rbp in its two encodings.
  constexpr uint8_t Mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
  constexpr uint8_t SetFP[] = {0x48, 0x89, 0xe5},
                    SetFPToo[] = {0x48, 0x8b, 0xec};
  if (From.empty())
    return ReturnPlace::Unknown;
  bool SetsFP = has(From, SetFP, false) || has(From, SetFPToo, false);
  if (SetsFP && has(Before, PushFP, true))
    return ReturnPlace::BelowFP;
  ArrayRef<uint8_t> Next = has(From, Mark, false) ? From.drop_front(4) : From;
  bool Pushes =
      has(Next, PushFP, false) && (has(Next.drop_front(), SetFP, false) ||
                                   has(Next.drop_front(), SetFPToo, false));
  if (Pushes || From.front() == Return || From.front() == ReturnAndPop)
    return ReturnPlace::AsCalled;
  return ReturnPlace::Unknown;
}

static std::optional<uint32_t> instructionOf(ArrayRef<uint8_t> Bytes) {
  if (Bytes.size() != 4)
    return std::nullopt;
  return support::endian::read32le(Bytes.data());
}

static ReturnPlace returnPlaceARM64(ArrayRef<uint8_t> From) {
  std::optional<uint32_t> Next =
      instructionOf(From.take_front(std::min<size_t>(From.size(), 4)));
  if (!Next)
    return ReturnPlace::Unknown;
  // stp of any pair to [sp, #-n]!, which begins a prologue and faults if the
  // stack overflows; ret; paciasp; bti c; autiasp, before ret.
  bool Saves =
      (*Next & 0xffe003e0) == 0xa9a003e0 || (*Next & 0xffe003e0) == 0x6da003e0;
  bool IsOutside = *Next == 0xd65f03c0 || *Next == 0xd503233f ||
                   *Next == 0xd503245f || *Next == 0xd50323bf;
  return Saves || IsOutside ? ReturnPlace::AsCalled : ReturnPlace::Unknown;
}

ReturnPlace returnPlaceAt(const UnwindMachine &Machine,
                          ArrayRef<uint8_t> Before, ArrayRef<uint8_t> From) {
  if (Machine.ELFMachine == ELF::EM_X86_64)
    return returnPlaceX64(Before, From);
  if (Machine.ELFMachine == ELF::EM_AARCH64)
    return returnPlaceARM64(From);
  return ReturnPlace::Unknown;
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

namespace {
/// Reads the instructions of an epilogue on x86.
class X86Epilogue {
public:
  X86Epilogue(const UnwindMachine &Machine, ArrayRef<uint8_t> Code)
      : Machine(Machine), Code(Code), Is64(Machine.WordSize == 8) {}

  std::optional<Epilogue> run();

private:
  enum class Next { Unknown, Instruction, Return };
  Next step();
  Next addToSP(unsigned Size);
  void pop(unsigned Register);
  void leave();
  bool take(ArrayRef<uint8_t> Bytes);
  std::optional<int64_t> takeNumber(unsigned Size);
  bool takeHarmless();

  const UnwindMachine &Machine;
  ArrayRef<uint8_t> Code;
  const bool Is64;
  Epilogue Out;
  int64_t SP = 0;
};
} // namespace

bool X86Epilogue::take(ArrayRef<uint8_t> Bytes) {
  if (!has(Code, Bytes, /*AtEnd=*/false))
    return false;
  Code = Code.drop_front(Bytes.size());
  return true;
}

std::optional<int64_t> X86Epilogue::takeNumber(unsigned Size) {
  if (Code.size() < Size)
    return std::nullopt;
  const uint8_t *At = Code.data();
  Code = Code.drop_front(Size);
  if (Size == 1)
    return int8_t(*At);
  if (Size == 2)
    return support::endian::read16le(At);
  return int32_t(support::endian::read32le(At));
}

X86Epilogue::Next X86Epilogue::addToSP(unsigned Size) {
  std::optional<int64_t> Number = takeNumber(Size);
  if (!Number)
    return Next::Unknown;
  SP += *Number;
  return Next::Instruction;
}

void X86Epilogue::pop(unsigned Register) {
  Out.Loads.push_back({Register, SP});
  SP += Machine.WordSize;
}

void X86Epilogue::leave() {
  Out.FromFP = true;
  Out.Loads.clear();
  SP = 0;
}

/// Skips an instruction that changes neither memory nor a register that callees
/// preserve: a nop, or a move to eax or rax from a register.
bool X86Epilogue::takeHarmless() {
  if (take({0x90}) || take({0xf3, 0x0f, 0x1e, 0xfa}) ||
      take({0xc5, 0xf8, 0x77}))
    return true;
  ArrayRef<uint8_t> At = Code;
  if (Is64 && !At.empty() && (At[0] & 0xf8) == 0x48)
    At = At.drop_front();
  // mov and xor between registers, with eax as the destination.
  if (At.size() < 2 || (At[0] != 0x89 && At[0] != 0x31) ||
      (At[1] & 0xc7) != 0xc0 || (At.data() != Code.data() && Code[0] & 1))
    return false;
  Code = At.drop_front(2);
  return true;
}

X86Epilogue::Next X86Epilogue::step() {
  // DWARF's numbers of ax, cx, dx, bx, sp, bp, si, di.
  static constexpr uint8_t Numbers64[] = {0, 2, 1, 3, 7, 6, 4, 5};
  constexpr uint8_t Wide = 0x48, NextEight = 0x41, Pop = 0x58;
  if (takeHarmless())
    return Next::Instruction;
  if (take({0xc3}) || take({0xf3, 0xc3}) || take({0xf2, 0xc3}))
    return Next::Return;
  if (take({0xc2})) {
    std::optional<int64_t> More = takeNumber(2);
    Out.CallersSP += More.value_or(0);
    return More ? Next::Return : Next::Unknown;
  }
  if (take({0xc9})) {
    leave();
    pop(Machine.FP);
    return Next::Instruction;
  }
  if (Is64 && Code.size() > 1 && Code[0] == NextEight &&
      (Code[1] & 0xf8) == Pop) {
    pop(8 + (Code[1] & 7));
    Code = Code.drop_front(2);
    return Next::Instruction;
  }
  if (!Code.empty() && (Code[0] & 0xf8) == Pop && (Code[0] & 7) != 4) {
    unsigned Register = Code[0] & 7;
    pop(Is64 ? Numbers64[Register] : Register);
    Code = Code.drop_front();
    return Next::Instruction;
  }
  if (Is64 && !take({Wide}))
    return Next::Unknown;
  if (take({0x89, 0xec}) || take({0x8b, 0xe5})) {
    leave();
    return Next::Instruction;
  }
  if (take({0x83, 0xc4}) || take({0x8d, 0x64, 0x24}))
    return addToSP(1);
  if (take({0x81, 0xc4}) || take({0x8d, 0xa4, 0x24}))
    return addToSP(4);
  return Next::Unknown;
}

std::optional<Epilogue> X86Epilogue::run() {
  for (;;)
    switch (step()) {
    case Next::Unknown:
      return std::nullopt;
    case Next::Instruction:
      break;
    case Next::Return:
      Out.ReturnAddress = SP;
      Out.CallersSP += SP + Machine.WordSize;
      return std::move(Out);
    }
}

namespace {
/// Reads the instructions of an epilogue on AArch64.
class Arm64Epilogue {
public:
  std::optional<Epilogue> run(ArrayRef<uint8_t> Code);

private:
  bool step(uint32_t Instruction);
  void load(unsigned Register, int64_t At);

  Epilogue Out;
  int64_t SP = 0;
};
} // namespace

void Arm64Epilogue::load(unsigned Register, int64_t At) {
  constexpr unsigned LinkRegister = 30, Zero = 31;
  if (Register == LinkRegister)
    Out.ReturnAddress = At;
  else if (Register != Zero)
    Out.Loads.push_back({Register, At});
}

/// Returns false for an instruction that is not known.
bool Arm64Epilogue::step(uint32_t I) {
  constexpr uint32_t Nop = 0xd503201f, AuthenticateA = 0xd50323bf,
                     AuthenticateB = 0xd50323ff, MoveFPToSP = 0x910003bf;
  const unsigned First = I & 31, Base = I >> 5 & 31, Second = I >> 10 & 31;
  if (I == Nop || I == AuthenticateA || I == AuthenticateB)
    return true;
  if (I == MoveFPToSP) {
    Out.FromFP = true;
    Out.Loads.clear();
    Out.ReturnAddress.reset();
    SP = 0;
    return true;
  }
  // mov w0 or x0 from a register.
  if ((I & 0x7fe0ffff) == 0x2a0003e0)
    return true;
  // add sp, sp, #n
  if ((I & 0xff8003ff) == 0x910003ff) {
    SP += int64_t(I >> 10 & 0xfff) << (I >> 22 & 1 ? 12 : 0);
    return true;
  }
  constexpr unsigned SPNumber = 31;
  if (Base != SPNumber)
    return false;
  // ldp of x or d registers, [sp, #n] and [sp], #n
  const uint32_t Pair = I & 0xffc00000;
  const int64_t Scaled = SignExtend64<7>(I >> 15 & 0x7f) * 8;
  const bool IsGeneral = Pair == 0xa9400000 || Pair == 0xa8c00000;
  if (IsGeneral || Pair == 0x6d400000 || Pair == 0x6cc00000) {
    const bool IsPost = Pair == 0xa8c00000 || Pair == 0x6cc00000;
    int64_t At = SP + (IsPost ? 0 : Scaled);
    if (IsGeneral) {
      load(First, At);
      load(Second, At + 8);
    }
    SP += IsPost ? Scaled : 0;
    return true;
  }
  // ldr x, [sp, #n] and [sp], #n
  if ((I & 0xffc00000) == 0xf9400000) {
    load(First, SP + int64_t(I >> 10 & 0xfff) * 8);
    return true;
  }
  if ((I & 0xffe00c00) == 0xf8400400) {
    load(First, SP);
    SP += SignExtend64<9>(I >> 12 & 0x1ff);
    return true;
  }
  return false;
}

std::optional<Epilogue> Arm64Epilogue::run(ArrayRef<uint8_t> Code) {
  constexpr uint32_t Return = 0xd65f03c0, ReturnAuthenticatedA = 0xd65f0bff,
                     ReturnAuthenticatedB = 0xd65f0fff;
  for (; Code.size() >= 4; Code = Code.drop_front(4)) {
    uint32_t I = support::endian::read32le(Code.data());
    if (I == Return || I == ReturnAuthenticatedA || I == ReturnAuthenticatedB) {
      Out.CallersSP = SP;
      return std::move(Out);
    }
    if (!step(I))
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Epilogue> readEpilogue(const UnwindMachine &Machine,
                                     ArrayRef<uint8_t> Code) {
  switch (Machine.ELFMachine) {
  case ELF::EM_X86_64:
  case ELF::EM_386:
    return X86Epilogue(Machine, Code).run();
  case ELF::EM_AARCH64:
    return Arm64Epilogue().run(Code);
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The length of an instruction FF with \p ModRM and, if it has one, \p SIB.
static size_t lengthOfFF(uint8_t ModRM, uint8_t SIB) {
  const unsigned Mod = ModRM >> 6, Base = ModRM & 7;
  constexpr unsigned HasSIB = 4, NoBase = 5;
  if (Mod == 3)
    return 2;
  size_t Length = 2 + (Base == HasSIB);
  if (Mod == 1)
    return Length + 1;
  bool HasLong =
      Mod == 2 || Base == NoBase || (Base == HasSIB && (SIB & 7) == NoBase);
  return Length + (HasLong ? 4 : 0);
}

bool endsWithCall(const UnwindMachine &Machine, ArrayRef<uint8_t> Before) {
  if (Machine.ELFMachine == ELF::EM_AARCH64) {
    std::optional<uint32_t> I =
        instructionOf(Before.take_back(std::min<size_t>(Before.size(), 4)));
    // bl, blr, and blr with an authenticated pointer.
    return I && (*I >> 26 == 0x25 || (*I & 0xfffffc1f) == 0xd63f0000 ||
                 (*I & 0xfefff800) == 0xd63f0800);
  }
  constexpr uint8_t Call = 0xe8, Group5 = 0xff, IsCall = 2;
  if (Before.size() >= 5 && Before[Before.size() - 5] == Call)
    return true;
  for (size_t Length = 2; Length <= std::min<size_t>(Before.size(), 7);
       ++Length) {
    ArrayRef<uint8_t> I = Before.take_back(Length);
    if (I[0] == Group5 && (I[1] >> 3 & 7) == IsCall &&
        lengthOfFF(I[1], Length > 2 ? I[2] : 0) == Length)
      return true;
  }
  return false;
}

std::optional<uint64_t> directCallTarget(const UnwindMachine &Machine,
                                         uint64_t ReturnAddress,
                                         ArrayRef<uint8_t> Before) {
  if (Machine.ELFMachine == ELF::EM_X86_64) {
    constexpr uint8_t Call = 0xe8;
    if (Before.size() < 5 || Before[Before.size() - 5] != Call)
      return std::nullopt;
    uint32_t Distance = support::endian::read32le(Before.end() - 4);
    return ReturnAddress + uint64_t(SignExtend64<32>(Distance));
  }
  if (Machine.ELFMachine == ELF::EM_AARCH64) {
    std::optional<uint32_t> Last =
        instructionOf(Before.take_back(std::min<size_t>(Before.size(), 4)));
    // bl
    if (!Last || *Last >> 26 != 0x25)
      return std::nullopt;
    return ReturnAddress - 4 + uint64_t(SignExtend64<28>(*Last << 2));
  }
  return std::nullopt;
}

} // namespace lidia
