//===- KernelRegisters.cpp - Registers as Linux writes them ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRegisters.h"
#include "Modules/ELFHeaders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include <csignal>
#include <cstring>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {

/// A word of elf_gregset_t that is not a general register.
constexpr uint8_t None = 0xff;
/// The word with the program counter.
constexpr uint8_t PC = 0xfe;

/// The words of a machine's elf_gregset_t: DWARF's number of each. Later words
/// are not needed. The orders are those of struct user_regs_struct or pt_regs
/// in Linux (arch/*/include/uapi/asm/ptrace.h and
/// arch/x86/include/asm/user*.h), the numbers those of each ABI's supplement
/// about DWARF.
struct RegisterLayout {
  uint16_t Machine;
  uint8_t WordSize;
  ArrayRef<uint8_t> Numbers;
};

// r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs
// eflags rsp
constexpr uint8_t X64[] = {15, 14, 13, 12, 6, 3,    11, 10,   9,    8,
                           0,  2,  1,  4,  5, None, PC, None, None, 7};
// ebx ecx edx esi edi ebp eax ds es fs gs orig_eax eip cs eflags esp
constexpr uint8_t I386[] = {3,    1,    2,    6,    7,  5,    0,    None,
                            None, None, None, None, PC, None, None, 4};
// x0 ... x30 sp pc
constexpr uint8_t AArch64[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC};
// r0 ... r14 pc
constexpr uint8_t ARM[] = {0, 1, 2,  3,  4,  5,  6,  7,
                           8, 9, 10, 11, 12, 13, 14, PC};
// pc x1 ... x31
constexpr uint8_t RISCV[] = {PC, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                             11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                             22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
// r0 ... r31 nip msr orig_r3 ctr lr
constexpr uint8_t PPC64[] = {0,  1,  2,  3,    4,    5,    6,  7,  8,  9,
                             10, 11, 12, 13,   14,   15,   16, 17, 18, 19,
                             20, 21, 22, 23,   24,   25,   26, 27, 28, 29,
                             30, 31, PC, None, None, None, 65};
// psw.mask psw.addr r0 ... r15
constexpr uint8_t S390X[] = {None, PC, 0, 1,  2,  3,  4,  5,  6,
                             7,    8,  9, 10, 11, 12, 13, 14, 15};

const RegisterLayout Layouts[] = {
    {ELF::EM_X86_64, 8, X64},      {ELF::EM_386, 4, I386},
    {ELF::EM_AARCH64, 8, AArch64}, {ELF::EM_ARM, 4, ARM},
    {ELF::EM_RISCV, 8, RISCV},     {ELF::EM_PPC64, 8, PPC64},
    {ELF::EM_S390, 8, S390X},
};

} // namespace

static uint64_t readWord(const uint8_t *From, unsigned Size, endianness Order) {
  return Size == 8 ? support::endian::read<uint64_t>(From, Order)
                   : support::endian::read<uint32_t>(From, Order);
}

const UnwindMachine *unwindMachineOf(const ELFHeaders &H) {
  return UnwindMachine::find(H.Identity.Machine, H.is64() ? 8 : 4,
                             H.order() == endianness::little);
}

unsigned offsetInStatus(unsigned WordSize) { return WordSize == 8 ? 112 : 72; }

void readRegisterSet(const UnwindMachine &Machine, ArrayRef<uint8_t> Bytes,
                     ThreadState &T) {
  const auto *Layout = find_if(Layouts, [&](const RegisterLayout &L) {
    return L.Machine == Machine.ELFMachine && L.WordSize == Machine.WordSize;
  });
  T.HasRegisters = false;
  if (Layout == std::end(Layouts) ||
      Bytes.size() < Layout->Numbers.size() * Layout->WordSize)
    return;
  endianness Order =
      Machine.IsLittleEndian ? endianness::little : endianness::big;
  for (auto [Index, Number] : enumerate(Layout->Numbers)) {
    uint64_t Value = readWord(Bytes.data() + Index * Layout->WordSize,
                              Layout->WordSize, Order);
    if (Number == PC)
      T.Registers.PC = Value;
    else if (Number != None)
      T.Registers.set(Number, Value);
  }
  T.HasRegisters = true;
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// Whether the signal is a fault of the processor with an address.
static bool isFault(unsigned Signal) {
  return is_contained({SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV}, int(Signal));
}

ThreadStop readSignalInfo(ArrayRef<uint8_t> Bytes, unsigned WordSize,
                          bool IsLittleEndian) {
  ThreadStop Stop;
  // si_signo, si_errno, si_code, and a union, aligned to a word
  // (include/uapi/asm-generic/siginfo.h).
  const uint64_t Union = WordSize == 8 ? 16 : 12;
  if (Bytes.size() < Union + 8)
    return Stop;
  endianness Order = IsLittleEndian ? endianness::little : endianness::big;
  Stop.Signal = uint32_t(readWord(Bytes.data(), 4, Order));
  int32_t Code = int32_t(readWord(Bytes.data() + 8, 4, Order));
  Stop.Code = Code;
  // The kernel does not know the address of each fault.
  constexpr int32_t SentByKernel = 0x80;
  if (isFault(Stop.Signal) && Code > 0 && Code != SentByKernel)
    Stop.FaultAddress = readWord(Bytes.data() + Union, WordSize, Order);
  // SI_USER, SI_QUEUE and SI_TKILL.
  if (is_contained({0, -1, -6}, Code))
    Stop.Sender = uint32_t(readWord(Bytes.data() + Union, 4, Order));
  return Stop;
}

std::string signalName(unsigned Number) {
  // The numbers of most of Linux's machines.
  static constexpr StringLiteral Names[] = {
      "HUP",  "INT",    "QUIT", "ILL",   "TRAP", "ABRT", "BUS",  "FPE",
      "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM", "STKFLT",
      "CHLD", "CONT",   "STOP", "TSTP",  "TTIN", "TTOU", "URG",  "XCPU",
      "XFSZ", "VTALRM", "PROF", "WINCH", "IO",   "PWR",  "SYS"};
  if (Number == 0 || Number > std::size(Names))
    return "";
  return ("SIG" + Names[Number - 1]).str();
}

std::string toString(const ThreadStop &S) {
  if (!S.isKnown())
    return "";
  std::string Text = S.Other;
  if (Text.empty())
    Text = signalName(S.Signal);
  if (Text.empty())
    Text = "signal " + utostr(S.Signal);
  if (S.FaultAddress)
    Text += " (address 0x" + utohexstr(*S.FaultAddress, true) + ")";
  else if (S.Sender)
    Text += " (sent by process " + utostr(*S.Sender) + ")";
  else if (S.Code && isFault(S.Signal))
    Text += " (address not known)";
  return Text;
}

} // namespace lidia
