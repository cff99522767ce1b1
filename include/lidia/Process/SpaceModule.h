//===- SpaceModule.h - A module of an address space, opened -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROCESS_SPACEMODULE_H
#define LIDIA_PROCESS_SPACEMODULE_H

#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Process/AddressSpace.h"

namespace lidia {

/// Opens the module that \p M of \p Space maps, and its archive with
/// \p Modules. Takes some system calls for the module.
ResolvedModule openModule(const AddressSpace &Space, const Mapping &M,
                          ModuleResolver &Modules);

/// Converts the runtime address \p Address in \p M, a mapping of \p List, to
/// the own address of its module \p Of.
std::optional<uint64_t> addressIn(const ResolvedModule &Of,
                                  const MappingList &List, const Mapping &M,
                                  uint64_t Address);

} // namespace lidia

#endif // LIDIA_PROCESS_SPACEMODULE_H
