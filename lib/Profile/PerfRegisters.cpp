//===- PerfRegisters.cpp - The registers in perf's samples ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// perf has its own register numbers for each machine:
/// arch/*/include/uapi/asm/perf_regs.h in Linux.
///
//===----------------------------------------------------------------------===//

#include "PerfRegisters.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

/// In the tables below, the program counter, and registers without a DWARF
/// number.
static constexpr int8_t PC = -1;
static constexpr int8_t No = -2;

/// The DWARF numbers of perf's registers, in perf's order.
using Numbers = ArrayRef<int8_t>;

// AX, BX, CX, DX, SI, DI, BP, SP, IP, flags, CS, SS, DS, ES, FS, GS, R8 to R15.
static constexpr int8_t X8664[] = {0,  3,  2,  1,  4,  5,  6,  7,
                                   PC, No, No, No, No, No, No, No,
                                   8,  9,  10, 11, 12, 13, 14, 15};
static constexpr int8_t I386[] = {0, 3, 1, 2, 6, 7, 5, 4, PC};
// R0 to R15; R15 is the program counter.
static constexpr int8_t Arm[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                 8, 9, 10, 11, 12, 13, 14, PC};
// X0 to X30, SP, PC.
static constexpr int8_t AArch64[] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC};
// The program counter replaces register 0, which is always zero.
static constexpr int8_t ProgramCounterFirst[] = {
    PC, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
// R0 to R31, NIP, MSR, the first argument, CTR, LR.
static constexpr int8_t PPC64[] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18,
    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC, No, No, 66, 65};
// R0 to R15, F0 to F15, the mask, the program counter.
static constexpr int8_t S390x[] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
    20, 17, 21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31, No, PC};

namespace {
struct PerfMachine {
  uint16_t ELFMachine = ELF::EM_NONE;
  uint8_t WordSize = 8;
  Numbers DWARF;
};
} // namespace

/// The machine of 32-bit (perf_sample_regs_abi 1) or 64-bit programs on a
/// kernel for \p Arch.
static PerfMachine machineOf(StringRef Arch, bool Is32Bit) {
  if (Arch == "x86_64" || Arch == "i686" || Arch == "i586" || Arch == "i386")
    return Is32Bit ? PerfMachine{ELF::EM_386, 4, I386}
                   : PerfMachine{ELF::EM_X86_64, 8, X8664};
  if (Arch.starts_with("aarch64"))
    return Is32Bit ? PerfMachine{ELF::EM_ARM, 4, Arm}
                   : PerfMachine{ELF::EM_AARCH64, 8, AArch64};
  if (Arch.starts_with("arm"))
    return {ELF::EM_ARM, 4, Arm};
  if (Arch.starts_with("riscv"))
    return {ELF::EM_RISCV, uint8_t(Is32Bit ? 4 : 8), ProgramCounterFirst};
  if (Arch.starts_with("loongarch"))
    return {ELF::EM_LOONGARCH, uint8_t(Is32Bit ? 4 : 8), ProgramCounterFirst};
  if (Arch.starts_with("ppc64"))
    return {ELF::EM_PPC64, 8, PPC64};
  if (Arch == "s390x")
    return {ELF::EM_S390, 8, S390x};
  return {};
}

/// The machine of a recording that does not name it. It follows from the
/// registers, because perf records all registers of that machine.
static StringRef archOf(uint64_t Registers) {
  constexpr uint64_t OfX8664 = 0xff0fff;
  constexpr uint64_t OfAArch64 = 0x1ffffffff;
  if (Registers == OfX8664)
    return "x86_64";
  return Registers == OfAArch64 ? "aarch64" : "";
}

std::optional<PerfRegisters> PerfRegisters::of(const PerfFile &File,
                                               const PerfEvent &E,
                                               const PerfSample &S) {
  constexpr uint64_t ABI32 = 1;
  if (S.RegistersABI == 0 || S.Registers.empty())
    return std::nullopt;
  StringRef Arch = File.arch();
  if (Arch.empty())
    Arch = archOf(E.UserRegisters);
  PerfMachine M = machineOf(Arch, S.RegistersABI == ABI32);
  PerfRegisters Result;
  Result.Machine = UnwindMachine::find(M.ELFMachine, M.WordSize,
                                       File.order() == endianness::little);
  if (!Result.Machine)
    return std::nullopt;
  size_t Index = 0;
  for (unsigned Bit = 0; Bit != 64; ++Bit) {
    if (!((E.UserRegisters >> Bit) & 1))
      continue;
    uint64_t Value = S.Registers[Index++];
    if (Bit >= M.DWARF.size() || M.DWARF[Bit] == No)
      continue;
    if (M.DWARF[Bit] == PC)
      Result.Values.PC = Value;
    else
      Result.Values.set(unsigned(M.DWARF[Bit]), Value);
  }
  return Result;
}

} // namespace lidia
