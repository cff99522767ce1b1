//===- ELFIdentity.h - The machine that an ELF file targets -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_ELFIDENTITY_H
#define LIDIA_ARCHIVE_ELFIDENTITY_H

#include <cstdint>

namespace lidia {

/// The file format of a binary. Archives from before it was recorded have 0 for
/// any binary. Newer writers may use more values.
enum class BinaryFormat : uint8_t { ELF = 0, PE = 1, MachO = 2 };

/// The fields of an ELF header that describe the machine: e_machine, e_type,
/// e_flags and the identification bytes EI_CLASS, EI_DATA, EI_OSABI and
/// EI_ABIVERSION. For files of other formats, these are the values that an ELF
/// file for the same machine would have.
struct ELFIdentity {
  BinaryFormat Format = BinaryFormat::ELF;
  uint16_t Machine = 0;
  uint16_t Type = 0;
  uint8_t Class = 0;
  uint8_t Data = 0;
  uint8_t OSABI = 0;
  uint8_t ABIVersion = 0;
  uint32_t Flags = 0;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_ELFIDENTITY_H
