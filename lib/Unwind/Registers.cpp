//===- Registers.cpp - Registers of a thread ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Unwind/Registers.h"
#include "lidia/Archive/Archive.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

/// The numbers are those of each machine's DWARF ABI.
static constexpr UnwindMachine Machines[] = {
    // Machine, word, little-endian, SP, FP, RA, pushes, preserved
    {ELF::EM_X86_64, 8, true, 7, 6, 16, true, 0xf048},
    {ELF::EM_X86_64, 4, true, 7, 6, 16, true, 0xf048},
    {ELF::EM_386, 4, true, 4, 5, 8, true, 0xe8},
    {ELF::EM_AARCH64, 8, true, 31, 29, 30, false, 0x3ff80000},
    {ELF::EM_AARCH64, 8, false, 31, 29, 30, false, 0x3ff80000},
    {ELF::EM_ARM, 4, true, 13, 11, 14, false, 0xff0},
    {ELF::EM_ARM, 4, false, 13, 11, 14, false, 0xff0},
    {ELF::EM_RISCV, 8, true, 2, 8, 1, false, 0xffc0300},
    {ELF::EM_RISCV, 4, true, 2, 8, 1, false, 0xffc0300},
    {ELF::EM_PPC64, 8, true, 1, 31, 65, false, 0xffffc004},
    {ELF::EM_PPC64, 8, false, 1, 31, 65, false, 0xffffc004},
    {ELF::EM_PPC, 4, false, 1, 31, 65, false, 0xffffc004},
    {ELF::EM_S390, 8, false, 15, 11, 14, false, 0xff001fc0},
};

const UnwindMachine *UnwindMachine::find(uint16_t ELFMachine, uint8_t WordSize,
                                         bool IsLittleEndian) {
  for (const UnwindMachine &M : Machines)
    if (M.ELFMachine == ELFMachine && M.WordSize == WordSize &&
        M.IsLittleEndian == IsLittleEndian)
      return &M;
  return nullptr;
}

const UnwindMachine *UnwindMachine::find(const ArchiveInfo &Info) {
  return find(Info.Machine, Info.Class == ELF::ELFCLASS64 ? 8 : 4,
              Info.Data != ELF::ELFDATA2MSB);
}

const UnwindMachine *UnwindMachine::own() {
  constexpr uint16_t Own =
#if defined(__x86_64__)
      ELF::EM_X86_64;
#elif defined(__aarch64__)
      ELF::EM_AARCH64;
#elif defined(__i386__)
      ELF::EM_386;
#elif defined(__arm__)
      ELF::EM_ARM;
#elif defined(__riscv)
      ELF::EM_RISCV;
#elif defined(__powerpc64__)
      ELF::EM_PPC64;
#elif defined(__s390x__)
      ELF::EM_S390;
#else
      ELF::EM_NONE;
#endif
  return find(Own, sizeof(void *), endianness::native == endianness::little);
}

const UnwindMachine *UnwindMachine::named(StringRef Name) {
  if (Name.size() == 4 && Name.starts_with("i") && Name.ends_with("86"))
    return find(ELF::EM_386, 4, true);
  if (Name.starts_with("arm") && Name != "arm64")
    return find(ELF::EM_ARM, 4, !Name.ends_with("b"));
  return StringSwitch<const UnwindMachine *>(Name)
      .Cases("x86_64", "amd64", find(ELF::EM_X86_64, 8, true))
      .Cases("aarch64", "arm64", find(ELF::EM_AARCH64, 8, true))
      .Case("riscv64", find(ELF::EM_RISCV, 8, true))
      .Case("ppc64le", find(ELF::EM_PPC64, 8, true))
      .Case("ppc64", find(ELF::EM_PPC64, 8, false))
      .Case("s390x", find(ELF::EM_S390, 8, false))
      .Default(nullptr);
}

bool UnwindMachine::isPreserved(unsigned Number) const {
  return Number < 32 && (Preserved >> Number & 1);
}

/// The names of registers from number 0 on.
static ArrayRef<StringLiteral> registerNames(uint16_t ELFMachine) {
  static constexpr StringLiteral X64[] = {
      "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
      "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
  static constexpr StringLiteral I386[] = {
      "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags"};
  static constexpr StringLiteral AArch64[] = {
      "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",
      "x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
      "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
      "x27", "x28", "x29", "x30", "sp",  "pc"};
  static constexpr StringLiteral Arm[] = {"r0",  "r1", "r2", "r3", "r4",  "r5",
                                          "r6",  "r7", "r8", "r9", "r10", "r11",
                                          "r12", "sp", "lr", "pc"};
  static constexpr StringLiteral RISCV[] = {
      "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  switch (ELFMachine) {
  case ELF::EM_X86_64:
    return X64;
  case ELF::EM_386:
    return I386;
  case ELF::EM_AARCH64:
    return AArch64;
  case ELF::EM_ARM:
    return Arm;
  case ELF::EM_RISCV:
    return RISCV;
  default:
    return {};
  }
}

std::string UnwindMachine::registerName(unsigned Number) const {
  ArrayRef<StringLiteral> Names = registerNames(ELFMachine);
  if (Number < Names.size())
    return Names[Number].str();
  if (ELFMachine == ELF::EM_PPC64 || ELFMachine == ELF::EM_PPC)
    return Number == 65 ? "lr" : "r" + std::to_string(Number);
  return "r" + std::to_string(Number);
}

} // namespace lidia
