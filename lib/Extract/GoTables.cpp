//===- GoTables.cpp - The tables of a Go program's runtime ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoTables.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

static go::Image loadImage(const Binary &File) {
  std::vector<go::Image::Part> Parts;
  for (const LoadedBytes &L : File.loadedBytes())
    Parts.push_back({L.Address, L.Bytes});
  std::vector<go::Image::Relocation> Relocations;
  for (const RelativePointer &R : File.relativePointers())
    Relocations.push_back({R.Address, R.Value});
  return go::Image(std::move(Parts), std::move(Relocations),
                   File.isLittleEndian() ? endianness::little : endianness::big,
                   File.identity().Class == ELF::ELFCLASS64 ? 8 : 4);
}

/// Uses the table at \p Address if it describes this program's code.
bool GoTables::take(uint64_t Address, const CodeMap &Code) {
  Expected<go::FunctionTable> T = go::FunctionTable::create(Memory, Address);
  if (!T) {
    consumeError(T.takeError());
    return false;
  }
  Module = go::findModuleData(*T);
  if (Module) {
    T->setTextStart(Module->TextStart);
    T->setTextSections(Module->TextSections);
  }
  Expected<std::optional<go::Function>> First = T->function(0);
  if (!First) {
    consumeError(First.takeError());
    return false;
  }
  if (!*First || !Code.contains((*First)->Entry))
    return false;
  Table = std::move(*T);
  return true;
}

/// The section has several names, and some tools remove it; but the table is
/// always there.
Expected<std::unique_ptr<GoTables>>
GoTables::open(const Binary &File, const CodeMap &Code, bool Search) {
  bool Named = any_of(File.sections(), [](const Section &S) {
    return StringRef(S.Name).ends_with(".gopclntab") &&
           S.Type != ELF::SHT_NOBITS;
  });
  if (!Named && !Search)
    return nullptr;
  std::unique_ptr<GoTables> Tables(new GoTables(loadImage(File)));
  auto Take = [&](uint64_t Address) { return Tables->take(Address, Code); };
  for (const Section &S : File.sections())
    if (StringRef(S.Name).ends_with(".gopclntab") &&
        S.Type != ELF::SHT_NOBITS && Take(S.Address))
      return Tables;
  go::FunctionTable::find(Tables->Memory, Take);
  if (Tables->Table)
    return Tables;
  if (Named)
    return make_error<DamagedError>(File.path(),
                                    "Go's function table cannot be read");
  return nullptr;
}

} // namespace lidia
