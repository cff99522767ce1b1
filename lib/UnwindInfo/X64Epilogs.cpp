//===- X64Epilogs.cpp - Epilogues of Windows functions on x86-64 ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The search goes backwards from the bytes of a "ret" or a jump. A byte within
/// an instruction may look like a "ret", and a jump may lead to another part of
/// the function with the frame in place. So an instruction just before them
/// must free the frame.
///
//===----------------------------------------------------------------------===//

#include "X64Epilogs.h"
#include "X64UnwindCodes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace lidia::unwindinfo {

static constexpr int64_t Word = 8;

namespace {
class Finder {
public:
  Finder(StringRef Code, const UnwindRules &Body) : Code(Code), Body(Body) {}

  std::vector<X64EpilogStep> run();

private:
  uint8_t at(uint64_t Offset) const { return uint8_t(Code[Offset]); }
  uint64_t sizeOfJump(uint64_t At) const;
  bool leaves(uint64_t At, uint64_t Size, int64_t Distance) const;
  bool isPop(uint64_t At, uint64_t Size, uint8_t &Register) const;
  bool freesFrame(uint64_t End, uint64_t Pops) const;
  void addSteps(uint64_t At, uint64_t Size, bool IsReturn);

  StringRef Code;
  const UnwindRules &Body;
  std::vector<X64EpilogStep> Steps;
};
} // namespace

/// Whether a jump at \p At by \p Distance, relative to its end, leaves the
/// function.
bool Finder::leaves(uint64_t At, uint64_t Size, int64_t Distance) const {
  int64_t Target = int64_t(At + Size) + Distance;
  return Target < 0 || uint64_t(Target) >= Code.size();
}

/// The size of the jump out of the function at \p At; 0 if there is none.
uint64_t Finder::sizeOfJump(uint64_t At) const {
  uint64_t Left = Code.size() - At;
  const char *Bytes = Code.data() + At;
  if (at(At) == 0xeb && Left >= 2)
    return leaves(At, 2, int8_t(Bytes[1])) ? 2 : 0;
  if (at(At) == 0xe9 && Left >= 5)
    return leaves(At, 5, int32_t(support::endian::read32le(Bytes + 1))) ? 5 : 0;
  // Through a word in memory; through a register, for which Windows requires a
  // prefix.
  if (Left >= 6 && at(At) == 0xff && at(At + 1) == 0x25)
    return 6;
  if (Left >= 3 && (at(At) & 0xf8) == 0x48 && at(At + 1) == 0xff &&
      (at(At + 2) & 0x38) == 0x20)
    return Left >= 7 && at(At + 2) == 0x25 ? 7 : 3;
  return 0;
}

/// Whether the instruction of \p Size bytes at \p At pops a register that the
/// function has saved.
bool Finder::isPop(uint64_t At, uint64_t Size, uint8_t &Register) const {
  uint8_t Last = at(At + Size - 1);
  if ((Last & 0xf8) != 0x58 || (Size == 2 && at(At) != 0x41))
    return false;
  Register = uint8_t(x64Register((Last & 7) + (Size == 2 ? 8 : 0)));
  const RegisterRule *Rule = Body.find(Register);
  return Rule && Rule->How == RegisterRule::Kind::AtCFA;
}

