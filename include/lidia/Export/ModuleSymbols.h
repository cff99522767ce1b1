//===- ModuleSymbols.h - Sections and symbols of a binary -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXPORT_MODULESYMBOLS_H
#define LIDIA_EXPORT_MODULESYMBOLS_H

#include "lidia/Archive/BinaryLayout.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// A section that is loaded with the program: fields of its header.
struct ModuleSection {
  std::string Name;
  uint64_t Flags = 0;
  uint64_t Address = 0;
  uint64_t Size = 0;
  uint64_t Alignment = 0;
  /// Index in the binary's section header table.
  uint32_t Index = 0;
  uint32_t Type = 0;
};

/// A dynamic symbol, as it is in the binary.
struct ModuleSymbol {
  /// Offset in ModuleSymbols::Names; may lie after its end.
  uint32_t Name = 0;
  uint64_t Value = 0;
  uint64_t Size = 0;
  /// st_info and st_other.
  uint8_t Info = 0;
  uint8_t Other = 0;
  /// st_shndx: ModuleSection::Index or a reserved number.
  uint16_t Section = 0;
};

/// The facts about a binary without a symbol table (except for dynamic symbols)
/// that are needed to make a symbol table for it.
///
/// LLDB attributes a symbol of a separate file to the module only if the
/// symbol's section has the same name, address, size, alignment and flags as
/// one of the module's; and it reads no dynamic symbols if there is a symbol
/// table.
struct ModuleSymbols {
  std::vector<ModuleSection> Sections;
  std::vector<ModuleSymbol> Symbols;
  /// The names of Symbols, each followed by a zero byte. Points into File.
  llvm::StringRef Names;
  /// Whether sections have no addresses in the exported file. The addresses
  /// here are then the archive's.
  bool IsRelocatable = false;
  /// The headers by which debuggers other than LLDB find the load address of
  /// the file. Only set by readLayout().
  BinaryLayout Layout;
  /// The binary, which keeps Names alive.
  std::shared_ptr<const void> File;

  /// Reads the binary at \p Path. None if a symbol table made for it would not
  /// help, because
  ///  - it has a symbol table (.symtab, or one in .gnu_debugdata),
  ///  - it has no section headers, or its sections have no addresses yet, or it
  ///    has more of them than an ELF header can count,
  ///  - symbols of its machine have more than the address of the code, which is
  ///    all that an archive has: the instruction set (Arm, MIPS) or a second
  ///    entry (PowerPC64).
  /// Errors name the file.
  static llvm::Expected<std::optional<ModuleSymbols>>
  read(llvm::StringRef Path);

  /// Reads only the Layout of the binary at \p Path, whether or not it has a
  /// symbol table. Fails if its build ID is not \p BuildID, or if it has no
  /// usable section headers.
  static llvm::Expected<ModuleSymbols>
  readLayout(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);
};

} // namespace lidia

#endif // LIDIA_EXPORT_MODULESYMBOLS_H
