//===- SpaceModule.cpp - A module of an address space, opened -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/SpaceModule.h"

using namespace llvm;

namespace lidia {

ResolvedModule openModule(const AddressSpace &Space, const Mapping &M,
                          ModuleResolver &Modules) {
  ResolvedModule Result = Modules.resolve(Space.load(M));
  if (Result.A || Result.Loaded.File)
    return Result;
  LoadedModule Loaded = std::move(Result.Loaded);
  Space.loadFromMemory(M, Loaded);
  if (Loaded.File)
    return Modules.resolve(std::move(Loaded));
  Result.Loaded = std::move(Loaded);
  return Result;
}

/// Where the first byte of the file of \p M that is loaded below \p Address is.
static std::optional<uint64_t> firstByte(const MappingList &List,
                                         const Mapping &M, uint64_t Address) {
  std::optional<uint64_t> First;
  for (uint32_t Index : List.mappingsOf(M.File)) {
    const Mapping &Other = List.mappings()[Index];
    if (Other.Begin > Address)
      break;
    if (Other.Offset == 0)
      First = Other.Begin;
  }
  return First;
}

std::optional<uint64_t> addressIn(const ResolvedModule &Of,
                                  const MappingList &List, const Mapping &M,
                                  uint64_t Address) {
  ModulePlace Place = {M.Begin, M.Offset, M.Executable, M.IsImage, {}};
  if (!Of.Loaded.Headers)
    Place.FirstByte = firstByte(List, M, Address);
  return Of.addressOf(Place, Address);
}

} // namespace lidia
