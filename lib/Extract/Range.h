//===- Range.h - The ranges of a source of symbols --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_RANGE_H
#define LIDIA_LIB_EXTRACT_RANGE_H

#include "StringPool.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/NameOrigins.h"
#include "lidia/Archive/UnnamedFunctions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace lidia {

/// Code from Offset on belongs to this line.
struct Row {
  /// Bytes from the range's start.
  uint32_t Offset = 0;
  /// Zero if the code belongs to no line.
  uint32_t Line = 0;
  StringID File = 0;
  uint32_t Column = 0;

  bool samePosition(const Row &O) const {
    return Line == O.Line && File == O.File && Column == O.Column;
  }
};

/// The file that most of \p Rows are from; in a tie, the first.
template <typename RowType = Row, typename FileID = StringID>
FileID mainFile(llvm::ArrayRef<RowType> Rows) {
  // Usually there is only one.
  if (llvm::all_of(Rows,
                   [&](const RowType &R) { return R.File == Rows[0].File; }))
    return Rows.empty() ? 0 : Rows[0].File;
  llvm::MapVector<FileID, unsigned> Counts;
  for (const RowType &R : Rows)
    if (R.File)
      ++Counts[R.File];
  auto *Best = std::max_element(
      Counts.begin(), Counts.end(),
      [](const auto &A, const auto &B) { return A.second < B.second; });
  return Best == Counts.end() ? 0 : Best->first;
}

/// A piece of code that belongs to one function or one inlined call.
struct Range {
  uint64_t Start = 0;
  uint64_t End = 0;
  StringID Name = 0;
  /// The file of most rows.
  StringID File = 0;
  /// The call site in the enclosing range; zero at depth 0.
  StringID CallFile = 0;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
  uint16_t Depth = 0;
  /// Where Name is from, for depth 0; Unknown for UnitRanges::Origin.
  NameOrigin Origin = NameOrigin::Unknown;
  /// The range's rows in RangeTrees::Rows.
  uint32_t FirstRow = 0;
  uint32_t RowCount = 0;
  /// Where the function is declared; zero when it is not known.
  StringID DeclFile = 0;
  uint32_t DeclLine = 0;
};
static_assert(sizeof(Range) == 56, "there may be millions");

/// The last of the declarations that a function's definition refers to.
struct LastDeclaration {
  StringID Function;
  StringID File;
  uint32_t Line;
};

/// The ranges of one part of a source, such as a compile unit: a sequence of
/// trees. A range of depth 0 is followed by the ranges inlined into it, sorted
/// by start and then by depth; each lies inside the last range one level up.
/// Trees may overlap and come in any order.
struct RangeTrees {
  std::vector<Range> Ranges;
  std::vector<Row> Rows;
  /// Ranges of depth 0 that do not begin at their function's entry, with the
  /// address of the entry; in order of ranges. There are few, so this is not a
  /// member of Range.
  std::vector<std::pair<uint32_t, uint64_t>> Entries;
  /// Statements of ranges of depth 0, by StatementCodec with StringIDs as
  /// files, and where in it those of a range begin; in order of ranges. They
  /// are encoded because those of all units are kept until the merge.
  std::string Statements;
  std::vector<std::pair<uint32_t, uint32_t>> StatementStarts;
  /// Notes on the calls inlined into ranges of depth 0, each with that range;
  /// in order of ranges. Strings are StringIDs.
  std::vector<std::pair<uint32_t, CallNote>> CallNotes;

  llvm::ArrayRef<Row> rows(const Range &R) const {
    return llvm::ArrayRef(Rows).slice(R.FirstRow, R.RowCount);
  }
  /// The packed statements of the range of depth 0 at \p Root.
  llvm::StringRef statements(size_t Root) const;
  /// The notes on the calls of the range of depth 0 at \p Root.
  llvm::ArrayRef<std::pair<uint32_t, CallNote>> callNotes(size_t Root) const;
  /// Where the function of the range of depth 0 at \p Root is entered.
  uint64_t entry(size_t Root) const;
  /// One past the last range of the tree that begins at \p Root.
  size_t treeEnd(size_t Root) const {
    size_t I = Root + 1;
    while (I < Ranges.size() && Ranges[I].Depth)
      ++I;
    return I;
  }
};

/// A call of a function by name or by a pointer.
struct CallEdge {
  /// See FunctionCall.
  uint64_t Address = 0;
  StringID Callee = 0;
  uint8_t Flags = 0;
};

/// The ranges of one part of a source: of a compile unit or a symbol table.
struct UnitRanges {
  /// The path of a compile unit's primary file; zero if there is none.
  StringID Name = 0;
  /// The DW_LANG code and the compilation directory of a unit with a name; zero
  /// if unknown.
  uint16_t Language = 0;
  StringID Directory = 0;
  /// The functions of the unit, with the calls inlined into them.
  RangeTrees Functions;
  /// Code that its line table describes but none of its functions contains,
  /// such as assembly: unnamed ranges of depth 0, with a row at each address
  /// where the line table has one.
  RangeTrees LineOnly;
  /// Where the names of its functions are from.
  NameOrigin Origin = NameOrigin::Unknown;
  /// Whether isSizeless() holds for the origin of any of its ranges.
  bool HasSizeless = false;
  /// Whether its symbol table has all functions, so that a symbol without a
  /// size ends where the next one begins, unless more is known.
  bool IsComplete = false;
  /// Whether an assembler wrote its line table.
  bool IsAssembly = false;
  /// The calls in the unit's functions, in order of address, with each address
  /// at most once.
  std::vector<CallEdge> Calls;
  /// The names of its functions that contain a tail call.
  std::vector<StringID> TailCallers;
  /// Files whose path begins with a compilation directory, with the length of
  /// the directory.
  std::vector<std::pair<StringID, uint32_t>> Directories;
  /// Files with their source code, as a part of the section that begins with
  /// it.
  std::vector<std::pair<StringID, llvm::StringRef>> Sources;
  /// Functions whose name is a linkage name that does not contain the name in
  /// the source, with the name in the source.
  std::vector<std::pair<StringID, StringID>> PlainNames;
  /// Functions whose last declaration differs from that of their ranges.
  std::vector<LastDeclaration> LastDeclarations;
  /// A warning for each malformed part that was left out.
  std::vector<std::string> Warnings;
  /// Whether nothing of the unit, or only the part before a broken DIE, could
  /// be read.
  bool Broken = false;
};

/// The ranges of a source. Where functions overlap, those of the first unit
/// win; within a unit the one that starts later, then the first.
struct SourceRanges {
  std::vector<UnitRanges> Units;
  /// The source code of files, each once. Points into the file.
  std::vector<std::pair<StringID, llvm::StringRef>> Sources;
  /// For DWARF, the charges for reading the units (see UnitBudgets).
  uint64_t Work = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_RANGE_H
