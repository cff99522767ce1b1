//===- ExtractorSource.cpp - Ranges from a RangeExtractor -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtractorSource.h"
#include "RangeTreeBuilder.h"
#include "Support/StableSort.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace lidia {

namespace {

/// How much was left out, by reason.
struct LeftOut {
  uint64_t EmptyFunctions = 0;
  uint64_t FunctionsElsewhere = 0;
  uint64_t FunctionsOverLimit = 0;
  uint64_t MisplacedCalls = 0;

  void report(StringRef Place, std::vector<std::string> &Warnings) const;
};

/// A call that will be added to the tree.
struct PlacedCall {
  uint64_t Start = 0;
  uint64_t End = 0;
  uint32_t Depth = 0;
  /// Its index among the function's calls.
  uint32_t Index = 0;
};

/// Turns each function into a tree of ranges.
class TreeCollector final : public RangeVisitor {
public:
  TreeCollector(uint64_t InputSize, const CodeMap &Code,
                const ExtractorSourceOptions &Options, StringPool &Strings,
                UnitRanges &Unit)
      : Code(Code), Options(Options), Strings(Strings), Unit(Unit),
        Builder(Unit.Functions, Options.Lines), MaxRanges(limit(InputSize / 2)),
        MaxRows(limit(InputSize)), MaxBytes(16 * (InputSize + Floor)),
        BytesBefore(Strings.bytes()) {}

  bool visit(const FunctionRange &F) override;
  void setCompilationDirectory(StringRef Path, size_t Length) override;
  void warning(const Twine &Message) override {
    Unit.Warnings.push_back(Message.str());
  }

  void reportLeftOut() const { Left.report(Options.Place, Unit.Warnings); }

private:
  /// Added to the limits, for small inputs such as a list that a program
  /// generates.
  static constexpr uint64_t Floor = uint64_t(1) << 20;

  /// Ranges and rows are counted by 32 bits.
  static uint64_t limit(uint64_t Count) {
    return std::min<uint64_t>(Count + Floor, UINT32_MAX);
  }
  bool fits(const FunctionRange &F) const;
  bool placeFunction(const FunctionRange &F);
  void collectCalls(ArrayRef<InlinedRange> Calls);
  void cutCalls();
  void sortRows(ArrayRef<SourceRow> Rows);
  void addTree(const FunctionRange &F);
  uint64_t nextEvent(size_t Call, size_t Row) const;
  Range rangeOf(const FunctionRange &F);
  Range rangeOf(const PlacedCall &Place, const InlinedRange &Call);
  Row rowOf(const SourceRow &From);
  StringID intern(StringRef Text);
  StringID file(StringRef Path);

  const CodeMap &Code;
  const ExtractorSourceOptions &Options;
  StringPool &Strings;
  UnitRanges &Unit;
  RangeTreeBuilder Builder;
  const uint64_t MaxRanges, MaxRows, MaxBytes, BytesBefore;
  /// Limits the time for a long string that is passed many times.
  uint64_t BytesHashed = 0;
  bool NamesExhausted = false;
  LeftOut Left;
  DenseSet<StringID> DirectoriesKnown;

  /// The state of the current function: its addresses, its calls by address and
  /// depth, its rows by address, the ends of the open ranges, and the last
  /// file.
  uint64_t Start = 0, End = 0;
  std::vector<PlacedCall> Placed;
  std::vector<SourceRow> Rows;
  std::vector<uint64_t> Ends;
  StringRef LastPath;
  StringID LastFile = 0;
};

} // namespace

void LeftOut::report(StringRef Place,
                     std::vector<std::string> &Warnings) const {
  auto Add = [&](uint64_t Count, StringRef What) {
    if (Count)
      Warnings.push_back(
          (Place + ": " + Twine(Count) + " " + What + " are left out").str());
  };
  Add(EmptyFunctions, "functions that are empty or wrap around");
  Add(FunctionsElsewhere, "functions outside of the binary's code");
  Add(FunctionsOverLimit, "functions beyond the limits for input of this size");
  Add(MisplacedCalls,
      "inlined calls, or parts of them, that overlap others, are deeper than "
      "1,000 levels or are outside of what they are inlined into");
}

