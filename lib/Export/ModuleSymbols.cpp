//===- ModuleSymbols.cpp - Sections and symbols of a binary ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Export/ModuleSymbols.h"
#include "LoadedParts.h"
#include "Object/BinaryIdentity.h"
#include "Object/LoadedLayout.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

static bool isAddressAll(uint16_t Machine) {
  return Machine != ELF::EM_ARM && Machine != ELF::EM_MIPS &&
         Machine != ELF::EM_PPC64;
}

/// The sections of \p File; none if they cannot be used.
static std::optional<ModuleSymbols>
sectionsOf(const std::shared_ptr<const Binary> &File) {
  if (File->identity().Type == ELF::ET_REL)
    return std::nullopt;
  ModuleSymbols Result;
  // Notes are left out, because readers look for the build ID in them.
  for (const Section &S : File->sections())
    if (S.Flags & ELF::SHF_ALLOC && S.Type != ELF::SHT_NOTE)
      Result.Sections.push_back(
          {S.Name, S.Flags, S.Address, S.Size, S.Alignment, S.Index, S.Type});
  if (Result.Sections.empty() || Result.Sections.size() > MaxSections)
    return std::nullopt;
  Result.File = File;
  return Result;
}

Expected<std::optional<ModuleSymbols>> ModuleSymbols::read(StringRef Path) {
  Expected<std::unique_ptr<Binary>> Opened = Binary::open(Path);
  if (!Opened)
    return Opened.takeError();
  std::shared_ptr<const Binary> File = std::move(*Opened);
  if (!isAddressAll(File->identity().Machine) ||
      File->hasSymbolTable(SymbolTable::Symtab) ||
      File->findSection(".gnu_debugdata"))
    return std::nullopt;
  std::optional<ModuleSymbols> Result = sectionsOf(File);
  if (!Result)
    return std::nullopt;
  Expected<SymbolEntries> Table = File->symbolEntries(SymbolTable::Dynsym);
  if (!Table)
    return Table.takeError();
  Result->Names = Table->Names;
  for (const SymbolEntry &S : Table->Entries)
    Result->Symbols.push_back(
        {S.Name, S.Value, S.Size, S.Info, S.Other, S.Section});
  return Result;
}

Expected<ModuleSymbols> ModuleSymbols::readLayout(StringRef Path,
                                                  ArrayRef<uint8_t> BuildID) {
  Expected<std::unique_ptr<Binary>> Opened = openBinaryOfArchive(Path, BuildID);
  if (!Opened)
    return Opened.takeError();
  ModuleSymbols Result;
  Result.Layout = loadedLayout(**Opened);
  if (Result.Layout.Sections.empty())
    return make_error<MissingInformationError>(
        Path, "it has no section headers to repeat");
  return Result;
}

} // namespace lidia
