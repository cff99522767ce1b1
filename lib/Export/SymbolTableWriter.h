//===- SymbolTableWriter.h - The symbol table of an export ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_SYMBOLTABLEWRITER_H
#define LIDIA_LIB_EXPORT_SYMBOLTABLEWRITER_H

#include "ELFWriter.h"
#include "Relocations.h"
#include "lidia/Export/ModuleSymbols.h"
#include "llvm/ADT/StringMap.h"

namespace lidia {

/// Collects function symbols, and writes .symtab and .strtab.
class SymbolTableWriter {
public:
  /// With \p Module, which must outlive this object, the file's first sections
  /// are those of the module, and its dynamic symbols are in the table. Without
  /// it, all symbols are in the file's first section.
  SymbolTableWriter(const Target &T, const ModuleSymbols *Module);

  /// Adds a function. Omits it if no section of the module contains \p Address,
  /// or if the module has a dynamic symbol with the same name there.
  void addFunction(llvm::StringRef Name, uint64_t Address, uint64_t Size);

  /// The size of the names of functions in bytes.
  uint64_t textSize() const { return Names.size() - ModuleNames; }
  /// The size of all names in bytes.
  uint64_t namesSize() const { return Names.size(); }

  /// The symbol of the section that contains the code at \p Address, in a
  /// relocatable object.
  RelocationBase baseOf(uint64_t Address) const;

  /// Appends the two sections to \p Sections. They point into this object.
  void addSections(std::vector<ELFSection> &Sections);

private:
  bool isDynamic(llvm::StringRef Name, uint64_t Address) const;
  std::optional<uint16_t> sectionOf(uint64_t Address) const;
  void addModuleSymbols();
  void addSectionSymbols();
  uint32_t nameOffset(llvm::StringRef Name);
  void writeSymbol(SectionWriter &Out, const ModuleSymbol &S);

  Target T;
  const ModuleSymbols *Module;
  /// Indices of the module's sections with code, by address.
  std::vector<uint16_t> Code;
  /// The module's dynamic symbols that have an address, by address.
  std::vector<const ModuleSymbol *> Dynamic;
  /// ELF requires local symbols to come before the others.
  SectionWriter Locals, Others, Names;
  /// The number of bytes of Names that are the module's.
  uint64_t ModuleNames = 0;
  llvm::StringMap<uint32_t> NameOffsets;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_SYMBOLTABLEWRITER_H
