//===- SpaceModule.h - A module of an address space, opened -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_SPACEMODULE_H
#define LIDIA_PROCESS_SPACEMODULE_H

#include "lidia/Cache/ModuleArchives.h"
#include "lidia/Process/AddressSpace.h"

namespace lidia {

/// A module of an address space with its archive.
struct SpaceModule {
  LoadedModule Loaded;
  /// Null if it has none.
  std::shared_ptr<const Archive> A;
  /// Why it has no archive; empty if it has one.
  std::string Reason;

  /// Opens the module that \p M of \p Space maps. Costs some system calls, and
  /// what \p Archives does.
  static SpaceModule open(const AddressSpace &Space, const Mapping &M,
                          ModuleArchives &Archives);

  /// The module's own address of the runtime address \p Address in \p M, a
  /// mapping of \p List. Without its segments, because neither its file nor its
  /// first page is there, an address that is so if the linker did as most do.
  /// None if no segment loads it.
  std::optional<uint64_t> addressOf(const MappingList &List, const Mapping &M,
                                    uint64_t Address) const;
};

} // namespace lidia

#endif // LIDIA_PROCESS_SPACEMODULE_H
