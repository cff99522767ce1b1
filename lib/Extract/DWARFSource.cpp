//===- DWARFSource.cpp - Ranges from DWARF --------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/DWARFSource.h"
#include "SplitFiles.h"
#include "TreeBuilder.h"
#include "UnitBudgets.h"
#include "lidia/DWARF/FunctionNames.h"
#include "lidia/Object/Threads.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <mutex>
#include <numeric>

using namespace llvm;

namespace lidia {

namespace {

/// Reads units, one after another, on one thread.
class UnitReader {
public:
  UnitReader(const dwarf::Sections &S, ArrayRef<dwarf::UnitHeader> Headers,
             ArrayRef<dwarf::UnitHeader> Supplementary, dwarf::TypeUnits &Types,
             SplitFiles &Splits, const CodeMap &Code,
             const DWARFSourceOptions &Options, StringPool &Strings,
             UnitBudgets &Budgets)
      : S(S), Headers(Headers), Splits(Splits), Code(Code), Options(Options),
        Strings(Strings), Budgets(Budgets), Abbreviations(S, Budget),
        Names(S, Headers, Supplementary, Types, Abbreviations, Budget),
        Lines(Code, Options.AtZero ? &*Options.AtZero : nullptr, Strings) {}

  UnitRanges read(size_t Index);

private:
  void readWithin(const dwarf::UnitHeader &Header);
  void warn(Error E);
  bool readSplit(const dwarf::Unit &Skeleton);
  void readUnit(const dwarf::Unit &U, const dwarf::Unit &Skeleton,
                dwarf::FunctionNames &NamesOfUnit);
  void readLines(const dwarf::Unit &U);
  void buildTrees();
  void addLineOnly(std::vector<Interval> Covered);
  StringID nameOf(const dwarf::FunctionNode &Node);

