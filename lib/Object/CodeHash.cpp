//===- CodeHash.cpp - What stands for a missing build ID ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeHash.h"
#include "Binary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

static CodeHash hashOf(StringRef Code) {
  CodeHash Hash = {};
  for (size_t I = 0; I != Code.size(); ++I)
    Hash[I % Hash.size()] ^= uint8_t(Code[I]);
  return Hash;
}

std::vector<CodeHash> codeHashes(const Binary &File) {
  constexpr size_t Max = 4096;
  std::vector<CodeHash> Hashes;
  std::vector<LoadedBytes> Loaded = File.loadedBytes();
  auto Add = [&](uint64_t Address, uint64_t Size) {
    Size = std::min<uint64_t>(Size, Max);
    for (const LoadedBytes &L : Loaded) {
      if (Address < L.Address || Address - L.Address >= L.Bytes.size())
        continue;
      StringRef Code = L.Bytes.drop_front(Address - L.Address);
      // Breakpad reads whole blocks, whatever follows the code.
      for (uint64_t Taken : {alignTo(Size, sizeof(CodeHash)), Size})
        Hashes.push_back(hashOf(Code.take_front(Taken)));
      return;
    }
  };
  auto IsCode = [](const Section &S) {
    constexpr uint64_t Code = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
    return S.Type == ELF::SHT_PROGBITS && (S.Flags & Code) == Code && S.Size;
  };
  if (const Section *Text = File.findSection(".text"); Text && IsCode(*Text))
    Add(Text->Address, Text->Size);
  const auto *First = find_if(File.sections(), IsCode);
  if (First != File.sections().end())
    Add(First->Address, First->Size);
  for (const Segment &S : File.segments())
    if (S.Type == ELF::PT_LOAD && (S.Flags & ELF::PF_X)) {
      Add(S.Address, S.FileSize);
      break;
    }
  return Hashes;
}

bool isCodeHash(const Binary &File, ArrayRef<uint8_t> ID) {
  return any_of(codeHashes(File),
                [&](const CodeHash &Hash) { return ArrayRef(Hash) == ID; });
}

} // namespace lidia
