//===- ArmExceptionTable.cpp - Arm's exception tables ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArmExceptionTable.h"
#include "ArmUnwindCodes.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia::unwindinfo {

static constexpr uint64_t EntrySize = 8;

/// The second word of an entry whose function cannot be unwound.
static constexpr uint32_t CannotUnwind = 1;

/// The flag of a word that contains instructions ("compact model").
static constexpr uint32_t IsCompact = uint32_t(1) << 31;

/// The lowest bit of an address tells the instruction set of the code.
static constexpr uint32_t ThumbBit = 1;

/// The target of the 31-bit relative offset in \p Word at the address \p Place.
static uint64_t follow(uint64_t Place, uint32_t Word) {
  return uint32_t(Place + uint64_t(SignExtend64<31>(Word)));
}

std::optional<uint32_t> ArmExceptionTable::word(StringRef Bytes,
                                                uint64_t Offset) const {
  if (Offset > Bytes.size() || Bytes.size() - Offset < 4)
    return std::nullopt;
  return support::endian::read<uint32_t>(
      Bytes.data() + Offset,
      Section.IsLittleEndian ? endianness::little : endianness::big);
}

std::vector<ArmExceptionTable::Function> ArmExceptionTable::functions() {
  std::vector<Function> Out;
  uint64_t Count = Section.Index.size() / EntrySize;
  Broken += Section.Index.size() % EntrySize != 0;
  for (uint64_t I = 0; I != Count; ++I) {
    uint64_t Place = Section.Address + I * EntrySize;
    uint32_t First = *word(Section.Index, I * EntrySize);
    uint32_t Second = *word(Section.Index, I * EntrySize + 4);
    if (First & IsCompact) {
      ++Broken;
      continue;
    }
    uint64_t Begin = follow(Place, First) & ~uint64_t(ThumbBit);
    WithoutRules += Second == CannotUnwind;
    Out.push_back({Begin, UINT64_MAX, Place + 4});
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Appends the lowest \p Count bytes of \p Word, the most significant first.
static void appendBytes(uint32_t Word, unsigned Count, std::string &To) {
  while (Count--)
    To += char(Word >> 8 * Count);
}

/// Appends the instructions of the entry of .ARM.extab at \p Address.
bool ArmExceptionTable::appendTable(uint64_t Address, std::string &To) {
  StringRef Bytes = Section.Image(Address);
  std::optional<uint32_t> Word = word(Bytes, 0);
  if (!Word)
    return false;
  unsigned First = 3, More = 0, At = 4;
  if (!(*Word & IsCompact)) {
    // A personality routine and its data. With all compilers, the data begins
    // with the number of words, and instructions.
    Word = word(Bytes, 4);
    if (!Word)
      return false;
    More = *Word >> 24;
    At = 8;
  } else if (unsigned Personality = *Word >> 24 & 0x7f; Personality != 0) {
    if (Personality > 2)
      return false;
    More = *Word >> 16 & 0xff;
    First = 2;
  }
  if (Section.MaxBytes < 4 * (uint64_t(More) + 1))
    return false;
  Section.MaxBytes -= 4 * (uint64_t(More) + 1);
  appendBytes(*Word, First, To);
  for (unsigned I = 0; I != More; ++I) {
    std::optional<uint32_t> Next = word(Bytes, At + 4 * uint64_t(I));
    if (!Next)
      return false;
    appendBytes(*Next, 4, To);
  }
  return true;
}

bool ArmExceptionTable::visitRows(const Function &F, VisitRow Visit) {
  uint32_t Word = *word(Section.Index, F.Content - Section.Address);
  UnwindRules Rules;
  Rules.HoldAtCallsOnly = true;
  Rules.ReturnAddress = ArmLinkRegister;
  if (Word == CannotUnwind) {
    // Usually the compiler was just not asked for a table.
    if (Section.EntryPoint < F.Begin || Section.EntryPoint >= F.End)
      return true;
    RegisterRule None;
    None.How = RegisterRule::Kind::Undefined;
    Rules.CFA.How = RegisterRule::Kind::IsRegister;
    Rules.CFA.Register = ArmStackPointer;
    Rules.Registers.push_back({ArmLinkRegister, None});
    Visit(F.Begin, F.End, Rules);
    return true;
  }
  std::string Codes;
  if (Word & IsCompact) {
    // Only the instructions of the first personality routine fit into the
    // index.
    if (Word >> 24 != IsCompact >> 24)
      return false;
    appendBytes(Word, 3, Codes);
  } else if (!appendTable(follow(F.Content, Word), Codes)) {
    return false;
  }
  if (!runArmUnwindCodes(Codes, Rules))
    return false;
  Visit(F.Begin, F.End, Rules);
  return true;
}

} // namespace lidia::unwindinfo
