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
#include "DWARF/FunctionNames.h"
#include "DWARFSourceOptions.h"
#include "Range.h"
#include "TreeBuilder.h"
#include "UnitLines.h"
#include "UnitQueue.h"

namespace lidia {

class SplitFiles;
class UnitBudgets;

/// Reads units, one after another, on one thread.
class UnitReader {
public:
  UnitReader(const dwarf::Sections &S,
             llvm::ArrayRef<dwarf::UnitHeader> Headers,
             llvm::ArrayRef<dwarf::UnitHeader> Supplementary,
             dwarf::TypeUnits &Types, SplitFiles &Splits, const CodeMap &Code,
             const DWARFSourceOptions &Options, StringPool &Strings,
             UnitBudgets &Budgets)
      : S(S), Splits(Splits), Code(Code), Options(Options), Strings(Strings),
        Budgets(Budgets), Abbreviations(S, Budget),
        Names(S, Headers, Supplementary, Types, Abbreviations, Budget),
        Lines(Code, Options.AtZero ? &*Options.AtZero : nullptr, Strings) {}

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
  StringID calleeName(uint64_t DIE);
  StringID callTarget(const dwarf::CallSite &Site);
  void addCalls();
  void addLineOnly(std::vector<Interval> Covered);
  llvm::StringRef linkageName(const dwarf::FunctionNode &Node,
                              const dwarf::FunctionIdentity &F);
  FunctionName nameOf(const dwarf::FunctionNode &Node);
  StringID intern(llvm::StringRef Name);
  void addPlainName(const dwarf::FunctionIdentity &F, StringID Name);
  void addDeclaration(const dwarf::FunctionIdentity &F, FunctionName &Found);
  void addLastDeclaration(const dwarf::FunctionIdentity &F,
                          const FunctionName &Found);
  StringID fileOf(uint64_t DIE, uint64_t Number);

  const dwarf::Sections &S;
  SplitFiles &Splits;
  const CodeMap &Code;
  const DWARFSourceOptions &Options;
  StringPool &Strings;
  UnitBudgets &Budgets;
  dwarf::WorkBudget Budget;
  dwarf::AbbreviationCache Abbreviations;
  dwarf::FunctionNames Names;
  /// The names of the current unit: Names, or those of a split unit's file.
  dwarf::FunctionNames *CurrentNames = &Names;
  const dwarf::Unit *CurrentUnit = nullptr;
  UnitLines Lines;
  dwarf::UnitFunctions Functions;
  /// Names of the current unit's functions by the DIE they are found from.
  llvm::DenseMap<uint64_t, FunctionName> NameCache;
  /// Names of functions that the unit calls but does not contain, by their DIE.
  llvm::DenseMap<uint64_t, StringID> CalleeNames;
  /// Linkage names of the unit's functions that only symbols have, by the DIE
  /// with the function's name.
  llvm::DenseMap<uint64_t, llvm::StringRef> LinkageOf;
  llvm::SmallString<128> NameStorage;
  /// Names that were interned, by their first bytes in .debug_str.
  llvm::DenseMap<const char *, StringID> InternedNames;
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