/// Returns an empty string for a string that no longer fits; the function with
/// it is left out.
StringID TreeCollector::intern(StringRef Text) {
  uint64_t Used = Strings.bytes() - BytesBefore;
  BytesHashed += Text.size();
  if (Used > MaxBytes || Text.size() > MaxBytes - Used ||
      BytesHashed > 16 * MaxBytes) {
    NamesExhausted = true;
    return 0;
  }
  return Strings.intern(Text, /*Stable=*/false);
}

StringID TreeCollector::file(StringRef Path) {
  if (!Options.Files)
    return 0;
  if (Path.data() != LastPath.data() || Path.size() != LastPath.size()) {
    LastFile = intern(Path);
    LastPath = Path;
  }
  return LastFile;
}

void TreeCollector::setCompilationDirectory(StringRef Path, size_t Length) {
  if (!Options.Files || Length > Path.size() || !Length)
    return;
  if (StringID File = intern(Path);
      File && DirectoriesKnown.insert(File).second)
    Unit.Directories.emplace_back(File, Length);
}

/// Whether \p F keeps ranges and rows within their limits. A row or a range may
/// be repeated where an inlined call begins and ends.
bool TreeCollector::fits(const FunctionRange &F) const {
  const RangeTrees &Out = Unit.Functions;
  return !NamesExhausted && Out.Ranges.size() + F.Calls.size() < MaxRanges &&
         Out.Rows.size() + F.Rows.size() + 2 * F.Calls.size() < MaxRows;
}

/// Sets Start and End.
bool TreeCollector::placeFunction(const FunctionRange &F) {
  Start = F.Start + Options.Bias;
  End = F.End + Options.Bias;
  if (F.Start >= F.End || Start >= End) {
    ++Left.EmptyFunctions;
    return false;
  }
  if (Code.clip(Start, End))
    return true;
  ++Left.FunctionsElsewhere;
  return false;
}

/// Fills Placed with the calls that are not empty, by depth and address.
void TreeCollector::collectCalls(ArrayRef<InlinedRange> Calls) {
  Placed.clear();
  for (auto [Index, Call] : enumerate(Calls)) {
    uint64_t From = Call.Start + Options.Bias, To = Call.End + Options.Bias;
    if (Call.Start < Call.End && From < To && Call.Depth)
      Placed.push_back({From, To, Call.Depth, uint32_t(Index)});
    else
      ++Left.MisplacedCalls;
  }
  llvm::sort(Placed, [](const PlacedCall &A, const PlacedCall &B) {
    return std::tie(A.Depth, A.Start, A.Index) <
           std::tie(B.Depth, B.Start, B.Index);
  });
}

/// Cuts the calls in Placed so that they nest and do not overlap, removes calls
/// that become empty, and sorts the rest by address and depth.
void TreeCollector::cutCalls() {
  size_t Kept = 0;
  // The kept calls of the previous depth.
  size_t AroundBegin = 0, AroundEnd = 0;
  const PlacedCall Function = {Start, End, 0, 0};
  for (size_t I = 0; I != Placed.size();) {
    uint32_t Depth = Placed[I].Depth;
    bool IsInFunction = Depth == 1;
    size_t Begin = Kept, Around = AroundBegin;
    uint64_t Taken = 0;
    for (; I != Placed.size() && Placed[I].Depth == Depth; ++I) {
      PlacedCall Call = Placed[I];
      while (Around != AroundEnd && Placed[Around].End <= Call.Start)
        ++Around;
      bool IsInCall = Depth <= DeepestCall && Around != AroundEnd &&
                      Placed[Around].Depth == Depth - 1;
      if (!IsInFunction && !IsInCall) {
        ++Left.MisplacedCalls;
        continue;
      }
      const PlacedCall &Outer = IsInFunction ? Function : Placed[Around];
      Call.Start = std::max({Call.Start, Outer.Start, Taken});
      Call.End = std::min(Call.End, Outer.End);
      Left.MisplacedCalls +=
          Call.Start != Placed[I].Start || Call.End != Placed[I].End;
      if (Call.Start >= Call.End)
        continue;
      Taken = Call.End;
      Placed[Kept++] = Call;
    }
    AroundBegin = Begin;
    AroundEnd = Kept;
  }
  Placed.resize(Kept);
  llvm::sort(Placed, [](const PlacedCall &A, const PlacedCall &B) {
    return std::tie(A.Start, A.Depth) < std::tie(B.Start, B.Depth);
  });
}

