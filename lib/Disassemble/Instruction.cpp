//===- Instruction.cpp - One instruction as text --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Disassemble/Instruction.h"
#include "Decoder.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

/// The architecture; unknown if no disassembler of LLVM can be chosen by what
/// \p Code has.
static Triple::ArchType archOf(const MachineCode &Code) {
  switch (Code.ELFMachine) {
  case ELF::EM_X86_64:
    return Triple::x86_64;
  case ELF::EM_386:
    return Triple::x86;
  case ELF::EM_AARCH64:
    // Instructions are little-endian, whatever data is.
    return Triple::aarch64;
  case ELF::EM_RISCV:
    return Code.WordSize == 8 ? Triple::riscv64 : Triple::riscv32;
  case ELF::EM_PPC64:
    return Code.IsLittleEndian ? Triple::ppc64le : Triple::ppc64;
  case ELF::EM_PPC:
    return Triple::ppc;
  case ELF::EM_S390:
    return Triple::systemz;
  default:
    return Triple::UnknownArch;
  }
}

Expected<std::vector<InstructionText>> disassemble(MachineCode Code,
                                                   size_t Max) {
  Machine M;
  M.Triple.setArch(archOf(Code));
  // The file does not say which extensions its code uses.
  if (M.Triple.isAArch64())
    M.Features = "+all";
  else if (M.Triple.isRISCV())
    M.Features = "+m,+a,+f,+d,+c";
  Expected<std::unique_ptr<Decoder>> D = Decoder::create(M);
  if (!D)
    return D.takeError();
  std::vector<InstructionText> Result;
  while (Result.size() != Max && !Code.Bytes.empty()) {
    InstructionText I;
    I.Size = (*D)->print(Code.Bytes, Code.Address, I.Text);
    if (I.Size == 0 || I.Size > Code.Bytes.size())
      break;
    Code.Bytes = Code.Bytes.drop_front(I.Size);
    Code.Address += I.Size;
    Result.push_back(std::move(I));
  }
  return Result;
}

} // namespace lidia
