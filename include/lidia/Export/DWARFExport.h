//===- DWARFExport.h - From an archive to DWARF -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXPORT_DWARFEXPORT_H
#define LIDIA_EXPORT_DWARFEXPORT_H

#include "lidia/Archive/Archive.h"
#include "lidia/Export/ModuleSymbols.h"
#include "llvm/ADT/Twine.h"
#include <functional>

namespace lidia {

struct DWARFExportOptions {
  /// Also write the functions as a symbol table. LLDB works better without one,
  /// unless Module is set: it attributes symbols to the module only if their
  /// section matches one of the module's.
  bool SymbolTable = true;
  /// With SymbolTable: use the binary's headers (without contents) instead of
  /// those in the archive, assign all symbols to the binary's sections, include
  /// the dynamic symbols, name pieces of functions ("f.cold"), and leave out
  /// the PLT, for which LLDB makes symbols. Not owned.
  const ModuleSymbols *Module = nullptr;
  /// Deviate from the facts where LLDB would otherwise show less or nonsense,
  /// and omit segments and unwind rows, which LLDB reads from the binary:
  ///  - Write C as the language of units in a language for which LLDB 19 has no
  ///    type system (Go, Fortran, Ada, assembly). LLDB would read the lines of
  ///    such units, but no functions.
  ///  - Write LLDB's number for "no line" where a call has no line. LLDB would
  ///    take zero for a line and print "at ??".
  ///  - Omit DW_AT_declaration for pieces of functions. LLDB 22 finds no
  ///    address in a subprogram that is a declaration.
  bool ForLLDB = false;
  /// For LLDB: the number of section headers in the binary. The sections that
  /// the binary does not have come after as many headers. LLDB 22 takes a
  /// section of a debug file for the binary's section with the same index, and
  /// would lose the latter (fixed by LLVM's pull request 204677).
  uint32_t BinarySections = 0;
  /// If set, receives a message if the statements of functions are damaged.
  std::function<void(const llvm::Twine &)> Warn;
};

/// Writes \p A as an ELF file with DWARF 5, for readers that do not know
/// archives: LLDB, gdb, llvm-symbolizer, addr2line, perf.
///
/// Each source file becomes a compile unit with the functions whose ranges name
/// that file; each range of depth 0 becomes a subprogram, each other range an
/// inlined subroutine. Pieces of a function other than its entry are
/// subprograms inside that of the entry, with DW_AT_declaration, and are
/// neither in the name index nor in the symbol table, so that a breakpoint on
/// the function has a single location. The file has line tables, with the
/// source code that the archive keeps (DW_LNCT_LLVM_source), address ranges,
/// .debug_names, a symbol table, the build ID, and the headers of the segments
/// and sections that are loaded (BinaryLayout), without contents; for an
/// archive that lacks them, a .text section that spans the ranges. Unwind rows
/// become .debug_frame, unless that would be out of proportion. Variables, if
/// the archive has any, are in their functions and units, and their types in
/// units without code, which come first.
///
/// The exported file of a relocatable object has relocations for all code
/// addresses, and its sections have no addresses. Without a symbol table, or if
/// the archive does not describe the sections sufficiently, it has the
/// archive's addresses instead.
///
/// Bytes of a name that are not UTF-8 become U+FFFD: LLVM's readers hash names
/// and assume UTF-8. A name that cannot be demangled within bounds
/// (canDemangle()) is put in parentheses, so that no reader tries.
///
/// The same archive gives the same bytes. The archive must be sound (verify());
/// a damaged one is refused, and so is one that would become a file out of all
/// proportion to its size. Machine, class and byte order are those of the
/// binary; an archive without that information (plain version 1) becomes a
/// 64-bit little-endian x86-64 file.
llvm::Error exportDWARF(const Archive &A, llvm::raw_ostream &OS,
                        const DWARFExportOptions &Options = {});

} // namespace lidia

#endif // LIDIA_EXPORT_DWARFEXPORT_H
