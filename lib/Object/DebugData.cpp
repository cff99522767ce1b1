//===- DebugData.cpp - The file in .gnu_debugdata -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugData.h"
#include "Decompress.h"
#include "lidia/Error.h"

using namespace llvm;

namespace lidia {

Expected<std::unique_ptr<Binary>> openDebugData(Binary &Main) {
  const Section *S = Main.findSection(".gnu_debugdata");
  if (!S)
    return nullptr;
  Expected<StringRef> Packed = Main.contents(*S);
  if (!Packed)
    return Packed.takeError();
  std::string Path = (Main.path() + "(" + S->Name + ")").str();
  Expected<std::unique_ptr<TemporaryMapping>> Mapping = decompressXz(*Packed);
  if (!Mapping)
    return addPrefix(Path, Mapping.takeError());
  Expected<std::unique_ptr<Binary>> File =
      Binary::create(asBuffer(std::move(*Mapping)), Path);
  if (!File)
    return File.takeError();
  const ELFIdentity &A = (*File)->identity(), &B = Main.identity();
  if (A.Machine != B.Machine || A.Class != B.Class || A.Data != B.Data)
    return make_error<DamagedError>(Path, "it is for another machine");
  return File;
}

} // namespace lidia
