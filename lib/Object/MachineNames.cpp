//===- MachineNames.cpp - Machines in other symbol formats ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;
using namespace llvm::ELF;

namespace lidia {

static constexpr MachineNames Machines[] = {
    {EM_386, ELFCLASS32, ELFDATA2LSB, "x86", 101},
    {EM_X86_64, ELFCLASS64, ELFDATA2LSB, "x86_64", 201},
    {EM_AARCH64, ELFCLASS64, ELFDATA2LSB, "arm64", 401},
    {EM_ARM, ELFCLASS32, ELFDATA2LSB, "arm", 301},
    {EM_PPC64, ELFCLASS64, ELFDATA2LSB, "ppc64", 601},
    {EM_PPC, ELFCLASS32, ELFDATA2MSB, "ppc", 501},
    {EM_MIPS, ELFCLASS64, ELFDATA2MSB, "mips64", 801},
    {EM_MIPS, ELFCLASS32, ELFDATA2MSB, "mips", 701},
    {EM_RISCV, ELFCLASS64, ELFDATA2LSB, "riscv64", 0},
    {EM_RISCV, ELFCLASS32, ELFDATA2LSB, "riscv", 0},
    {EM_S390, ELFCLASS64, ELFDATA2MSB, "s390x", 0},
};

static const MachineNames *
findMachine(function_ref<bool(const MachineNames &)> IsMeant) {
  const auto *Found = find_if(Machines, IsMeant);
  return Found == std::end(Machines) ? nullptr : Found;
}

const MachineNames *machineNames(uint16_t Machine, uint8_t Class) {
  bool HasClasses = Machine == EM_MIPS || Machine == EM_RISCV;
  return findMachine([&](const MachineNames &M) {
    return M.Machine == Machine && (!HasClasses || M.Class == Class);
  });
}

const MachineNames *machineFromBreakpad(StringRef Name) {
  if (const MachineNames *Same = findMachine(
          [&](const MachineNames &M) { return M.Breakpad == Name; }))
    return Same;
  // "arm64e" and "armv7", but not "ppc64" for "ppc".
  return findMachine([&](const MachineNames &M) {
    return M.Breakpad.starts_with("arm") && Name.starts_with(M.Breakpad);
  });
}

const MachineNames *machineFromSymCache(uint32_t Number) {
  return findMachine([&](const MachineNames &M) {
    return M.SymCache && M.SymCache / 100 == Number / 100;
  });
}

} // namespace lidia
