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
  /// The archive; null if the module has none.
  std::shared_ptr<const Archive> A;
  /// Why it has no archive; empty if it has one.
  std::string Reason;

  /// Opens the module that \p M of \p Space maps, and its archive with
  /// \p Archives. Takes some system calls for the module.
  static SpaceModule open(const AddressSpace &Space, const Mapping &M,
                          ModuleArchives &Archives);

  /// Converts the runtime address \p Address in \p M, a mapping of \p List, to
  /// the module's own address. If the segments are not known because neither
  /// the file nor its first page is available, assumes the layout that most
  /// linkers produce. None if no segment contains the address.
  std::optional<uint64_t> addressOf(const MappingList &List, const Mapping &M,
                                    uint64_t Address) const;
};

} // namespace lidia

#endif // LIDIA_PROCESS_SPACEMODULE_H
