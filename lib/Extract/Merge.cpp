//===- Merge.cpp - The ranges of all sources, merged ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Merge.h"
#include "Archive/StatementCodec.h"
#include "ArchiveStrings.h"
#include "CallEdges.h"
#include "Overlap.h"
#include "RangeQueue.h"
#include "Support/StableSort.h"
#include "UnwindRows.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace llvm;

namespace lidia {

namespace {

/// A range of depth 0, represented by an Interval while merging.
struct Root {
  uint32_t Source = 0;
  uint32_t Unit = 0;
  /// Index in the unit's functions or, if LineOnly, in its line-only ranges.
  uint32_t Index = 0;
  bool LineOnly = false;
  /// Whether a piece of it has been written.
  bool Written = false;
};

/// How far the statements of a range of depth 0 have been written.
struct StatementCursor {
  StatementCodec Codec{0};
  StringRef Rest;
  /// The last one before Rest.
  std::optional<Statement> InForce;
};

class Merger {
public:
  Merger(std::vector<SourceRanges> Sources, const StringPool &Strings,
         ArchiveWriter &Writer, const MergeOptions &Options)
      : Sources(std::move(Sources)), Strings(Strings), Writer(Writer),
        Threads(Options.Threads), Aliases(Options.Aliases),
        Extents(Options.Extents), CheckCancelled(Options.CheckCancelled),
        Queue(Writer),
        Texts(Strings, Writer, Options.Transform, Options.MaxTransformed),
        DeclaredIn(Strings.idEnd()) {}

  Expected<MergeResult> run();

private:
  void claimUnit(uint32_t Source, uint32_t Unit, bool LineOnly,
                 std::vector<Interval> &Claims);
  std::vector<Interval> claims(bool LineOnly);
  bool isFolded(const Interval &Claim, const Interval &Kept) const;
  void findCopies(std::vector<Interval> Claims);
  bool isCopy(const Interval &Claim, const Interval &Kept) const;
  Error addCopies();
  uint64_t firstRow(const Interval &I, uint64_t From) const;
  uint64_t firstLine(const Interval &I, uint64_t From) const;
  bool hasOwnLines(const Interval &I) const;
  void settleLines();
  void countUses();
  void addDirectories();
  void addPlainNames();
  void addLastDeclarations();
  void addSources();
  void collectCalls();
  StringOffset calleeOf(const CallEdge &Edge);
  Error addCalls();

  void writeAll();
  void write(const Interval &I);
  void writeTree(const Interval &I, const RangeTrees &F, Root &R);
  void writeLeaf(const Interval &I, const RangeTrees &F, size_t Root);
  void writeRange(const RangeTrees &F, const Range &R, uint64_t Start,
                  uint64_t End, StringID Name,
                  std::optional<uint64_t> Entry = std::nullopt);
  bool isNewDeclaration(StringID Name, const Range &R);
  void collectRows(const RangeTrees &F, const Range &R, uint64_t Start,
                   uint64_t End, uint64_t Base);
  void collectLines(const Interval &I, StringID &File);
  void collectStatements(const RangeTrees &F, size_t Root, uint64_t Start,
                         uint64_t End);
  void collectCallNotes(const RangeTrees &F, size_t Root);
  StatementCursor statementsOf(const RangeTrees &F, size_t Root);
  void flush(ArchiveRange &Out);
  void collectNames();
  const Interval *namerAt(uint64_t Address) const;
  StringID nameAt(uint64_t Address) const;
  NameReach reachOf(uint64_t Start, uint64_t Entry) const;
  void collectUnnamed(uint64_t Start, uint64_t NamedEnd);
  void chooseOrigin(const Interval &I, const Root &R);
  FunctionUnit functionUnit(uint32_t Source, uint32_t Unit, uint32_t Number);
  void enterUnit(const Root &R);
  void freeWhenDone(const Root &R);

  const RangeTrees &trees(const Root &R) const {
    const UnitRanges &U = Sources[R.Source].Units[R.Unit];
    return R.LineOnly ? U.LineOnly : U.Functions;
  }
  size_t treeEnd(const RangeTrees &F, Root &R);
  const Range &range(const Root &R) const { return trees(R).Ranges[R.Index]; }
  NameOrigin originOf(const Root &R) const {
    NameOrigin Own = range(R).Origin;
    return Own == NameOrigin::Unknown ? Sources[R.Source].Units[R.Unit].Origin
                                      : Own;
  }

