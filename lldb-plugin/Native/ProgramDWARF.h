//===- ProgramDWARF.h - The program's DWARF ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLDB_PLUGIN_NATIVE_PROGRAMDWARF_H
#define LLDB_PLUGIN_NATIVE_PROGRAMDWARF_H

#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/SymbolFile.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace lidia {

class Archive;

/// Whether \p A has variables (VARS).
bool hasVariables(const Archive &A);

/// LLDB's own reader of a module's DWARF, used in addition to an archive for
/// types and variables. It reads the addresses of all units, and otherwise only
/// the units of queries.
///
/// Callers must hold the module's lock.
class ProgramDWARF {
public:
  /// Whether open() may find DWARF for \p Module. A cheap check, which may be
  /// wrong.
  static bool mayExist(lldb_private::Module &Module, const Archive &A);

  /// Opens the DWARF in the file of \p Module or, if it has none, in the debug
  /// file that LLDB finds for it. If there is neither, but \p A, the module's
  /// archive, has variables, opens the file that it is exported as, which is
  /// kept in the cache. Null if there is none of them.
  static std::unique_ptr<ProgramDWARF> open(lldb_private::Module &Module,
                                            const Archive &A);

  lldb_private::SymbolFile &reader() { return *Reader; }

  /// The path of the file that holds the DWARF.
  std::string path() const;

  /// Whether queries by name are cheap: LLDB has indexed all units, or indexing
  /// takes no time.
  bool isIndexed();

  /// Must be called before a query by name. If LLDB then has to index all
  /// units, warns the debugger's user once.
  void warnOfIndexing();

  /// The unit and the function of the code at \p Where; null if DWARF does not
  /// describe it.
  lldb_private::CompileUnit *unitAt(const lldb_private::Address &Where);
  lldb_private::Function *functionAt(const lldb_private::Address &Where);

  /// The innermost block of \p F at \p Where; null if \p F has no code there.
  lldb_private::Block *blockAt(lldb_private::Function &F,
                               const lldb_private::Address &Where);

  /// The inlined call in the DWARF function \p F that corresponds to \p Call, a
  /// block of an inlined call in the same function of an archive; null if there
  /// is none.
  lldb_private::Block *inlinedCall(lldb_private::Function &F,
                                   lldb_private::Block &Call);

private:
  ProgramDWARF(lldb::ObjectFileSP File,
               std::unique_ptr<lldb_private::SymbolFile> Reader)
      : File(std::move(File)), Reader(std::move(Reader)) {}

  lldb::ObjectFileSP File;
  std::unique_ptr<lldb_private::SymbolFile> Reader;
  bool Warned = false;
};

/// The inlined calls that contain \p B, outermost first, including \p B.
llvm::SmallVector<lldb_private::Block *, 8>
inlinedCallsAround(lldb_private::Block *B);

/// Appends copies of the variables of \p Theirs, a DWARF block, as variables of
/// \p Ours, the corresponding block, to \p Variables. The function of \p Ours
/// begins at the file address \p Base.
void copyVariables(lldb_private::Block &Theirs, lldb_private::Block &Ours,
                   lldb::addr_t Base, lldb_private::VariableList &Variables);

} // namespace lidia

#endif // LLDB_PLUGIN_NATIVE_PROGRAMDWARF_H
