//===- Relocations.cpp - Addresses of a relocatable export ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relocations.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

std::optional<RelocationKind> RelocationKind::of(const ELFIdentity &Machine) {
  bool Is64 = Machine.Class == ELF::ELFCLASS64;
  switch (Machine.Machine) {
  case ELF::EM_X86_64:
    return RelocationKind{Is64 ? ELF::R_X86_64_64 : ELF::R_X86_64_32, true};
  case ELF::EM_386:
    return RelocationKind{ELF::R_386_32, false};
  case ELF::EM_AARCH64:
    return RelocationKind{ELF::R_AARCH64_ABS64, true};
  case ELF::EM_ARM:
    return RelocationKind{ELF::R_ARM_ABS32, false};
  case ELF::EM_RISCV:
    return RelocationKind{Is64 ? ELF::R_RISCV_64 : ELF::R_RISCV_32, true};
  case ELF::EM_PPC64:
    return RelocationKind{ELF::R_PPC64_ADDR64, true};
  case ELF::EM_S390:
    return RelocationKind{Is64 ? ELF::R_390_64 : ELF::R_390_32, true};
  case ELF::EM_LOONGARCH:
    return RelocationKind{Is64 ? ELF::R_LARCH_64 : ELF::R_LARCH_32, true};
  }
  return std::nullopt;
}

SectionWriter relocationsOf(SectionWriter &Section, const RelocationKind &Kind,
                            function_ref<RelocationBase(uint64_t)> BaseOf) {
  SectionWriter Out(Section.target());
  bool Is64 = Section.target().AddressSize == 8;
  for (auto [Offset, Address] : Section.codeAddresses()) {
    RelocationBase Base = BaseOf(Address);
    uint64_t Distance = Address - Base.Address;
    Section.patchAddress(Offset, Distance);
    Out.address(Offset);
    Out.address(Is64 ? uint64_t(Base.Symbol) << 32 | Kind.Type
                     : Base.Symbol << 8 | (Kind.Type & 0xff));
    if (Kind.HasAddend)
      Out.address(Distance);
  }
  return Out;
}

} // namespace lidia