  std::vector<SourceRanges> Sources;
  const StringPool &Strings;
  ArchiveWriter &Writer;
  unsigned Threads;
  ArrayRef<std::pair<uint64_t, StringRef>> Aliases;
  ArrayRef<FunctionExtent> Extents;
  const std::function<Error()> &CheckCancelled;
  /// What CheckCancelled returned.
  RememberedError Ended;
  RangeQueue Queue;
  ArchiveStrings Texts;
  /// The Item of an Interval is an index into these.
  std::vector<Root> Roots;
  /// The functions, and later also line ranges outside all functions; by
  /// address.
  std::vector<Interval> Settled;
  /// Lines of code without a function, or whose function has no lines of its
  /// own.
  std::vector<Interval> Lines;
  /// Where in Lines the search for the next function begins.
  size_t NextLine = 0;
  /// The source of each address's name, for functions without a name.
  std::vector<Interval> Names;
  /// For each source and unit, the number of its intervals still to be written.
  std::vector<std::vector<uint32_t>> Uses;
  std::vector<ArchiveRow> RowBuffer;
  std::vector<Statement> StatementBuffer;
  std::vector<CallNote> CallNoteBuffer;
  std::vector<CallEdge> Calls;
  /// The compile unit of the function being written, and the number of each
  /// that was written, by source and unit (zero for none so far).
  FunctionUnit CurrentUnit;
  /// Of the name of the function being written.
  NameOrigin CurrentOrigin = NameOrigin::Unknown;
  NameReach CurrentReach;
  /// The functions in Extents without a name, and the first extent that is not
  /// compared with names yet.
  std::vector<FunctionExtent> Unnamed;
  size_t NextExtent = 0;
  std::vector<std::vector<uint32_t>> UnitNumbers;
  uint32_t UnitCount = 0;
  /// A function that is written in one unit and that another unit had a copy
  /// of.
  struct Copy {
    uint32_t Source;
    uint32_t Unit;
    uint64_t Start;
  };
  std::vector<Copy> Copies;
  /// The names of functions that were folded into others.
  DenseSet<StringID> Folded;
  /// For functions that others cut into pieces, by Range: where the next piece
  /// continues. Pieces are ascending; starting again for each would take
  /// quadratic time.
  DenseMap<const Range *, StatementCursor> Cursors;
  /// The file of the last range with a declaration, by function.
  std::vector<StringID> DeclaredIn;
  /// The number of ranges that were visited again to write further pieces of
  /// trees. The limit is RepeatFactor times the number of ranges, plus
  /// RepeatFloor. ceph-osd and libpython need none.
  static constexpr uint64_t RepeatFactor = 4, RepeatFloor = 1'000'000;
  uint64_t Repeated = 0;
  uint64_t MaxRepeated = RepeatFloor;
  MergeResult Result;
};

} // namespace

/// Appends the claims of one unit, without ranks.
void Merger::claimUnit(uint32_t Source, uint32_t Unit, bool LineOnly,
                       std::vector<Interval> &Claims) {
  const RangeTrees &F = trees({Source, Unit, 0, LineOnly});
  MaxRepeated += RepeatFactor * F.Ranges.size();
  for (uint32_t I = 0; I < F.Ranges.size(); ++I) {
    if (F.Ranges[I].Depth)
      continue;
    Claims.push_back({F.Ranges[I].Start, F.Ranges[I].End, 0, Roots.size()});
    Roots.push_back({Source, Unit, I, LineOnly});
  }
}

/// Ranks the claims of one source, those from \p First on, after those before:
/// the one that starts later first. So an enclosed function keeps its own
/// addresses, and a function with a wrong length takes none from those after
/// it. Sorts \p Claims as resolveOverlaps() needs them.
static void rankClaims(std::vector<Interval> &Claims, size_t First) {
  auto Middle = Claims.begin() + First;
  std::sort(Middle, Claims.end(), [](const Interval &A, const Interval &B) {
    return A.Start != B.Start ? A.Start < B.Start : A.Item > B.Item;
  });
  uint64_t Rank = Claims.size();
  for (Interval &I : drop_begin(Claims, First))
    I.Rank = --Rank;
  if (First == 0 || Middle == Claims.end())
    return;
  // Not std::inplace_merge, because clang warns about a function that GCC 12's
  // calls.
  std::vector<Interval> Merged;
  Merged.reserve(Claims.size());
  std::merge(Claims.begin(), Middle, Middle, Claims.end(),
             std::back_inserter(Merged), ByStart());
  Claims = std::move(Merged);
}

/// One claim for each range of depth 0, ranked by trust.
std::vector<Interval> Merger::claims(bool LineOnly) {
  std::vector<Interval> Claims;
  for (uint32_t S = 0; S < Sources.size(); ++S) {
    size_t First = Claims.size();
    for (uint32_t U = 0; U < Sources[S].Units.size(); ++U)
      claimUnit(S, U, LineOnly, Claims);
    rankClaims(Claims, First);
  }
  return Claims;
}

/// Whether \p Claim is a discarded copy of the function of \p Kept, whose debug
/// information the linker made refer to the kept copy. Functions with other
/// names were folded instead.
bool Merger::isCopy(const Interval &Claim, const Interval &Kept) const {
  const Root &C = Roots[Claim.Item], &K = Roots[Kept.Item];
  const Range &R = range(K);
  return C.Source == K.Source && C.Unit != K.Unit &&
         Sources[C.Source].Units[C.Unit].Name && Claim.Start == R.Start &&
         Claim.End == R.End && Kept.Start == R.Start && Kept.End == R.End &&
         range(C).Name == R.Name;
}

/// Whether \p Claim is a function that the linker folded into that of \p Kept.
bool Merger::isFolded(const Interval &Claim, const Interval &Kept) const {
  const Root &C = Roots[Claim.Item], &K = Roots[Kept.Item];
  // Symbol tables have other reasons for several names.
  return C.Source == K.Source && Sources[C.Source].Units[C.Unit].Name &&
         Claim.Start == Kept.Start && Claim.End == Kept.End &&
         range(C).Name != range(K).Name;
}

/// Finds the copies among the \p Claims that are not in Settled, and the names
/// of folded functions.
void Merger::findCopies(std::vector<Interval> Claims) {
  llvm::sort(Claims, [](const Interval &A, const Interval &B) {
    return std::make_pair(A.Start, A.Rank) < std::make_pair(B.Start, B.Rank);
  });
  auto Kept = Settled.begin();
  for (const Interval &Claim : Claims) {
    while (Kept != Settled.end() && Kept->Start < Claim.Start)
      ++Kept;
    if (Kept == Settled.end())
      return;
    const Root &R = Roots[Claim.Item];
    if (isCopy(Claim, *Kept))
      Copies.push_back({R.Source, R.Unit, Claim.Start});
    else if (isFolded(Claim, *Kept))
      Folded.insert(range(R).Name);
  }
}

/// Whether anything is inlined into the function at \p Root.
static bool hasCalls(const RangeTrees &F, size_t Root) {
  return Root + 1 < F.Ranges.size() && F.Ranges[Root + 1].Depth;
}

/// Whether the function of \p I has lines of its own.
bool Merger::hasOwnLines(const Interval &I) const {
  const Root &R = Roots[I.Item];
  const RangeTrees &F = trees(R);
  return hasCalls(F, R.Index) || F.Ranges[R.Index].RowCount;
}

/// The first address from \p From on at which the line-only interval \p I has a
/// row; its end if there is none.
uint64_t Merger::firstRow(const Interval &I, uint64_t From) const {
  const Range &R = range(Roots[I.Item]);
  ArrayRef<Row> Rows = trees(Roots[I.Item]).rows(R);
  const Row *First = partition_point(
      Rows, [&](const Row &Row) { return R.Start + Row.Offset < From; });
  return First != Rows.end() ? std::min(R.Start + First->Offset, I.End) : I.End;
}

/// The first address from \p From on, which is the start of a symbol, at which
/// the line-only interval \p I has the symbol's lines. A compiler begins each
/// function with a row, so an earlier row belongs to the previous function. An
/// assembler writes a single row for all functions that a macro makes.
uint64_t Merger::firstLine(const Interval &I, uint64_t From) const {
  const Root &R = Roots[I.Item];
  if (Sources[R.Source].Units[R.Unit].IsAssembly)
    return std::max(firstRow(I, I.Start), From);
  return firstRow(I, std::max(I.Start, From));
}

/// Finds the lines for functions without lines, and adds the remaining ones to
/// Settled.
void Merger::settleLines() {
  std::vector<Interval> WithLines;
  for (const Interval &I : Settled)
    if (hasOwnLines(I))
      WithLines.push_back(I);
  Lines = subtract(resolveOverlaps(claims(/*LineOnly=*/true)), WithLines);
  for (Interval I : subtract(Lines, Settled)) {
    I.Start = firstRow(I, I.Start);
    if (I.Start < I.End)
      Settled.push_back(I);
  }
  // They do not overlap.
  std::sort(
      Settled.begin(), Settled.end(),
      [](const Interval &A, const Interval &B) { return A.Start < B.Start; });
}

FunctionUnit Merger::functionUnit(uint32_t Source, uint32_t Unit,
                                  uint32_t Number) {
  const UnitRanges &U = Sources[Source].Units[Unit];
  return {Number, Texts.file(U.Name), U.Language, Texts.file(U.Directory)};
}

/// Sets the compile unit of the functions written from now on: that of \p R,
/// which may have none.
void Merger::enterUnit(const Root &R) {
  CurrentUnit = FunctionUnit();
  if (!Sources[R.Source].Units[R.Unit].Name)
    return;
  uint32_t &Number = UnitNumbers[R.Source][R.Unit];
  if (!Number)
    Number = ++UnitCount;
  CurrentUnit = functionUnit(R.Source, R.Unit, Number);
}

/// Collects the names of addresses, for functions without a name.
void Merger::collectNames() {
  auto HasNoName = [&](const Interval &I) {
    return !Roots[I.Item].LineOnly && !range(Roots[I.Item]).Name;
  };
  if (none_of(Settled, HasNoName))
    return;
  std::vector<Interval> Claims;
  size_t First = 0;
  for (uint64_t I = 0; I < Roots.size(); ++I) {
    if (I && Roots[I].Source != Roots[I - 1].Source) {
      rankClaims(Claims, First);
      First = Claims.size();
    }
    if (const Range &R = range(Roots[I]); R.Name)
      Claims.push_back({R.Start, R.End, 0, I});
  }
  rankClaims(Claims, First);
  Names = resolveOverlaps(std::move(Claims));
  // Units are freed once they are written.
  for (Interval &I : Names) {
    const Root &R = Roots[I.Item];
    I.Rank = uint64_t(originOf(R));
    I.Item = range(R).Name;
  }
}

/// The range with the best name that any source has for the code at
/// \p Address: its item is the name and its rank the name's origin. Null if
/// there is none.
const Interval *Merger::namerAt(uint64_t Address) const {
  auto It = std::upper_bound(
      Names.begin(), Names.end(), Address,
      [](uint64_t Address, const Interval &I) { return Address < I.End; });
  return It != Names.end() && It->Start <= Address ? &*It : nullptr;
}

StringID Merger::nameAt(uint64_t Address) const {
  const Interval *Namer = namerAt(Address);
  return Namer ? Namer->Item : 0;
}

/// How far unwind information shows that the function of a symbol at \p Entry
/// reaches, from \p Start on.
NameReach Merger::reachOf(uint64_t Start, uint64_t Entry) const {
  const FunctionExtent *Next = firstExtentAfter(Extents, Entry);
  // The symbol is right about its own address.
  uint64_t Shown = Entry + 1, Possible = UINT64_MAX;
  if (Next != Extents.begin())
    Shown = std::max(Shown, Next[-1].End);
  if (Next != Extents.end())
    Possible = Next->Begin;
  auto FromStart = [&](uint64_t End) { return End - std::min(Start, End); };
  return {FromStart(Shown), FromStart(Possible)};
}

/// Sets the origin of the name of the function of \p R, for its piece \p I.
void Merger::chooseOrigin(const Interval &I, const Root &R) {
  const RangeTrees &F = trees(R);
  CurrentReach = NameReach();
  CurrentOrigin = originOf(R);
  if (!range(R).Name) {
    const Interval *Namer = namerAt(I.Start);
    CurrentOrigin = Namer ? NameOrigin(Namer->Rank) : NameOrigin::Unknown;
  }
  if (isSizeless(CurrentOrigin))
    CurrentReach = reachOf(I.Start, F.entry(R.Index));
}

/// Appends the rows of \p R that are in force from \p Start to \p End to
/// RowBuffer, relative to \p Base.
void Merger::collectRows(const RangeTrees &F, const Range &R, uint64_t Start,
                         uint64_t End, uint64_t Base) {
  ArrayRef<Row> Rows = F.rows(R);
  auto *Next = std::upper_bound(
      Rows.begin(), Rows.end(), Start - R.Start,
      [](uint64_t Offset, const Row &Row) { return Offset < Row.Offset; });
  auto Add = [&](const Row &Row, uint64_t Address) {
    ArchiveRow Out;
    Out.Offset = Address - Base;
    Out.Line = Row.Line;
    Out.Column = Row.Column;
    Out.File = Texts.position(Row.File, Out.Line, Out.Column);
    RowBuffer.push_back(Out);
  };
  if (Next != Rows.begin())
    Add(Next[-1], Start);
  for (; Next != Rows.end() && R.Start + Next->Offset < End; ++Next)
    Add(*Next, R.Start + Next->Offset);
}

/// Collects the functions in unwind information that begin before \p Start, and
/// skips those that begin before \p NamedEnd: the code in between has a name.
/// Call it in order of address.
void Merger::collectUnnamed(uint64_t Start, uint64_t NamedEnd) {
  for (; NextExtent != Extents.size(); ++NextExtent) {
    FunctionExtent F = Extents[NextExtent];
    if (F.Begin >= std::max(Start, NamedEnd))
      return;
    if (NextExtent + 1 != Extents.size())
      F.End = std::min(F.End, Extents[NextExtent + 1].Begin);
    F.End = std::min(F.End, std::max(F.Begin, Start));
    if (F.Begin < Start && F.Begin < F.End)
      Unnamed.push_back(F);
  }
}

/// Appends to RowBuffer the rows of line tables for code whose function has no
/// lines, and sets \p File to the file of the first row.
void Merger::collectLines(const Interval &I, StringID &File) {
  while (NextLine < Lines.size() && Lines[NextLine].End <= I.Start)
    ++NextLine;
  uint64_t Known = I.Start;
  bool Any = false;
  for (size_t L = NextLine; L < Lines.size() && Lines[L].Start < I.End; ++L) {
    const Root &R = Roots[Lines[L].Item];
    uint64_t Start = firstLine(Lines[L], I.Start);
    uint64_t End = std::min(Lines[L].End, I.End);
    if (Start >= End)
      continue;
    if (!Any)
      File = range(R).File;
    // The code of a symbol, such as assembly, belongs to the unit of its lines.
    if (!Any && !CurrentUnit.Number)
      enterUnit(R);
    Any = true;
    if (Known < Start)
      RowBuffer.push_back({Known - I.Start, 0, 0, 0});
    collectRows(trees(R), range(R), Start, End, I.Start);
    if (Known < Start)
      StatementBuffer.push_back({Known, 0, 0, 0, SF_Unknown});
    collectStatements(trees(R), R.Index, Start, End);
    Known = End;
  }
  if (Any && Known < I.End) {
    RowBuffer.push_back({Known - I.Start, 0, 0, 0});
    StatementBuffer.push_back({Known, 0, 0, 0, SF_Unknown});
  }
  // Statements that are only gaps have no information, and need not begin where
  // the code does.
  if (all_of(StatementBuffer,
             [](const Statement &S) { return S.Flags & SF_Unknown; }))
    StatementBuffer.clear();
}

/// Takes the cursor of the range of depth 0 at \p Root, or creates it.
StatementCursor Merger::statementsOf(const RangeTrees &F, size_t Root) {
  auto Known = Cursors.find(&F.Ranges[Root]);
  if (Known == Cursors.end())
    return {StatementCodec(F.Ranges[Root].Start), F.statements(Root), {}};
  StatementCursor Cursor = Known->second;
  Cursors.erase(Known);
  return Cursor;
}

/// Appends the statements of the range of depth 0 at \p Root from \p Start to
/// \p End to StatementBuffer.
void Merger::collectStatements(const RangeTrees &F, size_t Root, uint64_t Start,
                               uint64_t End) {
  StatementCursor Cursor = statementsOf(F, Root);
  std::optional<Statement> InForce = Cursor.InForce;
  auto Add = [&](Statement S) {
    S.File = Texts.position(StringID(S.File), S.Line, S.Column);
    StatementBuffer.push_back(S);
  };
  auto AddInForce = [&] {
    if (!InForce)
      return;
    // A prologue does not end at the beginning of a piece.
    InForce->Address = Start;
    InForce->Flags &= SF_IsStmt | SF_Unknown;
    Add(*InForce);
    InForce.reset();
  };
  Statement S;
  for (StatementCursor Next = Cursor;
       Next.Codec.decode(Next.Rest, S) && S.Address < End; Cursor = Next) {
    Next.InForce = S;
    if (S.Address < Start) {
      InForce = S;
      continue;
    }
    if (S.Address != Start)
      AddInForce();
    InForce.reset();
    Add(S);
  }
  AddInForce();
  if (End < F.Ranges[Root].End)
    Cursors.try_emplace(&F.Ranges[Root], Cursor);
}

void Merger::collectCallNotes(const RangeTrees &F, size_t Root) {
  for (auto &[Range, Note] : F.callNotes(Root)) {
    CallNoteBuffer.push_back(Note);
    CallNote &Out = CallNoteBuffer.back();
    StringID Callee = StringID(Note.Function);
    Out.Function = Texts.function(Callee);
    Out.CallFile = Texts.position(StringID(Note.CallFile), Out.CallLine,
                                  Out.CallColumn, Callee);
  }
}

void Merger::flush(ArchiveRange &Out) {
  Out.Rows = RowBuffer;
  Result.HasLines |= !RowBuffer.empty();
  Out.Statements = StatementBuffer;
  Out.Calls = CallNoteBuffer;
  Out.Unit = CurrentUnit;
  Out.Origin = CurrentOrigin;
  Out.Reach = CurrentReach;
  Queue.add(Out);
  RowBuffer.clear();
  StatementBuffer.clear();
  CallNoteBuffer.clear();
}

/// Whether the writer may not know the declaration of \p R, whose function is
/// \p Name. Most ranges are of functions that were inlined before.
bool Merger::isNewDeclaration(StringID Name, const Range &R) {
  // The file may be changed differently for each range.
  if (Texts.transformsPositions() || !R.DeclLine)
    return true;
  return std::exchange(DeclaredIn[Name], R.File) != R.File || !R.File;
}

/// Writes the part of \p R from \p Start to \p End. \p Entry is its function's
/// entry, if it has depth 0.
void Merger::writeRange(const RangeTrees &F, const Range &R, uint64_t Start,
                        uint64_t End, StringID Name,
                        std::optional<uint64_t> Entry) {
  ArchiveRange Out;
  Out.Start = Start;
  Out.Length = End - Start;
  Out.Depth = R.Depth;
  // This order determines the order of the stored strings.
  Out.Function = Texts.function(Name, R.File);
  Out.File = Texts.file(R.File);
  Out.CallLine = R.CallLine;
  Out.CallColumn = R.CallColumn;
  Out.CallFile = Texts.position(R.CallFile, Out.CallLine, Out.CallColumn, Name);
  if (isNewDeclaration(Name, R)) {
    Out.DeclFile = Texts.file(R.DeclFile);
    Out.DeclLine = R.DeclLine;
  }
  Out.Entry = Entry;
  collectRows(F, R, Start, End, Start);
  if (Texts.transformsPositions() && !RowBuffer.empty())
    Out.File = mainFile<ArchiveRow, StringOffset>(RowBuffer);
  if (!R.Depth) {
    collectStatements(F, &R - F.Ranges.data(), Start, End);
    // In a tree that is cut, ranges have other numbers.
    if (Start == R.Start && End == R.End)
      collectCallNotes(F, &R - F.Ranges.data());
  }
  flush(Out);
}

/// The end (one past the last range) of the part of the tree at \p R to write
/// for its next piece. A tree is visited once for each piece that other
/// functions leave of it, seldom more than once. If crafted functions overlap
/// so often that this would not end, pieces after the first are written without
/// inlined calls.
size_t Merger::treeEnd(const RangeTrees &F, Root &R) {
  if (std::exchange(R.Written, true)) {
    if (Repeated > MaxRepeated) {
      Result.PiecesWithoutCalls += hasCalls(F, R.Index);
      return R.Index + 1;
    }
    Repeated += F.treeEnd(R.Index) - R.Index;
  }
  return F.treeEnd(R.Index);
}

/// Writes the tree at \p R, cut to \p I.
void Merger::writeTree(const Interval &I, const RangeTrees &F, Root &TheRoot) {
  size_t Root = TheRoot.Index, End = treeEnd(F, TheRoot);
  for (size_t N = Root; N < End; ++N) {
    const Range &R = F.Ranges[N];
    uint64_t From = std::max(I.Start, R.Start), To = std::min(I.End, R.End);
    // In a truncated tree, ranges may now have the same start, but they are
    // still in order of depth.
    StringID Name = R.Name || N != Root ? R.Name : nameAt(I.Start);
    std::optional<uint64_t> Entry;
    if (N == Root)
      Entry = F.entry(Root);
    if (From < To)
      writeRange(F, R, From, To, Name, Entry);
  }
}

/// Writes a function without lines of its own and without inlined calls.
void Merger::writeLeaf(const Interval &I, const RangeTrees &F, size_t Root) {
  const Range &R = F.Ranges[Root];
  StringID File = R.File;
  collectLines(I, File);
  ArchiveRange Out;
  Out.Start = I.Start;
  Out.Length = I.End - I.Start;
  Out.Function = Texts.function(R.Name ? R.Name : nameAt(I.Start), File);
  Out.File = Texts.file(File);
  Out.DeclFile = Texts.file(R.DeclFile);
  Out.DeclLine = R.DeclLine;
  Out.Entry = F.entry(Root);
  flush(Out);
}

void Merger::write(const Interval &I) {
  Root &R = Roots[I.Item];
  const RangeTrees &F = trees(R);
  enterUnit(R);
  if (R.LineOnly) {
    collectUnnamed(I.Start, I.Start);
    Result.BytesNameless += I.End - I.Start;
    writeRange(F, range(R), I.Start, I.End, 0);
    return;
  }
  Result.BytesNamed[R.Source] += I.End - I.Start;
  chooseOrigin(I, R);
  uint64_t Named = CurrentOrigin == NameOrigin::Unknown
                       ? 0
                       : std::min(I.End - I.Start, CurrentReach.Possible);
  collectUnnamed(I.Start, I.Start + Named);
  if (hasOwnLines(I))
    writeTree(I, F, R);
  else
    writeLeaf(I, F, R.Index);
  freeWhenDone(R);
}

void Merger::writeAll() {
  // The callback of a caller may be slow.
  constexpr size_t Often = 256;
  for (auto [N, I] : enumerate(Settled)) {
    if (N % Often == 0 && CheckCancelled) {
      if (Error E = CheckCancelled()) {
        Ended = RememberedError(std::move(E));
        return;
      }
    }
    write(I);
  }
}

void Merger::countUses() {
  for (const SourceRanges &S : Sources)
    Uses.emplace_back(S.Units.size());
  for (const Interval &I : Settled)
    if (const Root &R = Roots[I.Item]; !R.LineOnly)
      ++Uses[R.Source][R.Unit];
}

void Merger::freeWhenDone(const Root &R) {
  if (--Uses[R.Source][R.Unit] == 0)
    Sources[R.Source].Units[R.Unit].Functions = RangeTrees();
}

/// Records the lengths of compilation directories in the paths of the files
/// written.
void Merger::addDirectories() {
  for (const SourceRanges &S : Sources)
    for (const UnitRanges &U : S.Units)
      for (auto [File, Length] : U.Directories)
        if (Texts.hasFile(File))
          Writer.addDirectory(Texts.file(File),
                              Texts.directoryLength(File, Length));
}

/// Records the plain names of the functions written.
void Merger::addPlainNames() {
  for (const SourceRanges &S : Sources)
    Texts.addSourceNames(S.Units);
  Texts.addNewSourceNames();
}

/// Takes the calls in functions that are to be written.
void Merger::collectCalls() {
  auto Visit = [&](function_ref<void(uint64_t, StringID)> Function) {
    for (const Interval &I : Settled)
      if (const Root &R = Roots[I.Item];
          !R.LineOnly && range(R).Start == I.Start)
        Function(I.Start, range(R).Name);
  };
  dropUselessCalls(Sources, Strings, Aliases, Folded, Visit);
  for (const Interval &I : Settled) {
    const Root &R = Roots[I.Item];
    if (!R.LineOnly)
      appendCalls(Sources[R.Source].Units[R.Unit], I.Start, I.End, Calls);
  }
}

/// The name of the callee, or the expression of its address.
StringOffset Merger::calleeOf(const CallEdge &Edge) {
  return Edge.Flags & format::CF_Target ? Texts.plain(Edge.Callee)
                                        : Texts.function(Edge.Callee);
}

Error Merger::addCalls() {
  for (const CallEdge &Edge : Calls)
    if (Error E = Writer.addCall({Edge.Address, calleeOf(Edge), Edge.Flags}))
      return E;
  return Error::success();
}

/// Records the copies of the functions written. Units of which nothing else was
/// written get the following numbers.
Error Merger::addCopies() {
  stableSort(Copies, [](const Copy &C) {
    return std::make_tuple(C.Source, C.Unit, C.Start);
  });
  auto NumberOf = [&](const Copy &C) -> uint32_t & {
    return UnitNumbers[C.Source][C.Unit];
  };
  for (const Copy &C : Copies)
    if (!NumberOf(C))
      NumberOf(C) = ++UnitCount;
  stableSort(Copies, [&](const Copy &C) { return NumberOf(C); });
  const Copy *Last = nullptr;
  for (const Copy &C : Copies) {
    // A unit may describe a function twice.
    if (Last && NumberOf(*Last) == NumberOf(C) && Last->Start == C.Start)
      continue;
    Last = &C;
    FunctionUnit U = functionUnit(C.Source, C.Unit, NumberOf(C));
    if (Error E = Writer.addCopy(U, C.Start))
      return E;
  }
  return Error::success();
}

/// Records the last declarations of the functions written.
void Merger::addLastDeclarations() {
  for (const SourceRanges &S : Sources)
    for (const UnitRanges &U : S.Units)
      for (const LastDeclaration &L : U.LastDeclarations)
        if (Texts.hasFunction(L.Function))
          Writer.addLastDeclaration(Texts.function(L.Function),
                                    {Texts.file(L.File), L.Line});
}

/// Keeps the source code of the files written.
void Merger::addSources() {
  for (const SourceRanges &S : Sources)
    for (auto [File, Text] : S.Sources)
      if (Texts.hasFile(File))
        Writer.addSource(Texts.file(File), Text);
}

Expected<MergeResult> Merger::run() {
  for (const SourceRanges &S : Sources)
    Texts.learnSourceNames(S.Units);
  Result.BytesNamed.resize(Sources.size());
  for (const SourceRanges &S : Sources)
    UnitNumbers.emplace_back(S.Units.size());
  std::vector<Interval> Claims = claims(/*LineOnly=*/false);
  Settled = resolveOverlaps(Claims);
  findCopies(std::move(Claims));
  settleLines();
  collectNames();
  countUses();
  collectCalls();
  if (Error E = Queue.run(Threads, [&] { writeAll(); }))
    return E;
  if (Ended)
    return Ended.get();
  addPlainNames();
  addLastDeclarations();
  addDirectories();
  addSources();
  if (Error E = addCalls())
    return E;
  if (Error E = addCopies())
    return E;
  // The writer keeps the names that no range has.
  for (auto [Address, Name] : Aliases)
    Writer.addAlias(Address, Texts.symbol(Name));
  collectUnnamed(UINT64_MAX, UINT64_MAX);
  Writer.setUnnamedFunctions(unnamedFunctionsSection(Unnamed));
  Result.RangesRepeated = Repeated;
  Result.TextsUnchanged = Texts.leftOut();
  return Result;
}

Expected<MergeResult> merge(std::vector<SourceRanges> Sources,
                            const StringPool &Strings, ArchiveWriter &Writer,
                            const MergeOptions &Options) {
  return Merger(std::move(Sources), Strings, Writer, Options).run();
}

} // namespace lidia