/// Fills Rows with the rows of \p From that apply to the function.
void TreeCollector::sortRows(ArrayRef<SourceRow> From) {
  Rows.clear();
  for (SourceRow R : From) {
    R.Address += Options.Bias;
    if (R.Address < End)
      Rows.push_back(R);
  }
  auto Ascends = [](const SourceRow &A, const SourceRow &B) {
    return A.Address < B.Address;
  };
  // Most tables are sorted.
  if (!is_sorted(Rows, Ascends))
    stableSort(Rows, [](const SourceRow &R) { return R.Address; });
}

Range TreeCollector::rangeOf(const FunctionRange &F) {
  Range R;
  R.Start = Start;
  R.Name = intern(F.Name);
  R.Origin = F.Origin;
  Unit.HasSizeless |= isSizeless(F.Origin);
  return R;
}

Range TreeCollector::rangeOf(const PlacedCall &Place,
                             const InlinedRange &Call) {
  Range R;
  R.Start = Place.Start;
  R.Name = intern(Call.Name);
  R.CallFile = file(Call.CallFile);
  if (Options.Lines)
    R.CallLine = Call.CallLine;
  if (Options.Columns)
    R.CallColumn = Call.CallColumn;
  R.Depth = Place.Depth;
  return R;
}

Row TreeCollector::rowOf(const SourceRow &From) {
  Row R;
  R.File = file(From.File);
  if (Options.Lines)
    R.Line = From.Line;
  if (Options.Columns)
    R.Column = From.Column;
  return R;
}

/// The next address at which a range ends, the call \p Call begins, or the row
/// \p Row begins. All earlier ones were processed.
uint64_t TreeCollector::nextEvent(size_t Call, size_t Row) const {
  uint64_t Next = Ends.back();
  if (Call != Placed.size())
    Next = std::min(Next, Placed[Call].Start);
  if (Row != Rows.size())
    Next = std::min(Next, Rows[Row].Address);
  return Next;
}

/// Appends the tree of \p F, from Placed and Rows.
void TreeCollector::addTree(const FunctionRange &F) {
  size_t NextCall = 0, NextRow = 0;
  size_t Root = Unit.Functions.Ranges.size();
  // The row in force continues where a call ends.
  Row InForce;
  Ends.assign({End});
  Builder.open(rangeOf(F), 0);
  for (uint64_t At = Start; At < End; At = nextEvent(NextCall, NextRow)) {
    for (; NextRow != Rows.size() && Rows[NextRow].Address <= At; ++NextRow)
      InForce = rowOf(Rows[NextRow]);
    while (Ends.back() == At) {
      Ends.pop_back();
      Builder.close(Ends.size(), At);
    }
    for (; NextCall != Placed.size() && Placed[NextCall].Start == At;
         ++NextCall) {
      const PlacedCall &Place = Placed[NextCall];
      Builder.open(rangeOf(Place, F.Calls[Place.Index]), 0);
      Ends.push_back(Place.End);
    }
    Builder.addRow(At, InForce);
  }
  Builder.close(0, End);
  if (Range &R = Unit.Functions.Ranges[Root]; !R.File)
    R.File = file(F.File);
}

bool TreeCollector::visit(const FunctionRange &F) {
  if (!fits(F)) {
    ++Left.FunctionsOverLimit;
    return false;
  }
  if (!placeFunction(F))
    return true;
  collectCalls(F.Calls);
  cutCalls();
  sortRows(F.Rows);
  LastPath = StringRef();
  LastFile = 0;
  RangeTreeBuilder::Mark Before = Builder.mark();
  addTree(F);
  if (NamesExhausted) {
    Builder.drop(Before);
    ++Left.FunctionsOverLimit;
    return false;
  }
  if (uint64_t Entry = F.Entry.value_or(F.Start) + Options.Bias; Entry != Start)
    Unit.Functions.Entries.emplace_back(Before.Ranges, Entry);
  return true;
}

Error readExtractor(RangeExtractor &Extractor, const CodeMap &Code,
                    const ExtractorSourceOptions &Options, StringPool &Strings,
                    UnitRanges &Result) {
  TreeCollector Collector(Extractor.inputSize(), Code, Options, Strings,
                          Result);
  Error E = Extractor.extract(Collector);
  Collector.reportLeftOut();
  return E;
}

} // namespace lidia
