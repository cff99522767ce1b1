//===- AddressNormalizer.cpp - Addresses without symbols ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/AddressNormalizer.h"
#include "lidia/Process/SpaceModule.h"

using namespace llvm;

namespace lidia {

NormalizedAddress AddressNormalizer::normalize(uint64_t Address) {
  NormalizedAddress Result;
  const MappingList &List = Space.mappings();
  const Mapping *M = List.find(Address);
  if (!M)
    return Result;
  Result.Source = &List.file(*M);
  if (Result.Source->Type == MappedFile::Kind::Anonymous) {
    Result.Type = ProcessAnswer::Kind::Anonymous;
    return Result;
  }
  Result.Type = ProcessAnswer::Kind::Module;
  if (!M->IsImage)
    Result.FileOffset = M->Offset + (Address - M->Begin);
  std::lock_guard<std::mutex> Lock(Mutex);
  auto [It, IsNew] = Modules.try_emplace(M->File);
  ResolvedModule &Of = It->second;
  if (IsNew) {
    Of.Loaded = Space.load(*M);
    // Only the headers and the build ID are needed.
    Of.Loaded.File.reset();
  }
  Result.Address = addressIn(Of, List, *M, Address);
  Result.BuildID = Of.Loaded.BuildID;
  return Result;
}

} // namespace lidia