  const dwarf::Sections &S;
  ArrayRef<dwarf::UnitHeader> Headers;
  SplitFiles &Splits;
  const CodeMap &Code;
  const DWARFSourceOptions &Options;
  StringPool &Strings;
  UnitBudgets &Budgets;
  dwarf::WorkBudget Budget;
  dwarf::AbbreviationCache Abbreviations;
  dwarf::FunctionNames Names;
  /// Those of the current unit: Names, or of a split unit's file.
  dwarf::FunctionNames *CurrentNames = &Names;
  UnitLines Lines;
  dwarf::UnitFunctions Functions;
  /// Names of the current unit's functions by the DIE they are found from.
  DenseMap<uint64_t, StringID> NameCache;
  SmallString<128> NameStorage;
  /// Of the current unit.
  size_t Index = 0;
  UnitRanges Result;
};

} // namespace

void UnitReader::warn(Error E) {
  Result.Warnings.push_back(formatv("{0}: unit at {1:x}: {2}", S.FileName,
                                    Headers[Index].Offset,
                                    toString(std::move(E)))
                                .str());
}

UnitRanges UnitReader::read(size_t UnitIndex) {
  Result = UnitRanges();
  Index = UnitIndex;
  Budget.reset(Budgets.begin(Index));
  // Types have no code.
  const dwarf::UnitHeader &Header = Headers[Index];
  if (Header.Type != llvm::dwarf::DW_UT_type &&
      Header.Type != llvm::dwarf::DW_UT_split_type)
    readWithin(Header);
  Budgets.finish(Index, Budget.used(), Budget.peak());
  // What is left out anyway need not wait in memory for the others.
  if (Budget.exhausted())
    Result = UnitRanges();
  return std::move(Result);
}

void UnitReader::readWithin(const dwarf::UnitHeader &Header) {
  std::optional<uint64_t> TableBefore;
  if (Index)
    TableBefore = Headers[Index - 1].AbbrevOffset;
  Abbreviations.beginUnit(TableBefore);
  Expected<dwarf::Unit> U = dwarf::Unit::open(S, Header, Abbreviations, Budget);
  if (!U) {
    warn(U.takeError());
    Result.Broken = true;
    return;
  }
  if (U->splitName().empty() || !readSplit(*U))
    readUnit(*U, *U, Names);
  Result.Directories = Lines.takeDirectories();
}

/// Reads the functions that \p Skeleton stands for. False when they are not
/// there: then the skeleton's own, if any, will have to do.
bool UnitReader::readSplit(const dwarf::Unit &Skeleton) {
  auto Found = [&](StringRef File, uint64_t FileBytes, uint64_t UnitBytes) {
    Budget.raise(Budgets.addSplit(Index, File, FileBytes, UnitBytes));
  };
  Expected<SplitUnit> Split = Splits.open(Skeleton, Budget, Found);
  if (!Split) {
    warn(Split.takeError());
    return false;
  }
  dwarf::AbbreviationCache SplitAbbreviations(Split->S, Budget);
  Expected<dwarf::Unit> U = dwarf::Unit::openSplit(
      Split->S, Split->header(), SplitAbbreviations, Budget, Skeleton);
  if (!U) {
    warn(U.takeError());
    return false;
  }
  std::unique_ptr<dwarf::TypeUnits> Types = Splits.typeUnits(*Split);
  dwarf::FunctionNames SplitNames(Split->S, Split->Headers, {}, *Types,
                                  SplitAbbreviations, Budget);
  readUnit(*U, Skeleton, SplitNames);
  return true;
}

/// \p Skeleton, which may be \p U itself, has the line table.
void UnitReader::readUnit(const dwarf::Unit &U, const dwarf::Unit &Skeleton,
                          dwarf::FunctionNames &NamesOfUnit) {
  if (Error E = dwarf::readFunctions(U, Functions, Budget))
    warn(std::move(E));
  if (Functions.BrokenRanges)
    warn(createStringError(Twine(Functions.BrokenRanges) +
                           " range lists are broken and left out"));
  if (Functions.TooDeep)
    warn(createStringError(Twine(Functions.TooDeep) +
                           " inlined calls are too deep and left out"));
  CurrentNames = &NamesOfUnit;
  CurrentNames->setUnit(U, Functions.Scopes);
  NameCache.clear();
  readLines(Skeleton);
  if (!Budget.exhausted())
    buildTrees();
}

void UnitReader::readLines(const dwarf::Unit &U) {
  Lines.clear();
  if (!Options.Files || !U.lineTableOffset())
    return;
  // A partial unit names the line table of those that import it, for the files
  // of its declarations.
  if (U.tag() == llvm::dwarf::DW_TAG_partial_unit && Functions.Nodes.empty())
    return;
  if (Error E = Lines.parse(U, *U.lineTableOffset(), Budget,
                            [&](Error E) { warn(std::move(E)); }))
    warn(std::move(E));
}

StringID UnitReader::nameOf(const dwarf::FunctionNode &Node) {
  auto [It, New] = NameCache.try_emplace(Node.DIE, 0);
  if (New && !Budget.exhausted()) {
    StringRef Name = CurrentNames->name(Node.DIE, NameStorage);
    // The files of split units do not stay open.
    bool Stable = CurrentNames == &Names && Name.data() != NameStorage.data();
    It->second = Strings.intern(Name, Stable);
  }
  return It->second;
}

void UnitReader::buildTrees() {
  // Calls follow their subprogram, but a nested subprogram may come between.
  std::vector<uint32_t> Order(Functions.Nodes.size());
  std::iota(Order.begin(), Order.end(), 0);
  auto SubprogramOf = [&](uint32_t Node) {
    return Functions.Nodes[Node].Subprogram;
  };
  std::sort(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
    return std::make_pair(SubprogramOf(A), A) <
           std::make_pair(SubprogramOf(B), B);
  });

  auto NameOf = [&](const dwarf::FunctionNode &Node) { return nameOf(Node); };
  TreeBuilder Builder(Code, Options, Strings, Lines, NameOf, Result.Functions,
                      Budget);
  for (size_t I = 0; I < Order.size() && !Budget.exhausted();) {
    size_t End = I + 1;
    while (End < Order.size() &&
           SubprogramOf(Order[I]) == SubprogramOf(Order[End]))
      ++End;
    if (Error E = Builder.add(Functions, ArrayRef(Order).slice(I, End - I)))
      warn(std::move(E));
    I = End;
  }
  if (uint64_t Count = Builder.outsideSection())
    warn(createStringError(Twine(Count) +
                           " ranges of functions reach past the end of their "
                           "section and are left out"));
  addLineOnly(resolveOverlaps(Builder.takeCovered()));
  Result.Functions.Ranges.shrink_to_fit();
  Result.Functions.Rows.shrink_to_fit();
  Result.Functions.Entries.shrink_to_fit();
}

