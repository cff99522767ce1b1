//===- LoadedLayout.cpp - The loaded parts of a binary --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedLayout.h"
#include "Binary.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

BinaryLayout loadedLayout(const Binary &File) {
  BinaryLayout Layout;
  if (File.identity().Type != ELF::ET_REL)
    for (const Segment &S : File.segments())
      if (S.Type == ELF::PT_LOAD)
        Layout.Segments.push_back(
            {S.Flags, S.Address, S.MemorySize, S.Alignment});
  for (const Section &S : File.sections())
    if (S.Flags & ELF::SHF_ALLOC)
      Layout.Sections.push_back(
          {S.Name, S.Type, S.Flags, S.Address, S.Size, S.Alignment});
  return Layout;
}

} // namespace lidia
