//===- Relocations.h - Addresses of a relocatable export --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A loader places each section of a relocatable object (a kernel module) on
/// its own. So each code address in the object's DWARF is a relocation against
/// the symbol of its section.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_RELOCATIONS_H
#define LIDIA_LIB_EXPORT_RELOCATIONS_H

#include "SectionWriter.h"
#include "lidia/Archive/ELFIdentity.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace lidia {

/// The type of relocation that stores an address, for one machine.
struct RelocationKind {
  uint32_t Type = 0;
  /// Whether the relocation has the addend (SHT_RELA), or the relocated bytes
  /// have it (SHT_REL).
  bool HasAddend = true;

  /// None for unsupported machines.
  static std::optional<RelocationKind> of(const ELFIdentity &Machine);
};

/// The section of an address: its symbol and its address.
struct RelocationBase {
  uint32_t Symbol = 0;
  uint64_t Address = 0;
};

/// Returns the relocations of \p Section, and replaces the section's addresses
/// by their distances from their bases. \p BaseOf returns the base of an
/// address.
SectionWriter
relocationsOf(SectionWriter &Section, const RelocationKind &Kind,
              llvm::function_ref<RelocationBase(uint64_t)> BaseOf);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_RELOCATIONS_H
