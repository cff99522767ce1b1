//===- Copies.h - Functions that several compile units have -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each compile unit that uses an inline function has a copy of it. A linker
/// keeps the first; GNU ld lets the debug information of the others, functions
/// and line tables, refer to the copy that it keeps. So several units describe
/// one function. The archive gives it to the first (Archive::unit). LLDB looks
/// for the closest line of each unit, and so needs the others, too, which the
/// section COPY (docs/Format.md) has.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_COPIES_H
#define LIDIA_ARCHIVE_COPIES_H

#include "lidia/Archive/Statements.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace lidia {

/// The functions that a compile unit had a copy of, and that are in others.
struct UnitCopies {
  FunctionUnit Unit;
  /// Ranges of depth 0, ascending.
  std::vector<uint64_t> Roots;
};

/// Calls \p Visit for each unit of \p A that had copies, by its number, which
/// is below 2^32. The error says that the section is damaged from there on.
llvm::Error visitCopies(const Archive &A,
                        llvm::function_ref<void(const UnitCopies &)> Visit);

/// Reads the rows of functions that several compile units have. Functions of
/// one unit are in blocks of statements far apart, so it keeps the rows of each
/// that was read, packed. Not thread-safe.
///
/// Any number of units may have a function: it gives nothing more once the rows
/// and files that it gave exceed a limit for an archive of this size.
class CopiedRows {
public:
  /// \p A and \p Reader must outlive it.
  CopiedRows(const Archive &A, StatementReader &Reader);

  /// Keeps \p Rows, those of the function at \p Root, if units had copies of
  /// it.
  void keep(uint64_t Root, llvm::ArrayRef<Statement> Rows);

  /// Sets \p Out to the rows of the function at \p Root, of which units had
  /// copies, as StatementReader::readForDebugger() does.
  void read(uint64_t Root, std::vector<Statement> &Out);

  /// The files of these rows, in order of their first rows. Valid until the
  /// next call.
  llvm::ArrayRef<StringOffset> files(uint64_t Root);

private:
  struct Kept {
    std::string Rows;
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
