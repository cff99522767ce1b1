//===- UnitReader.cpp - Reads the ranges of one unit of DWARF -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitReader.h"
#include "Archive/StatementCodec.h"
#include "CallNotes.h"
#include "SplitFiles.h"
#include "Support/StableSort.h"
#include "TreeBuilder.h"
#include "UnitBudgets.h"
#include "lidia/Archive/CallTarget.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <numeric>

using namespace llvm;

namespace lidia {

void UnitReader::warn(Error E) {
  Result.Warnings.push_back(formatv("{0}: unit at {1:x}: {2}", S.FileName,
                                    Offset, toString(std::move(E)))
                                .str());
}

UnitRanges UnitReader::read(const UnitQueue::Task &Task) {
  Result = UnitRanges();
  Index = Task.Index;
  Offset = Task.Header.Offset;
  Budget.reset(C.Budgets.begin(Index));
  // Type units have no code.
  if (Task.Header.Type != llvm::dwarf::DW_UT_type &&
      Task.Header.Type != llvm::dwarf::DW_UT_split_type)
    readWithin(Task);
  C.Budgets.finish(Index, Budget.used(), Budget.peak());
  // Free a unit that is left out before reading others.
  if (Budget.exhausted())
    Result = UnitRanges();
  return std::move(Result);
}

void UnitReader::readWithin(const UnitQueue::Task &Task) {
  Abbreviations.beginUnit(Task.TableBefore);
  Expected<dwarf::Unit> U =
      dwarf::Unit::open(S, Task.Header, Abbreviations, Budget);
  if (!U) {
    warn(U.takeError());
    Result.Broken = true;
    return;
  }
  if (U->splitName().empty() || !readSplit(*U))
    readUnit(*U, *U, OwnNames);
  Result.Directories = Lines.takeDirectories();
  auto Sources = Lines.takeSources();
  if (Options.Sources)
    Result.Sources = std::move(Sources);
}

/// Reads the functions of the split unit of \p Skeleton. Returns false if it is
/// missing; the caller then reads the skeleton's functions, if any.
bool UnitReader::readSplit(const dwarf::Unit &Skeleton) {
  auto Read = [&](const dwarf::Unit &U, dwarf::FunctionNames &SplitNames,
                  dwarf::TypeUnits &) { readUnit(U, Skeleton, SplitNames); };
  Error E = C.Splits.read(Skeleton, Index, C.Budgets, Budget, Read);
  if (!E)
    return true;
  warn(std::move(E));
  return false;
}

/// \p Skeleton, which may be \p U itself, has the line table.
void UnitReader::readUnit(const dwarf::Unit &U, const dwarf::Unit &Skeleton,
                          dwarf::FunctionNames &NamesOfUnit) {
  if (Error E = dwarf::readFunctions(U, Functions, Budget,
                                     Options.Statements && Options.Lines)) {
    // Functions read before the error are kept.
    Result.Broken = true;
    warn(std::move(E));
  }
  if (Functions.BrokenRanges)
    warn(make_error<DamagedError>("",
                                  Twine(Functions.BrokenRanges) +
                                      " range lists are broken and left out"));
  if (Functions.TooDeep)
    warn(make_error<DamagedError>(
        "",
        Twine(Functions.TooDeep) + " inlined calls are too deep and left out"));
  NamesOfUnit.setUnit(U, Functions.Scopes);
  Names.enter(U, NamesOfUnit, Result);
  nameUnit(U);
  Result.IsAssembly = U.language() == llvm::dwarf::DW_LANG_Mips_Assembler ||
                      U.language() == llvm::dwarf::DW_LANG_Assembly;
  readLines(Skeleton);
  if (!Budget.exhausted())
    buildTrees();
}

/// Records the path of the primary file of \p U, in the form of line tables,
/// the language and the directory. Does nothing for a partial unit, whose
/// functions are in the units that import it, and for a unit of Go, which is
/// named after its package.
void UnitReader::nameUnit(const dwarf::Unit &U) {
  if (!Options.Statements || !Options.Lines || !Options.Files ||
      U.name().empty() || U.language() == llvm::dwarf::DW_LANG_Go ||
      U.tag() == llvm::dwarf::DW_TAG_partial_unit)
    return;
  SmallString<128> Path;
  // A directory's name may be as long as the file and occur in many units.
  Budget.charge(U.compilationDirectory().size() + U.name().size());
  if (Budget.exhausted())
    return;
  if (!dwarf::isAbsolutePath(U.name()))
    Path = U.compilationDirectory();
  sys::path::append(Path, U.name());
  Result.Name = Strings.intern(Path, /*Stable=*/false);
  Result.Language = U.language();
  Result.Directory = Strings.intern(U.compilationDirectory(), /*Stable=*/false);
}

void UnitReader::readLines(const dwarf::Unit &U) {
  Lines.clear();
  if (!Options.Files || !U.lineTableOffset())
    return;
  // A partial unit refers to the line table of the units that import it, for
  // the files of its declarations.
  if (U.tag() == llvm::dwarf::DW_TAG_partial_unit && Functions.Nodes.empty())
    return;
  if (Error E = Lines.parse(U, *U.lineTableOffset(), Budget,
                            [&](Error E) { warn(std::move(E)); }))
    warn(std::move(E));
}

/// The memory that is kept from one unit to the next.
static constexpr size_t MaxSpareBytes = 8 << 20;

/// Moves the contents of \p Values to memory of exactly their size. The old
/// memory is kept in \p Spare unless it is large.
template <typename T>
static void keepOnlyContents(std::vector<T> &Values, std::vector<T> &Spare) {
  Spare = std::exchange(Values, std::vector<T>(Values));
  Spare.clear();
  if (Spare.capacity() > MaxSpareBytes / sizeof(T))
    Spare = std::vector<T>();
}

void UnitReader::buildTrees() {
  // Calls follow their subprogram, but a nested subprogram may come between.
  std::vector<uint32_t> Order(Functions.Nodes.size());
  std::iota(Order.begin(), Order.end(), 0);
  auto SubprogramOf = [&](uint32_t Node) {
    return Functions.Nodes[Node].Subprogram;
  };
  if (!llvm::is_sorted(Functions.Nodes, [](const auto &A, const auto &B) {
        return A.Subprogram < B.Subprogram;
      }))
    llvm::sort(Order, [&](uint32_t A, uint32_t B) {
      return std::make_pair(SubprogramOf(A), A) <
             std::make_pair(SubprogramOf(B), B);
    });

  auto NameOf = [&](const dwarf::FunctionNode &Node) {
    return Names.nameOf(Node);
  };
  // Growing vectors anew for each unit would copy them, and take new pages.
  Result.Functions.Ranges.swap(SpareRanges);
  Result.Functions.Rows.swap(SpareRows);
  TreeBuilder Builder(C.Code, Options, Strings, Lines, NameOf, Result.Functions,
                      Budget);
  BlockFinder Blocks(Functions, Options.InstructionAlignment, Budget);
  for (size_t I = 0; I < Order.size() && !Budget.exhausted();) {
    size_t End = I + 1;
    while (End < Order.size() &&
           SubprogramOf(Order[I]) == SubprogramOf(Order[End]))
      ++End;
    ArrayRef<uint32_t> Nodes = ArrayRef(Order).slice(I, End - I);
    size_t FirstRange = Result.Functions.Ranges.size();
    if (Error E = Builder.add(Functions, Nodes))
      warn(std::move(E));
    if (Options.Statements && Options.Lines) {
      Blocks.enter(Nodes);
      addStatements(Result.Functions, FirstRange, &Blocks);
    }
    I = End;
  }
  if (uint64_t Count = Builder.outsideSection())
    warn(make_error<DamagedError>(
        "", Twine(Count) + " ranges of functions reach past the end of their "
                           "section and are left out"));
  addLineOnly(resolveOverlaps(Builder.takeCovered()));
  keepStatements(Result.Functions);
  if (Options.Statements && Options.Lines)
    addStatements(Result.LineOnly, 0, nullptr);
  keepStatements(Result.LineOnly);
  addCalls();
  keepOnlyContents(Result.Functions.Ranges, SpareRanges);
  keepOnlyContents(Result.Functions.Rows, SpareRows);
  Result.Functions.Entries.shrink_to_fit();
}

/// The approximate number of bytes that a statement takes until the merge.
static constexpr uint64_t StatementCharge = 6;

/// Adds the statements of the trees from range \p FirstRange on. \p Blocks is
/// null if they are no functions.
void UnitReader::addStatements(RangeTrees &Trees, size_t FirstRange,
                               BlockFinder *Blocks) {
  for (size_t I = FirstRange; I < Trees.Ranges.size(); ++I) {
    const Range &R = Trees.Ranges[I];
    if (R.Depth || Budget.exhausted() || StatementBytes.size() > UINT32_MAX)
      continue;
    Trees.StatementStarts.push_back(
        {uint32_t(I), uint32_t(StatementBytes.size())});
    uint64_t Count = 0;
    StatementCodec Codec(R.Start);
    // Of several rows at one address, debuggers use the last.
    SmallVector<Statement, 4> AtAddress;
    auto Encode = [&] {
      if (Blocks && Blocks->isInOtherBlock(uint32_t(I), AtAddress.back()))
        for (Statement &S : AtAddress)
          S.Flags |= SF_OtherBlock;
      for (const Statement &S : AtAddress)
        Codec.encode(S, StatementBytes);
      Count += AtAddress.size();
      AtAddress.clear();
    };
    Lines.visitStatements(R.Start, R.End, [&](const Statement &S) {
      if (!AtAddress.empty() && AtAddress.back().Address != S.Address)
        Encode();
      AtAddress.push_back(S);
      if (!Options.Columns)
        AtAddress.back().Column = 0;
    });
    if (!AtAddress.empty())
      Encode();
    // Do not charge the actual bytes: the size of an encoded StringID depends
    // on the order of threads.
    Budget.charge(Count * StatementCharge);
  }
}

/// Moves the statements that were added to \p Trees.
void UnitReader::keepStatements(RangeTrees &Trees) {
  Trees.Statements.assign(StatementBytes.begin(), StatementBytes.end());
  StatementBytes.clear();
  if (StatementBytes.capacity() > MaxSpareBytes)
    StatementBytes = SmallVector<char, 0>();
}

/// The expression of the callee's address. Omitted for nested calls: debuggers
/// that read archives ignore these, and most of their targets are distinct.
StringID UnitReader::callTarget(const dwarf::CallSite &Site) {
  if (!Site.IsListed)
    return 0;
  std::optional<std::string> Target =
      makeCallTarget(Site.Target, Site.FrameBase);
  if (!Target)
    return 0;
  Budget.charge(Target->size());
  return Strings.intern(*Target, /*Stable=*/false);
}

void UnitReader::addCalls() {
  DenseSet<uint32_t> Unknown;
  for (const dwarf::CallSite &Site : Functions.Calls) {
    StringID Callee =
        Site.HasCallee ? Names.calleeName(Site.Callee) : callTarget(Site);
    if (Budget.exhausted())
      return;
    // One tail call of an unknown function says as much as several.
    if (!Callee && !(Site.IsTail && Unknown.insert(Site.Subprogram).second))
      continue;
    CallEdge Edge;
    Edge.Address = Site.Address - Site.AtReturn;
    Edge.Callee = Callee;
    Edge.Flags = (Site.IsTail ? format::CF_Tail : 0) |
                 (Site.AtReturn ? format::CF_AtReturn : 0) |
                 (Site.IsListed ? 0 : format::CF_Nested) |
                 (Site.HasCallee || !Callee ? 0 : format::CF_Target);
    Result.Calls.push_back(Edge);
    if (Site.IsTail && Callee)
      Result.TailCallers.push_back(
          Names.nameOf(Functions.Nodes[Site.Subprogram]).Name);
  }
  // If several calls have the same address, the first is kept.
  stableSort(Result.Calls, [](const CallEdge &E) { return E.Address; });
  Result.Calls.erase(llvm::unique(Result.Calls,
                                  [](const CallEdge &A, const CallEdge &B) {
                                    return A.Address == B.Address;
                                  }),
                     Result.Calls.end());
  llvm::sort(Result.TailCallers);
  Result.TailCallers.erase(llvm::unique(Result.TailCallers),
                           Result.TailCallers.end());
  Result.Calls.shrink_to_fit();
  Result.TailCallers.shrink_to_fit();
}

void UnitReader::addLineOnly(std::vector<Interval> Covered) {
  auto NoName = [](const dwarf::FunctionNode &) { return FunctionName(); };
  TreeBuilder Builder(C.Code, Options, Strings, Lines, NoName, Result.LineOnly,
                      Budget);
  for (const Interval &I : subtract(Lines.intervals(), Covered))
    if (!Budget.exhausted())
      Builder.addLineOnly(I.Start, I.End);
}

} // namespace lidia
