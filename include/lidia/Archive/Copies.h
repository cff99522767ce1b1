//===- Copies.h - Functions that several compile units have -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each compile unit that uses an inline function has a copy of it. The linker
/// keeps the first copy. With GNU ld, the debug information of the other copies
/// (functions and line tables) then refers to the copy that was kept, so that
/// several units describe one function. The archive assigns the function to the
/// first unit (Archive::unit()). LLDB looks for the closest line in each unit,
/// so it needs the other units as well; the section COPY (docs/Format.md) lists
/// them.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_COPIES_H
#define LIDIA_ARCHIVE_COPIES_H

#include "lidia/Archive/Statements.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace lidia {

/// The functions that belong to other compile units and that a unit had a copy
/// of.
struct UnitCopies {
  FunctionUnit Unit;
  /// Ranges of depth 0, ascending.
  std::vector<uint64_t> Roots;
};

/// Calls \p Visit for each unit of \p A that had copies, in order of the unit's
/// number, which is below 2^32. The error says that the rest of the section is
/// damaged.
llvm::Error visitCopies(const Archive &A,
                        llvm::function_ref<void(const UnitCopies &)> Visit);

/// Reads the rows of functions that several compile units have. The functions
/// of a unit are in blocks of statements that are far apart, so this object
/// keeps a compressed copy of all rows that it has read. Not thread-safe.
///
/// Any number of units may have a function. Once the rows and files that were
/// returned exceed a limit that depends on the size of the archive, nothing
/// more is returned.
class CopiedRows {
public:
  /// \p A and \p Reader must outlive it.
  CopiedRows(const Archive &A, StatementReader &Reader);

  /// Keeps \p Rows, the rows of the function at \p Root, if other units had
  /// copies of that function.
  void keep(uint64_t Root, llvm::ArrayRef<Statement> Rows);

  /// Sets \p Out to the rows of the function at \p Root, which other units had
  /// copies of, as StatementReader::readForDebugger() does.
  void read(uint64_t Root, std::vector<Statement> &Out);

  /// The files of these rows, in order of their first rows. Valid until the
  /// next call.
  llvm::ArrayRef<StringOffset> files(uint64_t Root);

private:
  struct Kept {
    llvm::SmallVector<char, 0> Rows;
    std::vector<StringOffset> Files;
  };
  const Kept *get(uint64_t Root);
  bool pay(uint64_t Count);

  const Archive &A;
  StatementReader &Reader;
  llvm::DenseSet<uint64_t> Copied;
  llvm::DenseMap<uint64_t, Kept> Known;
  std::vector<Statement> Buffer;
  uint64_t Left;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_COPIES_H
