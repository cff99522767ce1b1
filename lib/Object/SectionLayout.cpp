//===- SectionLayout.cpp - Addresses for relocatable objects --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SectionLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

bool hasPlace(const Section &S) {
  return (S.Flags & ELF::SHF_EXECINSTR) && (S.Flags & ELF::SHF_ALLOC);
}

uint64_t addressOfNothing(bool Is64Bit) {
  // Not zero when truncated to 32 bits either.
  return Is64Bit ? 0x4000'0000'c000'0000 : 0xc000'0000;
}

uint64_t placeSections(MutableArrayRef<Section> Sections, bool Is64Bit) {
  const uint64_t Limit = addressOfNothing(Is64Bit);
  uint64_t End = 0, LeftOut = 0;
  auto Place = [&](Section &S) {
    // An alignment that is not a power of two is invalid.
    uint64_t Start = isPowerOf2_64(S.Alignment) && S.Alignment < Limit
                         ? alignTo(End, S.Alignment)
                         : End;
    if (S.Size == 0 || S.Size >= Limit || Start >= Limit - S.Size) {
      LeftOut += S.Size != 0;
      S.Flags &= ~uint64_t(ELF::SHF_EXECINSTR);
      return;
    }
    S.Address = Start;
    End = Start + S.Size;
  };
  for (bool IsInit : {false, true})
    for (Section &S : Sections)
      if (hasPlace(S) && StringRef(S.Name).starts_with(".init") == IsInit)
        Place(S);
  return LeftOut;
}

std::vector<const Section *> placedSections(const Binary &File) {
  std::vector<const Section *> Placed;
  for (const Section &S : File.sections())
    if (hasPlace(S) && S.Size != 0)
      Placed.push_back(&S);
  llvm::sort(Placed, [](const Section *A, const Section *B) {
    return A->Address < B->Address;
  });
  return Placed;
}

bool haveSamePlaces(const Binary &A, const Binary &B) {
  return llvm::equal(placedSections(A), placedSections(B),
                     [](const Section *X, const Section *Y) {
                       return X->Address == Y->Address && X->Size == Y->Size;
                     });
}

} // namespace lidia
