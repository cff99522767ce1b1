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
