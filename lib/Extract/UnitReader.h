//===- UnitReader.h - Reads the ranges of one unit of DWARF -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_UNITREADER_H
#define LIDIA_LIB_EXTRACT_UNITREADER_H

#include "BlockFinder.h"
#include "FunctionNaming.h"
#include "TreeBuilder.h"
#include "UnitQueue.h"

namespace lidia {

class SplitFiles;
class UnitBudgets;

/// What the readers of a file's units share. All parts must outlive them.
struct UnitContext {
  const dwarf::Sections &S;
  llvm::ArrayRef<dwarf::UnitHeader> Headers;
  llvm::ArrayRef<dwarf::UnitHeader> Supplementary;
  dwarf::TypeUnits &Types;
  SplitFiles &Splits;
  const CodeMap &Code;
  const DWARFSourceOptions &Options;
  StringPool &Strings;
  UnitBudgets &Budgets;
};

/// Reads units, one after another, on one thread.
class UnitReader {
public:
  explicit UnitReader(const UnitContext &C)
      : C(C), S(C.S), Options(C.Options), Strings(C.Strings),
        Abbreviations(S, Budget),
        OwnNames(S, C.Headers, C.Supplementary, C.Types, Abbreviations, Budget),
        Lines(C.Code, Options.AtZero ? &*Options.AtZero : nullptr, Strings),
        Names(S, Options, Strings, Lines, Budget) {}

  UnitRanges read(const UnitQueue::Task &Task);

private:
  void readWithin(const UnitQueue::Task &Task);
  void warn(llvm::Error E);
  bool readSplit(const dwarf::Unit &Skeleton);
  void readUnit(const dwarf::Unit &U, const dwarf::Unit &Skeleton,
                dwarf::FunctionNames &NamesOfUnit);
  void nameUnit(const dwarf::Unit &U);
  void readLines(const dwarf::Unit &U);
  void buildTrees();
  void addStatements(RangeTrees &Trees, size_t FirstRange, BlockFinder *Blocks);
  void keepStatements(RangeTrees &Trees);
  StringID callTarget(const dwarf::CallSite &Site);
  void addCalls();
  void addLineOnly(std::vector<Interval> Covered);

  const UnitContext &C;
  const dwarf::Sections &S;
  const DWARFSourceOptions &Options;
  StringPool &Strings;
  dwarf::WorkBudget Budget;
  dwarf::AbbreviationCache Abbreviations;
  /// The names in the file of the units; a split unit's file has its own.
  dwarf::FunctionNames OwnNames;
  UnitLines Lines;
  FunctionNaming Names;
  dwarf::UnitFunctions Functions;
  /// Memory for the trees of the next unit; empty.
  std::vector<Range> SpareRanges;
  std::vector<Row> SpareRows;
  /// The statements of the unit's functions so far.
  llvm::SmallVector<char, 0> StatementBytes;
  /// Of the current unit.
  size_t Index = 0;
  uint64_t Offset = 0;
  UnitRanges Result;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_UNITREADER_H
