//===- UnitLines.h - The lines of one unit, by address ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_UNITLINES_H
#define LIDIA_LIB_EXTRACT_UNITLINES_H

#include "DWARF/LineTable.h"
#include "DWARFSourceOptions.h"
#include "Object/CodeMap.h"
#include "Overlap.h"
#include "Range.h"
#include "lidia/Archive/Statements.h"

namespace lidia {

/// A position in the source, and the address from which on it applies.
struct LinePosition {
  uint64_t Address = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  StringID File = 0;
};

/// The line table of one unit, indexed by address: sequences of discarded code
/// are removed, the others do not overlap (the first in the table wins), and
/// files are strings.
class UnitLines {
public:
  /// \p AtZero may be null.
  UnitLines(const CodeMap &Code, const CodeAtZero *AtZero, StringPool &Strings)
      : Code(Code), AtZero(AtZero), Strings(Strings) {}

  /// Clears everything: the unit has no line table.
  void clear();
  llvm::Error parse(const dwarf::Unit &U, uint64_t Offset,
                    dwarf::WorkBudget &Budget,
                    llvm::function_ref<void(llvm::Error)> Report);

  /// The path of file \p Index of the table; zero if there is none.
  StringID file(uint64_t Index);

  /// The path of file \p Index of the table of \p U, another unit whose
  /// declarations the unit refers to; zero if there is none.
  StringID fileOf(const dwarf::Unit &U, uint64_t Index);

  /// Calls \p Visit with the position in force at \p Start and with each that
  /// begins before \p End, by ascending address. Where no sequence contains the
  /// code, the position is empty. The first is at \p Start.
  void visit(uint64_t Start, uint64_t End,
             llvm::function_ref<void(const LinePosition &)> Visit);

  /// Calls \p Visit with each row of [Start, End) as the compiler wrote it. The
  /// first is at \p Start: if no row begins there, it repeats the one in force.
  /// Code without lines has one with SF_Unknown. Files are StringIDs.
  void visitStatements(uint64_t Start, uint64_t End,
                       llvm::function_ref<void(const Statement &)> Visit);

  /// The code that has lines, sorted.
  llvm::ArrayRef<Interval> intervals() const { return Intervals; }

  /// The first address in [Start, End) at which a row begins; End if there is
  /// none.
  uint64_t firstRow(uint64_t Start, uint64_t End) const;

  /// Files that were requested and begin with a compilation directory.
  std::vector<std::pair<StringID, uint32_t>> takeDirectories() {
    return std::move(Directories);
  }

  /// Files that were requested and have their source code in the debug
  /// information, with the part of the section that begins with it.
  std::vector<std::pair<StringID, llvm::StringRef>> takeSources() {
    return std::move(Sources);
  }

private:
  uint64_t endAtZero() const;
  StringID intern(const dwarf::LineTable &Table, uint64_t Index);
  const Interval *intervalAt(uint64_t Address) const;
  const dwarf::LineRow *rowAfter(llvm::ArrayRef<dwarf::LineRow> Rows,
                                 uint64_t Address) const;
  uint64_t visitInterval(const Interval &I, uint64_t Start, uint64_t End,
                         llvm::function_ref<void(const LinePosition &)> Visit);

  const CodeMap &Code;
  const CodeAtZero *AtZero;
  StringPool &Strings;
  /// The budget of the table that was parsed.
  dwarf::WorkBudget *Budget = nullptr;
  dwarf::LineTable Table;
  /// Item is the index of the sequence.
  std::vector<Interval> Intervals;
  /// The row that was visited last. The next search begins there, because
  /// visits are mostly ascending.
  const dwarf::LineRow *LastRow = nullptr;
  static constexpr StringID Unresolved = UINT32_MAX;
  std::vector<StringID> Files;
  std::vector<std::pair<StringID, uint32_t>> Directories;
  std::vector<std::pair<StringID, llvm::StringRef>> Sources;
  /// The files of other units, by the offset of the unit's table. Only the few
  /// most recently used are kept, because more are rarely needed.
  struct ForeignFiles {
    const dwarf::Sections *S = nullptr;
    uint64_t Offset = 0;
    dwarf::LineTable Table;
    std::vector<StringID> Files;
  };
  static constexpr size_t MaxForeignFiles = 8;
  std::vector<std::unique_ptr<ForeignFiles>> Foreign;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_UNITLINES_H
