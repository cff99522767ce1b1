//===- SymbolTableWriter.cpp - The symbol table of an export --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolTableWriter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

/// The index in the exported file of the module's section with index \p I in
/// ModuleSymbols::Sections.
static uint16_t exportedIndex(size_t I) { return uint16_t(I + 1); }

SymbolTableWriter::SymbolTableWriter(const Target &T,
                                     const ModuleSymbols *Module)
    : T(T), Module(Module), Locals(T), Others(T), Names(T) {
  writeSymbol(Locals, {});
  Names.u8(0);
  if (!Module)
    return;
  for (size_t I = 0; I < Module->Sections.size(); ++I)
    if (Module->Sections[I].Flags & ELF::SHF_EXECINSTR)
      Code.push_back(uint16_t(I));
  sort(Code, [&](uint16_t A, uint16_t B) {
    const ModuleSection &First = Module->Sections[A];
    const ModuleSection &Second = Module->Sections[B];
    return std::tie(First.Address, A) < std::tie(Second.Address, B);
  });
  if (Module->IsRelocatable)
    addSectionSymbols();
  addModuleSymbols();
}

/// Writes a symbol for each section in Code, after the empty symbol.
void SymbolTableWriter::addSectionSymbols() {
  for (uint16_t I : Code) {
    ModuleSymbol S;
    S.Info = ELF::STB_LOCAL << 4 | ELF::STT_SECTION;
    S.Section = exportedIndex(I);
    writeSymbol(Locals, S);
  }
}

RelocationBase SymbolTableWriter::baseOf(uint64_t Address) const {
  auto Next = partition_point(
      Code, [&](uint16_t I) { return Module->Sections[I].Address <= Address; });
  if (Next == Code.begin())
    return {};
  // Symbol 0 is the empty one.
  return {uint32_t(Next - Code.begin()),
          Module->Sections[*std::prev(Next)].Address};
}

/// Copies the string table as a whole, because thousands of names can be tails
/// of one long string.
void SymbolTableWriter::addModuleSymbols() {
  Names.append(Module->Names);
  Names.u8(0);
  ModuleNames = Names.size();
  DenseMap<uint16_t, uint16_t> Indices;
  for (const auto &[I, S] : enumerate(Module->Sections))
    if (S.Index < ELF::SHN_LORESERVE)
      Indices[uint16_t(S.Index)] = exportedIndex(I);
  for (const ModuleSymbol &S : Module->Symbols) {
    ModuleSymbol Copy = S;
    if (S.Section && S.Section < ELF::SHN_LORESERVE) {
      auto Found = Indices.find(S.Section);
      if (Found == Indices.end())
        continue;
      Copy.Section = Found->second;
      Dynamic.push_back(&S);
    }
    Copy.Name = S.Name < Module->Names.size() ? S.Name + 1 : 0;
    writeSymbol(S.Info >> 4 == ELF::STB_LOCAL ? Locals : Others, Copy);
  }
  // The pointers are to elements of one array, so equal values keep their
  // order.
  llvm::sort(Dynamic, [](const ModuleSymbol *A, const ModuleSymbol *B) {
    return std::make_pair(A->Value, A) < std::make_pair(B->Value, B);
  });
}

void SymbolTableWriter::writeSymbol(SectionWriter &Out, const ModuleSymbol &S) {
  Out.u32(S.Name);
  if (T.AddressSize == 4) {
    Out.u32(S.Value);
    Out.u32(S.Size);
  }
  Out.u8(S.Info);
  Out.u8(S.Other);
  Out.u16(S.Section);
  if (T.AddressSize == 8) {
    Out.u64(S.Value);
    Out.u64(S.Size);
  }
}

bool SymbolTableWriter::isDynamic(StringRef Name, uint64_t Address) const {
  ArrayRef<const ModuleSymbol *> All(Dynamic);
  const auto *Start = partition_point(
      All, [&](const ModuleSymbol *S) { return S->Value < Address; });
  // A few aliases are usual. Comparing thousands of long names would take
  // minutes.
  constexpr size_t MaxAliases = 64;
  ArrayRef<const ModuleSymbol *> Here(Start, All.end());
  for (const ModuleSymbol *S : Here.take_front(MaxAliases)) {
    if (S->Value != Address)
      break;
    StringRef Rest = Module->Names.substr(S->Name);
    if (Rest.consume_front(Name) && Rest.starts_with(StringRef("\0", 1)))
      return true;
  }
  return false;
}

/// The index in the exported file of the section that contains \p Address.
std::optional<uint16_t> SymbolTableWriter::sectionOf(uint64_t Address) const {
  if (!Module)
    return exportedIndex(0);
  auto Next = partition_point(
      Code, [&](uint16_t I) { return Module->Sections[I].Address <= Address; });
  if (Next == Code.begin())
    return std::nullopt;
  uint16_t Found = *std::prev(Next);
  const ModuleSection &S = Module->Sections[Found];
  if (Address - S.Address >= S.Size)
    return std::nullopt;
  return exportedIndex(Found);
}

/// Stores each name once: functions of different files share names.
uint32_t SymbolTableWriter::nameOffset(StringRef Name) {
  auto [It, New] = NameOffsets.try_emplace(Name, uint32_t(Names.size()));
  if (New)
    Names.cstring(Name);
  return It->second;
}

void SymbolTableWriter::addFunction(StringRef Name, uint64_t Address,
                                    uint64_t Size) {
  std::optional<uint16_t> Section = sectionOf(Address);
  if (!Section || (Module && isDynamic(Name, Address)))
    return;
  ModuleSymbol S;
  S.Name = nameOffset(Name);
  S.Value = Module && Module->IsRelocatable
                ? Address - Module->Sections[*Section - 1].Address
                : Address;
  S.Size = Size;
  // The binding is unknown. A local symbol would come before dynamic ones, and
  // LLDB shows the first symbol at an address.
  S.Info = ELF::STB_GLOBAL << 4 | ELF::STT_FUNC;
  S.Section = *Section;
  writeSymbol(Others, S);
}

void SymbolTableWriter::addSections(std::vector<ELFSection> &Sections) {
  ELFSection Table;
  Table.Name = ".symtab";
  Table.Type = ELF::SHT_SYMTAB;
  Table.Alignment = 8;
  Table.EntrySize = T.AddressSize == 8 ? 24 : 16;
  Table.Info = uint32_t(Locals.size() / Table.EntrySize);
  Locals.append(Others.bytes());
  Table.Contents = Locals.bytes();
  Table.Link = uint32_t(Sections.size() + 2);
  ELFSection Strings;
  Strings.Name = ".strtab";
  Strings.Type = ELF::SHT_STRTAB;
  Strings.Contents = Names.bytes();
  Sections.push_back(std::move(Table));
  Sections.push_back(std::move(Strings));
}

} // namespace lidia