void UnitReader::addLineOnly(std::vector<Interval> Covered) {
  auto NoName = [](const dwarf::FunctionNode &) { return StringID(0); };
  TreeBuilder Builder(Code, Options, Strings, Lines, NoName, Result.LineOnly,
                      Budget);
  for (const Interval &I : subtract(Lines.intervals(), Covered))
    if (!Budget.exhausted())
      Builder.addLineOnly(I.Start, I.End);
}

dwarf::Sections openDWARFSections(Binary &File, unsigned Threads,
                                  function_ref<void(Error)> Report) {
  dwarf::Sections S;
  S.LittleEndian = File.isLittleEndian();
  S.FileName = File.path();
  const std::pair<StringRef, StringRef *> Wanted[] = {
      {".debug_info", &S.Info},         {".debug_types", &S.Types},
      {".debug_str", &S.Str},           {".debug_line", &S.Line},
      {".debug_rnglists", &S.RngLists}, {".debug_ranges", &S.Ranges},
      {".debug_abbrev", &S.Abbrev},     {".debug_line_str", &S.LineStr},
      {".debug_addr", &S.Addr},         {".debug_str_offsets", &S.StrOffsets}};
  std::atomic<size_t> Next{0};
  std::mutex Mutex;
  auto Unpack = [&] {
    for (size_t I; (I = Next++) < std::size(Wanted);) {
      const auto &[Name, Slot] = Wanted[I];
      const Section *Found = File.findSection(Name);
      if (!Found)
        continue;
      Expected<StringRef> Contents = File.contents(*Found);
      std::lock_guard<std::mutex> Lock(Mutex);
      if (Contents)
        *Slot = *Contents;
      else
        Report(Contents.takeError());
    }
  };
  runOnThreads(Threads, Unpack);
  return S;
}

static std::vector<dwarf::UnitHeader>
readHeaders(const dwarf::Sections &S, function_ref<void(Error)> Report) {
  return dwarf::readUnitHeaders(S, [&](Error E) {
    Report(createStringError(S.FileName + ": " + toString(std::move(E))));
  });
}

/// What there is of a unit that exceeds its budget.
static UnitRanges leftOut(const dwarf::Sections &S,
                          const dwarf::UnitHeader &Header) {
  UnitRanges Result;
  Result.Broken = true;
  Result.Warnings.push_back(
      formatv("{0}: unit at {1:x}: refers to the same abbreviations, ranges, "
              "lines or names so often that it is left out",
              S.FileName, Header.Offset)
          .str());
  return Result;
}

Expected<SourceRanges>
readDWARF(const Binary &File, const dwarf::Sections &S, const CodeMap &Code,
          const DWARFSourceOptions &Options, StringPool &Strings,
          function_ref<void(Error)> Report,
          function_ref<void(uint64_t, uint64_t)> Progress) {
  SourceRanges Result;
  std::vector<dwarf::UnitHeader> Headers = readHeaders(S, Report);
  std::vector<dwarf::UnitHeader> Supplementary;
  if (S.Supplementary)
    Supplementary = readHeaders(*S.Supplementary, Report);
  Expected<std::unique_ptr<SplitFiles>> Splits =
      SplitFiles::create(S, Options.Split, Report);
  if (!Splits)
    return Splits.takeError();
  Result.Units.resize(Headers.size());
  UnitBudgets Budgets(S, Headers);
  dwarf::TypeUnits Types(S, Headers);

  std::atomic<size_t> Next{0};
  std::mutex ProgressMutex;
  uint64_t BytesDone = 0;
  auto Work = [&] {
    UnitReader Reader(S, Headers, Supplementary, Types, **Splits, Code, Options,
                      Strings, Budgets);
    size_t I;
    while ((I = Next++) < Headers.size()) {
      const dwarf::UnitHeader &H = Headers[I];
      Result.Units[I] = Reader.read(I);
      File.release(S.Info.slice(H.Offset, H.End));
      std::lock_guard<std::mutex> Lock(ProgressMutex);
      Progress(BytesDone += H.End - H.Offset, S.Info.size());
    }
  };
  runOnThreads(Options.Threads, Work);
  for (size_t I = 0; I < Headers.size(); ++I)
    if (Budgets.exceeds(I))
      Result.Units[I] = leftOut(S, Headers[I]);
  Result.Work = Budgets.used();
  return Result;
}

} // namespace lidia
