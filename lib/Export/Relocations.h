//===- Relocations.h - Addresses of a relocatable export --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The sections of a relocatable object (a kernel module) are placed when it is
/// loaded, each on its own. So each address of code in the DWARF of one is a
/// relocation against the symbol of its section.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_RELOCATIONS_H
#define LIDIA_LIB_EXPORT_RELOCATIONS_H

#include "SectionWriter.h"
#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace lidia {

/// The relocation of a machine that stores an address.
struct RelocationKind {
  uint32_t Type = 0;
  /// Whether the relocation has the addend (SHT_RELA), or its place (SHT_REL).
  bool HasAddend = true;

  /// None for machines that are not known here.
  static std::optional<RelocationKind> of(const ELFIdentity &Machine);
};

/// Where an address is: the symbol of its section, and the section's address.
struct RelocationBase {
  uint32_t Symbol = 0;
  uint64_t Address = 0;
};

/// The relocations of \p Section, whose addresses become the distances from
/// their bases. \p BaseOf is called with each address.
SectionWriter
relocationsOf(SectionWriter &Section, const RelocationKind &Kind,
              llvm::function_ref<RelocationBase(uint64_t)> BaseOf);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_RELOCATIONS_H
