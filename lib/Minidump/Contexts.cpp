//===- Contexts.cpp - Registers in a minidump -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structures are CONTEXT in winnt.h, and those of Breakpad's
/// minidump_cpu_*.h for systems without such a structure.
///
//===----------------------------------------------------------------------===//

#include "MinidumpReader.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

namespace {
/// Registers of the same size that follow each other.
struct RegisterRun {
  /// The offset of the first one, in bytes.
  unsigned Offset;
  /// Register numbers of DWARF.
  ArrayRef<uint8_t> Numbers;
};

/// The layout of a CPU's context, as far as it is needed.
struct ContextLayout {
  MinidumpCPU CPU;
  unsigned WordSize;
  /// The offset of the 32-bit flags, and the flags that identify the CPU: at
  /// least one of them is set.
  unsigned Flags;
  uint32_t CPUFlags;
  unsigned PC;
  ArrayRef<RegisterRun> Runs;
};
} // namespace

// rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
static const uint8_t X64Numbers[] = {0, 2, 1,  3,  7,  6,  4,  5,
                                     8, 9, 10, 11, 12, 13, 14, 15};
static const RegisterRun X64Runs[] = {{0x78, X64Numbers}};

// edi, esi, ebx, edx, ecx, eax, ebp; eflags; esp.
static const uint8_t X86Numbers[] = {7, 6, 3, 2, 1, 0, 5};
static const uint8_t X86SP[] = {4};
static const uint8_t X86Flags[] = {9};
static const RegisterRun X86Runs[] = {
    {0x9c, X86Numbers}, {0xc0, X86Flags}, {0xc4, X86SP}};

static const uint8_t ArmNumbers[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                     8, 9, 10, 11, 12, 13, 14, 15};
static const RegisterRun ArmRuns[] = {{4, ArmNumbers}};

// x0 to x30 and sp.
static const uint8_t AArch64Numbers[] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
static const RegisterRun AArch64Runs[] = {{8, AArch64Numbers}};

static const ContextLayout Layouts[] = {
    {MinidumpCPU::X86_64, 8, 0x30, 0x00100000, 0xf8, X64Runs},
    {MinidumpCPU::X86, 4, 0, 0x00010000, 0xb8, X86Runs},
    // The flags of Breakpad and of Windows.
    {MinidumpCPU::Arm, 4, 0, 0x40200000, 64, ArmRuns},
    // Breakpad's structure begins with 64 bits of flags, and Windows' with 32
    // bits and then the processor's state.
    {MinidumpCPU::AArch64, 8, 0, 0x80400000, 264, AArch64Runs},
};

std::optional<RegisterSet> readContext(ArrayRef<uint8_t> Bytes,
                                       MinidumpCPU CPU) {
  const auto *Layout =
      find_if(Layouts, [&](const ContextLayout &L) { return L.CPU == CPU; });
  if (Layout == std::end(Layouts))
    return std::nullopt;
  unsigned Size = Layout->WordSize;
  auto HasWords = [&](uint64_t Offset, uint64_t Count) {
    return Offset + Count * Size <= Bytes.size();
  };
  if (!HasWords(Layout->PC, 1) || !HasWords(Layout->Flags, 1) ||
      !(support::endian::read32le(Bytes.data() + Layout->Flags) &
        Layout->CPUFlags))
    return std::nullopt;
  auto Word = [&](uint64_t Offset) -> uint64_t {
    const uint8_t *At = Bytes.data() + Offset;
    return Size == 8 ? support::endian::read64le(At)
                     : support::endian::read32le(At);
  };
  RegisterSet Registers;
  Registers.PC = Word(Layout->PC);
  for (const RegisterRun &Run : Layout->Runs) {
    if (!HasWords(Run.Offset, Run.Numbers.size()))
      return std::nullopt;
    for (auto [I, Number] : enumerate(Run.Numbers))
      Registers.set(Number, Word(Run.Offset + I * Size));
  }
  return Registers;
}

} // namespace lidia
