//===- NameOrigin.h - The source of a function's name -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_NAMEORIGIN_H
#define LIDIA_ARCHIVE_NAMEORIGIN_H

#include <cstdint>

namespace lidia {

/// The source of a function's name. Those below RuntimeNames are stored in
/// archives, in four bits.
enum class NameOrigin : uint8_t {
  /// Not known, or the function has no name.
  Unknown = 0,
  /// Debug information: DWARF.
  DWARF = 1,
  /// A symbol table of a file (.symtab, COFF's, Mach-O's): a symbol with a
  /// size, or one of a table that has all functions, where unwind information
  /// does not say more.
  Symtab = 2,
  SymtabSizeless = 3,
  Dynsym = 4,
  DynsymSizeless = 5,
  DebugData = 6,
  DebugDataSizeless = 7,
  /// A stub of the procedure linkage table.
  PLT = 8,
  /// The function table of Go's runtime.
  Go = 9,
  /// The export table of a PE file, which has no sizes.
  Export = 10,
  PDB = 11,
  /// A public symbol of a PDB file, which has no size.
  PDBPublic = 12,
  /// Another tool's symbol file.
  SymbolFile = 13,
  /// An extractor of the program that made the archive.
  Extractor = 14,

  // Names that programs write while they run, and the kernel's.
  RuntimeNames = 16,
  PerfMap = 16,
  JITDump = 17,
  Kallsyms = 18,
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_NAMEORIGIN_H
