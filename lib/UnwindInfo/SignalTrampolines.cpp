//===- SignalTrampolines.cpp - Code that returns from signals -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignalTrampolines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include <string>

using namespace llvm;

namespace lidia {
namespace unwindinfo {

namespace {

/// The registers that the kernel stored: words from Offset on, each with
/// DWARF's number of its register. PC is the number that stands for the program
/// counter, which on machines with a link register is not the column of the
/// return address.
struct SavedRegisters {
  uint8_t SP;
  uint8_t PC;
  uint8_t Numbers[33];
  uint8_t Count;
};

/// One way to write a trampoline.
struct Trampoline {
  uint16_t Machine;
  uint8_t WordSize;
  /// Instructions begin at multiples of it.
  uint8_t Alignment;
  StringLiteral Code;
  const SavedRegisters &Saved;
  /// The distance of the first register from the stack pointer.
  int32_t Offset;
  /// The size of a first instruction that pops a word; zero if there is none.
  /// Offset is that after it.
  uint8_t PopSize = 0;
  bool IsCertain = true;
};

} // namespace

static constexpr uint8_t None = 0xff;

template <size_t N>
static constexpr StringLiteral bytes(const char (&Text)[N]) {
  return StringLiteral::withInnerNUL(Text);
}

/// r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip.
static constexpr SavedRegisters X64{
    7, 16, {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16}, 17};
/// edi, esi, ebp, esp, ebx, edx, ecx, eax, trapno, err, eip.
static constexpr SavedRegisters I386{
    4, 8, {7, 6, 5, 4, 3, 2, 1, 0, None, None, 8}, 11};
/// x0 to x30, sp, pc.
static constexpr SavedRegisters AArch64{
    31,
    32,
    {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
    33};
/// r0 to r15.
static constexpr SavedRegisters Arm{
    13, 15, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 16};
/// pc, x1 to x31.
static constexpr SavedRegisters RISCV{
    2,
    64,
    {64, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
     16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
    32};
/// The address in the program status word, r0 to r15.
static constexpr SavedRegisters S390{
    15, 65, {65, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 17};

/// PowerPC has only the kernel's trampoline, whose rows are complete.
static constexpr Trampoline Trampolines[] = {
    // mov $15,%eax and mov $15,%rax; syscall
    {ELF::EM_X86_64, 8, 1, bytes("\xb8\x0f\0\0\0\x0f\x05"), X64, 40},
    {ELF::EM_X86_64, 8, 1, bytes("\x48\xc7\xc0\x0f\0\0\0\x0f\x05"), X64, 40},
    // pop %eax; mov $119,%eax; int $0x80 and mov $173,%eax; int $0x80
    {ELF::EM_386, 4, 1, bytes("\x58\xb8\x77\0\0\0\xcd\x80"), I386, 16, 1},
    {ELF::EM_386, 4, 1, bytes("\xb8\xad\0\0\0\xcd\x80"), I386, 176},
    // mov x8,#139; svc #0
    {ELF::EM_AARCH64, 8, 4, bytes("\x68\x11\x80\xd2\x01\0\0\xd4"), AArch64,
     312},
    // mov r7,#119; svc #0 and mov r7,#173; svc #0, in Arm's encoding, Thumb's
    // and that of the old ABI
    {ELF::EM_ARM, 4, 4, bytes("\x77\x70\xa0\xe3\0\0\0\xef"), Arm, 32},
    {ELF::EM_ARM, 4, 4, bytes("\xad\x70\xa0\xe3\0\0\0\xef"), Arm, 160},
    {ELF::EM_ARM, 4, 2, bytes("\x77\x27\0\xdf"), Arm, 32},
    {ELF::EM_ARM, 4, 2, bytes("\xad\x27\0\xdf"), Arm, 160},
    {ELF::EM_ARM, 4, 4, bytes("\x77\0\x90\xef"), Arm, 32},
    {ELF::EM_ARM, 4, 4, bytes("\xad\0\x90\xef"), Arm, 160},
    // li a7,139; ecall
    {ELF::EM_RISCV, 8, 2, bytes("\x93\x08\xb0\x08\x73\0\0\0"), RISCV, 304},
    {ELF::EM_RISCV, 4, 2, bytes("\x93\x08\xb0\x08\x73\0\0\0"), RISCV, 288},
    // svc 119 and svc 173
    {ELF::EM_S390, 8, 2, bytes("\x0a\x77"), S390, 184, 0, false},
    {ELF::EM_S390, 8, 2, bytes("\x0a\xad"), S390, 344, 0, false},
};

static RegisterRule rule(RegisterRule::Kind How, int64_t Offset,
                         uint32_t Register = 0) {
  RegisterRule R;
  R.How = How;
  R.Offset = Offset;
  R.Register = Register;
  return R;
}

/// The rules where the first register is \p Offset above the stack pointer,
/// which stands for the CFA, so that equal distances take few bytes.
static UnwindRules rulesOf(const Trampoline &T, int64_t Offset) {
  UnwindRules Rules;
  Rules.IsSignalFrame = true;
  Rules.ReturnAddress = T.Saved.PC;
  Rules.CFA = rule(RegisterRule::Kind::IsRegister, 0, T.Saved.SP);
  for (unsigned I = 0; I != T.Saved.Count; ++I)
    if (uint8_t Number = T.Saved.Numbers[I]; Number != None)
      Rules.Registers.push_back(
          {Number,
           rule(RegisterRule::Kind::AtCFA, Offset + int64_t(I) * T.WordSize)});
  llvm::sort(Rules.Registers, less_first());
  return Rules;
}

/// Whether \p Before ends with a REX prefix, which changes the register of the
/// x86-64 instruction that follows.
static bool hasPrefix(const Trampoline &T, StringRef Before) {
  return T.Machine == ELF::EM_X86_64 && !Before.empty() &&
         (uint8_t(Before.back()) & 0xf0) == 0x40;
}

static void visit(const Trampoline &T, uint64_t Begin, VisitTrampoline Visit) {
  const uint64_t End = Begin + T.Code.size();
  if (uint64_t Popped = Begin + T.PopSize; T.PopSize) {
    Visit({Begin, Popped, 0}, rulesOf(T, T.Offset + T.WordSize), T.IsCertain);
    Begin = Popped;
  }
  Visit({Begin, End, 0}, rulesOf(T, T.Offset), T.IsCertain);
}

/// The byte of \p T that is rarest in other code; its search takes most of the
/// time. It is in the last instruction but for RISC-V's, which ends with zeros.
static size_t rarestByte(const Trampoline &T) {
  return T.Machine == ELF::EM_RISCV ? 2 : T.Code.size() - 1;
}

void visitSignalTrampolines(uint16_t ELFMachine, uint8_t WordSize,
                            uint64_t Address, StringRef Code,
                            VisitTrampoline Visit) {
  SmallVector<const Trampoline *, 8> Forms;
  std::string Bytes;
  for (const Trampoline &T : Trampolines) {
    if (T.Machine != ELFMachine || T.WordSize != WordSize)
      continue;
    Forms.push_back(&T);
    if (char Byte = T.Code[rarestByte(T)]; !is_contained(Bytes, Byte))
      Bytes += Byte;
  }
  for (char Byte : Bytes)
    for (size_t At = Code.find(Byte); At != StringRef::npos;
         At = Code.find(Byte, At + 1))
      for (const Trampoline *T : Forms) {
        const size_t Before = rarestByte(*T);
        if (T->Code[Before] == Byte && At >= Before &&
            Code.substr(At - Before).starts_with(T->Code) &&
            (Address + At - Before) % T->Alignment == 0 &&
            !hasPrefix(*T, Code.take_front(At - Before)))
          visit(*T, Address + At - Before, Visit);
      }
}

} // namespace unwindinfo
} // namespace lidia