/// Whether the instruction that ends at \p End frees the frame except for the
/// words that \p Pops pops take.
bool Finder::freesFrame(uint64_t End, uint64_t Pops) const {
  const int64_t Left = int64_t(Pops + 1) * Word;
  const RegisterRule &CFA = Body.CFA;
  if (CFA.How == RegisterRule::Kind::IsRegister &&
      CFA.Register == X64StackPointer && CFA.Offset == Left)
    return true;
  auto Has = [&](uint64_t Size, ArrayRef<uint8_t> First) {
    return End >= Size &&
           Code.substr(End - Size).starts_with(toStringRef(First));
  };
  const char *Bytes = Code.data();
  // add rsp with an immediate of one byte or of four.
  if (CFA.Register == X64StackPointer) {
    if (Has(4, {0x48, 0x83, 0xc4}))
      return int8_t(Bytes[End - 1]) + Left == CFA.Offset;
    // sub rsp, -128, which is shorter than adding 128.
    if (Has(4, {0x48, 0x83, 0xec}))
      return Left - int8_t(Bytes[End - 1]) == CFA.Offset;
    if (Has(7, {0x48, 0x81, 0xc4}))
      return int32_t(support::endian::read32le(Bytes + End - 4)) + Left ==
             CFA.Offset;
    return false;
  }
  // mov rsp, rbp; leave.
  if (Has(3, {0x48, 0x89, 0xec}) || Has(3, {0x48, 0x8b, 0xe5}) ||
      (Pops == 0 && Has(1, {0xc9})))
    return true;
  // lea rsp with an offset from the frame pointer.
  auto HasLEA = [&](uint64_t Size, uint8_t Mode) {
    return End >= Size && (at(End - Size) & 0xfe) == 0x48 &&
           at(End - Size + 1) == 0x8d && (at(End - Size + 2) & 0xf8) == Mode;
  };
  return HasLEA(4, 0x60) || HasLEA(7, 0xa0);
}

/// Adds the instruction of \p Size bytes at \p At, which returns or jumps, and
/// the pops before it.
void Finder::addSteps(uint64_t At, uint64_t Size, bool IsReturn) {
  uint64_t Before = Steps.empty() ? 0 : Steps.back().End;
  if (At < Before)
    return;
  std::vector<X64EpilogStep> Found = {{At, At + Size, {}}};
  while (true) {
    uint64_t Begin = Found.back().Begin;
    uint8_t Register = 0;
    uint64_t Length = Begin >= Before + 2 && isPop(Begin - 2, 2, Register) ? 2
                      : Begin >= Before + 1 && isPop(Begin - 1, 1, Register)
                          ? 1
                          : 0;
    if (Length == 0)
      break;
    X64EpilogStep Step{Begin - Length, Begin, {Register}};
    append_range(Step.Pops, Found.back().Pops);
    // An epilogue pops each register at most once.
    if (is_contained(Found.back().Pops, Register))
      break;
    Found.push_back(std::move(Step));
  }
  bool HasFramePointer = Body.CFA.Register != X64StackPointer;
  if (!freesFrame(Found.back().Begin, Found.size() - 1) &&
      !(IsReturn && HasFramePointer && Found.size() > 1))
    return;
  Steps.insert(Steps.end(), std::make_move_iterator(Found.rbegin()),
               std::make_move_iterator(Found.rend()));
}

std::vector<X64EpilogStep> Finder::run() {
  for (uint64_t At = 0; At != Code.size(); ++At) {
    if (at(At) == 0xc3) {
      // AMD recommends a prefix before a return that is a jump target.
      bool HasPrefix = At != 0 && at(At - 1) == 0xf3;
      addSteps(At - HasPrefix, 1 + HasPrefix, /*IsReturn=*/true);
    } else if (uint64_t Size = sizeOfJump(At)) {
      addSteps(At, Size, /*IsReturn=*/false);
    }
  }
  return std::move(Steps);
}

std::vector<X64EpilogStep> findX64Epilogs(StringRef Code,
                                          const UnwindRules &Body) {
  return Finder(Code, Body).run();
}

UnwindRules rulesOf(const X64EpilogStep &Step) {
  UnwindRules Rules;
  Rules.ReturnAddress = X64ReturnAddress;
  Rules.CFA.How = RegisterRule::Kind::IsRegister;
  Rules.CFA.Register = X64StackPointer;
  Rules.CFA.Offset = int64_t(Step.Pops.size() + 1) * Word;
  int64_t At = -Rules.CFA.Offset;
  auto Add = [&](uint32_t Register) {
    RegisterRule Rule;
    Rule.How = RegisterRule::Kind::AtCFA;
    Rule.Offset = At;
    At += Word;
    Rules.Registers.push_back({Register, Rule});
  };
  for (uint8_t Register : Step.Pops)
    Add(Register);
  Add(X64ReturnAddress);
  addPreservedByWindows(Rules);
  return Rules;
}

} // namespace lidia::unwindinfo
