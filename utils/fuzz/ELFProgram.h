//===- ELFProgram.h - The headers of a synthetic program --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_ELFPROGRAM_H
#define LIDIA_UTILS_FUZZ_ELFPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/SwapByteOrder.h"
#include <algorithm>

namespace lidia {

/// Fills in the ELF header of an x86-64 program, whose section headers
/// \p Sections are at \p SectionsOffset in the file, and the first two section
/// headers: the null section, and code without contents at \p Code. The
/// section's name is at offset 1 in the last section, which contains the names.
inline void startProgram(llvm::ELF::Elf64_Ehdr &Header,
                         llvm::MutableArrayRef<llvm::ELF::Elf64_Shdr> Sections,
                         uint64_t SectionsOffset, uint64_t Code,
                         uint64_t CodeSize) {
  using namespace llvm;
  static_assert(sys::IsLittleEndianHost, "headers are written as they are");
  std::copy_n(ELF::ElfMagic, 4, Header.e_ident);
  Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  Header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  Header.e_type = ELF::ET_EXEC;
  Header.e_machine = ELF::EM_X86_64;
  Header.e_version = ELF::EV_CURRENT;
  Header.e_ehsize = sizeof(Header);
  Header.e_shoff = SectionsOffset;
  Header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  Header.e_shnum = uint16_t(Sections.size());
  Header.e_shstrndx = uint16_t(Sections.size() - 1);
  ELF::Elf64_Shdr &Text = Sections[1];
  Text.sh_name = 1;
  Text.sh_type = ELF::SHT_NOBITS;
  Text.sh_flags = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
  Text.sh_addr = Code;
  Text.sh_size = CodeSize;
}

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_ELFPROGRAM_H
