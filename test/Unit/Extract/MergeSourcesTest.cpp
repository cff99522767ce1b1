//===- MergeSourcesTest.cpp - Random sources, merged and asked ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Merges the random range trees of several sources with several units each,
/// and compares the answer at each address with a model that applies the rules
/// of Merge.h to that address alone.
///
//===----------------------------------------------------------------------===//

#include "Archive/StatementCodec.h"
#include "AskArchive.h"
#include "Extract/Merge.h"
#include "lidia/Archive/Calls.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Archive/Verify.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace lidia;
using namespace llvm;

namespace {

constexpr uint64_t SourcesBase = 0x1000, SourcesSize = 160;

/// A range of depth 0 of a source.
struct Place {
  const SourceRanges *Source = nullptr;
  const UnitRanges *Unit = nullptr;
  const RangeTrees *Trees = nullptr;
  size_t Root = 0;

  explicit operator bool() const { return Trees; }
  const Range &range() const { return Trees->Ranges[Root]; }
  bool covers(uint64_t Address) const {
    return range().Start <= Address && Address < range().End;
  }
  bool hasOwnLines() const {
    return range().RowCount || Trees->treeEnd(Root) != Root + 1;
  }
  bool operator==(const Place &O) const {
    return Trees == O.Trees && Root == O.Root;
  }
};

/// Random sources, and the answers that they imply.
class SourcesModel {
public:
  explicit SourcesModel(uint64_t Seed) : Random(Seed) {
    Sources.resize(1 + below(3));
    for (SourceRanges &S : Sources) {
      S.Units.resize(1 + below(3));
      for (UnitRanges &U : S.Units)
        addUnit(U);
      S.Sources.push_back({file(), "text"});
    }
    for (bool IsLineOnly : {false, true})
      for (uint64_t At = SourcesBase - 1; At != SourcesBase + SourcesSize + 2;
           ++At)
        Winners[IsLineOnly].push_back(findWinner(At, IsLineOnly));
  }

  /// The best range of depth 0 at \p Address.
  const Place &winner(uint64_t Address, bool IsLineOnly) const {
    return Winners[IsLineOnly][Address - (SourcesBase - 1)];
  }
  /// The first address of the piece with \p Address that its winner has.
  uint64_t pieceStart(uint64_t Address, bool IsLineOnly) const;
  /// What says the line of \p Address if no function does; none if nothing.
  Place lineOnly(uint64_t Address) const;

  std::string name(uint64_t Address) const;
  std::string frames(uint64_t Address) const;
  /// The statement in force, with its flags: "/1.c:2/1".
  std::string statement(uint64_t Address) const;
  /// The line-only range that says the first line of the function at \p
  /// Address.
  Place linesOf(uint64_t Address) const;
  std::string unitName(uint64_t Address) const;
  /// The file of the range of depth 0.
  std::string fileName(uint64_t Address) const;
  /// The callees of the calls at \p Address.
  std::string callees(uint64_t Address) const;
  /// The notes on the calls of the function at \p Address.
  std::string notes(uint64_t Address) const;
  /// Which functions each unit had a copy of: "/u1.c: 1003 1010".
  std::set<std::string> copies() const;

  /// All functions of a name are declared on the same line.
  static uint32_t declLine(StringRef Name) {
    return 1 + uint32_t(Name.size() + uint8_t(Name.back()));
  }
  std::string text(StringID ID) const { return Strings[ID].str(); }
  uint64_t below(uint64_t Count) { return Random() % Count; }

  StringPool Strings;
  std::vector<SourceRanges> Sources;

private:
  StringID string(const Twine &Text) {
    return Strings.intern(Text.str(), /*Stable=*/false);
  }
  StringID file() { return string("/" + Twine(below(5)) + ".c"); }
  uint32_t line() { return uint32_t(1 + below(1000)); }
  void addUnit(UnitRanges &U);
  void addFunction(RangeTrees &F);
  void addCalls(RangeTrees &F, uint64_t Start, uint64_t End, uint16_t Depth);
  void addLines(RangeTrees &F, bool FromTheStart);
  void addRows(RangeTrees &F, Range &R, bool FromTheStart);
  void addStatements(RangeTrees &F, size_t Root);
  void addNotes(RangeTrees &F, size_t Root);
  void addUnitCalls(UnitRanges &U);

  std::string position(const Place &P, const Range &R, uint64_t Address) const;

  Place findWinner(uint64_t Address, bool IsLineOnly) const;

  std::mt19937_64 Random;
  unsigned UnitNames = 0;
  /// By address from SourcesBase - 1 on: the winners, without and with
  /// IsLineOnly.
  std::vector<Place> Winners[2];
};

} // namespace

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

void SourcesModel::addRows(RangeTrees &F, Range &R, bool FromTheStart) {
  R.FirstRow = uint32_t(F.Rows.size());
  uint64_t Offset = FromTheStart ? 0 : below(4);
  for (; Offset < R.End - R.Start; Offset += 1 + below(20)) {
    Row Row;
    Row.Offset = uint32_t(Offset);
    Row.File = below(8) ? R.File : file();
    Row.Line = line();
    Row.Column = uint32_t(below(90));
    F.Rows.push_back(Row);
  }
  R.RowCount = uint32_t(F.Rows.size()) - R.FirstRow;
}

void SourcesModel::addStatements(RangeTrees &F, size_t Root) {
  const Range &R = F.Ranges[Root];
  F.StatementStarts.push_back({uint32_t(Root), uint32_t(F.Statements.size())});
  StatementCodec Codec(R.Start);
  SmallString<256> Bytes;
  for (uint64_t At = R.Start; At < R.End; At += below(16)) {
    Statement S;
    S.Address = At;
    S.File = file();
    S.Line = line();
    S.Flags = uint8_t(SF_IsStmt | (below(2) ? SF_PrologueEnd : 0));
    Codec.encode(S, Bytes);
  }
  F.Statements += Bytes;
}

/// Adds calls inside Start..End that do not overlap, and calls inside those.
void SourcesModel::addCalls(RangeTrees &F, uint64_t Start, uint64_t End,
                            uint16_t Depth) {
  while (Depth <= 3 && Start < End && below(3) != 0) {
    Range R;
    R.Start = Start + below(End - Start);
    R.End = R.Start + 1 + below(End - R.Start);
    R.Depth = Depth;
    R.Name = string("c" + Twine(F.Ranges.size()));
    R.File = file();
    R.CallFile = file();
    R.CallLine = line();
    R.DeclFile = string("/d.c");
    R.DeclLine = declLine(Strings[R.Name]);
    if (below(3))
      addRows(F, R, /*FromTheStart=*/false);
    F.Ranges.push_back(R);
    addCalls(F, R.Start, R.End, Depth + 1);
    Start = R.End;
  }
}

void SourcesModel::addFunction(RangeTrees &F) {
  const size_t Root = F.Ranges.size();
  Range R;
  // Often the same as that of another, so that there are copies.
  R.Start = SourcesBase + (below(2) ? below(8) * 20 : below(SourcesSize - 1));
  R.End = R.Start + 1 +
          (below(3)
               ? std::min<uint64_t>(19, SourcesBase + SourcesSize - R.Start - 1)
               : below(SourcesBase + SourcesSize - R.Start));
  if (below(4))
    R.Name = string("f" + Twine((R.Start - SourcesBase) / 40));
  R.File = below(6) ? file() : 0;
  R.DeclFile = string("/d.c");
  R.DeclLine = R.Name ? declLine(Strings[R.Name]) : 0;
  if (below(3))
    addRows(F, R, /*FromTheStart=*/false);
  F.Ranges.push_back(R);
  if (R.RowCount && below(2))
    addCalls(F, R.Start, R.End, 1);
  if (F.Ranges.size() != Root + 1 || R.RowCount)
    addStatements(F, Root);
  addNotes(F, Root);
  if (below(4) == 0)
    F.Entries.push_back({uint32_t(Root), SourcesBase + below(SourcesSize)});
}

/// Notes on some of the calls inlined into a function.
void SourcesModel::addNotes(RangeTrees &F, size_t Root) {
  for (size_t I = Root + 1; I < F.Ranges.size(); ++I) {
    if (below(2))
      continue;
    CallNote N;
    N.Kind = below(2) ? CallNote::Code : CallNote::Empty;
    N.Range = uint32_t(I - Root);
    N.Address = F.Ranges[I].Start;
    if (N.Kind == CallNote::Code) {
      N.Call = uint32_t(1 + below(3));
    } else {
      N.Function = string("n" + Twine(below(9)));
      N.CallFile = file();
      N.CallLine = line();
    }
    F.CallNotes.push_back({uint32_t(Root), N});
  }
}

/// Tail calls, which are kept, and others, which are kept if the callee has
/// one.
void SourcesModel::addUnitCalls(UnitRanges &U) {
  for (uint64_t At = SourcesBase + below(20); At < SourcesBase + SourcesSize;
       At += 1 + below(20))
    U.Calls.push_back({At, string("f" + Twine(below(4))),
                       uint8_t(below(2) ? format::CF_Tail : 0)});
  if (below(4) == 0)
    U.TailCallers.push_back(string("f" + Twine(below(4))));
}

/// A line table has a row at each end of code without a function.
void SourcesModel::addLines(RangeTrees &F, bool FromTheStart) {
  Range R;
  R.Start = SourcesBase + below(SourcesSize - 1);
  R.End = R.Start + 1 + below(SourcesBase + SourcesSize - R.Start);
  R.File = file();
  addRows(F, R, FromTheStart);
  if (!R.RowCount)
    return;
  F.Ranges.push_back(R);
  addStatements(F, F.Ranges.size() - 1);
}

void SourcesModel::addUnit(UnitRanges &U) {
  if (below(3))
    U.Name = string("/u" + Twine(++UnitNames) + ".c");
  U.IsAssembly = below(3) == 0;
  for (uint64_t Count = below(5); Count; --Count)
    addFunction(U.Functions);
  for (uint64_t Count = below(3); Count; --Count)
    addLines(U.LineOnly, below(2));
  addUnitCalls(U);
  U.Directories.push_back({file(), 1});
  U.LastDeclarations.push_back({string("f" + Twine(below(4))), file(), 1234});
}

//===----------------------------------------------------------------------===//
// Answering
//===----------------------------------------------------------------------===//

Place SourcesModel::findWinner(uint64_t Address, bool IsLineOnly) const {
  for (const SourceRanges &S : Sources) {
    Place Best;
    for (const UnitRanges &U : S.Units) {
      const RangeTrees &F = IsLineOnly ? U.LineOnly : U.Functions;
      for (size_t I = 0; I != F.Ranges.size(); ++I) {
        Place P = {&S, &U, &F, I};
        if (!P.range().Depth && P.covers(Address) &&
            (!Best || P.range().Start > Best.range().Start))
          Best = P;
      }
    }
    if (Best)
      return Best;
  }
  return {};
}

Place SourcesModel::lineOnly(uint64_t Address) const {
  if (Place P = winner(Address, false); P && P.hasOwnLines())
    return {};
  return winner(Address, true);
}

uint64_t SourcesModel::pieceStart(uint64_t Address, bool IsLineOnly) const {
  auto At = [&](uint64_t A) {
    return IsLineOnly ? lineOnly(A) : winner(A, false);
  };
  const Place Here = At(Address);
  while (Address >= SourcesBase && At(Address - 1) == Here)
    --Address;
  return Address;
}

std::string SourcesModel::position(const Place &P, const Range &R,
                                   uint64_t Address) const {
  std::string Text = " " + text(R.File) + ":0";
  for (const Row &Row : P.Trees->rows(R))
    if (R.Start + Row.Offset <= Address)
      Text = (" " + Strings[Row.File] + ":" + Twine(Row.Line)).str();
  return Text == " :0" ? "" : Text;
}

/// Its own name, or the best name that there is at the start of its piece.
std::string SourcesModel::name(uint64_t Address) const {
  const Place P = winner(Address, false);
  if (P.range().Name)
    return text(P.range().Name);
  const uint64_t Start = pieceStart(Address, false);
  for (const SourceRanges &S : Sources) {
    const Range *Best = nullptr;
    for (const UnitRanges &U : S.Units)
      for (const Range &R : U.Functions.Ranges)
        if (!R.Depth && R.Name && R.Start <= Start && Start < R.End &&
            (!Best || R.Start > Best->Start))
          Best = &R;
    if (Best)
      return text(Best->Name);
  }
  return "";
}

/// The first row of the line-only range \p P that says the line of \p Address;
/// none if none does. Unless an assembler wrote it, a row does not say it
/// beyond the function that contains the row.
static std::optional<uint64_t> firstLine(const SourcesModel &M, const Place &P,
                                         uint64_t Address) {
  uint64_t From = M.pieceStart(Address, true);
  if (!M.winner(Address, false) || !P.Unit->IsAssembly)
    From = std::max(From, M.pieceStart(Address, false));
  for (const Row &Row : P.Trees->rows(P.range()))
    if (uint64_t At = P.range().Start + Row.Offset; From <= At && At <= Address)
      return At;
  return std::nullopt;
}

std::string SourcesModel::frames(uint64_t Address) const {
  const Place P = winner(Address, false);
  if (!P || !P.hasOwnLines()) {
    std::string Text = P ? name(Address) : "";
    const Place L = lineOnly(Address);
    if (L && firstLine(*this, L, Address))
      return Text + position(L, L.range(), Address);
    if (!P)
      return "";
    return linesOf(Address) || !P.range().File
               ? Text
               : Text + position(P, P.range(), Address);
  }
  std::string Text, Call;
  for (size_t I = P.Trees->treeEnd(P.Root); I-- != P.Root;) {
    const Range &R = P.Trees->Ranges[I];
    if (Address < R.Start || Address >= R.End)
      continue;
    if (!Text.empty() || !Call.empty())
      Text += " < ";
    Text += R.Depth ? text(R.Name) : name(Address);
    Text += Call.empty() ? position(P, R, Address) : Call;
    Call = (" " + Strings[R.CallFile] + ":" + Twine(R.CallLine)).str();
  }
  return Text;
}

static std::string statementText(StringRef File, const Statement &S) {
  return (File + ":" + Twine(S.Line) + "/" + Twine(unsigned(S.Flags))).str();
}

std::string SourcesModel::statement(uint64_t Address) const {
  Place P = winner(Address, false);
  if (!P || !P.hasOwnLines()) {
    P = lineOnly(Address);
    if (!P || !firstLine(*this, P, Address))
      return "";
  }
  StatementCodec Codec(P.range().Start);
  StringRef Rest = P.Trees->statements(P.Root);
  uint64_t Start = pieceStart(Address, false);
  if (P.Trees == &P.Unit->LineOnly)
    Start = std::max(*firstLine(*this, P, Address),
                     winner(Address, false) ? Start : 0);
  std::string Text;
  for (Statement S; Codec.decode(Rest, S) && S.Address <= Address;) {
    // A prologue does not end where a piece begins.
    if (S.Address < Start)
      S.Flags = SF_IsStmt;
    Text = statementText(Strings[StringID(S.File)], S);
  }
  return Text;
}

Place SourcesModel::linesOf(uint64_t Address) const {
  const Place P = winner(Address, false);
  for (uint64_t A = pieceStart(Address, false); winner(A, false) == P; ++A)
    if (Place L = lineOnly(A); L && firstLine(*this, L, A))
      return L;
  return {};
}

/// A symbol without a unit has that of its first line.
std::string SourcesModel::unitName(uint64_t Address) const {
  const Place P = winner(Address, false);
  if (!P)
    return text(lineOnly(Address).Unit->Name);
  const Place L = P.hasOwnLines() ? Place() : linesOf(Address);
  return text(P.Unit->Name || !L ? P.Unit->Name : L.Unit->Name);
}

std::string SourcesModel::fileName(uint64_t Address) const {
  const Place P = winner(Address, false);
  if (!P)
    return text(lineOnly(Address).range().File);
  const Place L = P.hasOwnLines() ? Place() : linesOf(Address);
  return text((L ? L : P).range().File);
}

std::string SourcesModel::callees(uint64_t Address) const {
  const Place P = winner(Address, false);
  std::set<StringID> TailCallers;
  for (const SourceRanges &S : Sources)
    for (const UnitRanges &U : S.Units)
      TailCallers.insert(U.TailCallers.begin(), U.TailCallers.end());
  std::string Text;
  if (P)
    for (const CallEdge &C : P.Unit->Calls)
      if (C.Address == Address && (C.Flags || TailCallers.count(C.Callee)))
        Text += text(C.Callee) + "/" + std::to_string(C.Flags);
  return Text;
}

static std::string noteText(const CallNote &N, StringRef Function,
                            StringRef File) {
  return (Twine(unsigned(N.Kind)) + " " + Twine(N.Range) + " " + Twine(N.Call) +
          " " + utohexstr(N.Address) + " " + Function + " " + File + ":" +
          Twine(N.CallLine) + "\n")
      .str();
}

/// A function that others cut has no notes, because its ranges have other
/// numbers.
std::string SourcesModel::notes(uint64_t Address) const {
  const Place P = winner(Address, false);
  if (!P)
    return "";
  for (uint64_t A = P.range().Start; A != P.range().End; ++A)
    if (!(winner(A, false) == P))
      return "";
  std::string Text;
  for (const auto &[Root, N] : P.Trees->CallNotes)
    if (Root == P.Root)
      Text += noteText(N, Strings[StringID(N.Function)],
                       Strings[StringID(N.CallFile)]);
  return Text;
}

std::set<std::string> SourcesModel::copies() const {
  std::map<std::string, std::set<uint64_t>> Found;
  for (const SourceRanges &S : Sources)
    for (const UnitRanges &U : S.Units)
      for (const Range &R : U.Functions.Ranges) {
        if (R.Depth || !U.Name)
          continue;
        // The winner has the whole range, and is the same function.
        const Place P = winner(R.Start, false);
        bool IsWhole = P.Source == &S && P.Unit != &U &&
                       P.range().Start == R.Start && P.range().End == R.End &&
                       P.range().Name == R.Name;
        for (uint64_t A = R.Start; A != R.End; ++A)
          IsWhole &= winner(A, false) == P;
        // A winner without a unit of its own may have that of the copy.
        IsWhole &= unitName(R.Start) != text(U.Name);
        if (IsWhole)
          Found[text(U.Name)].insert(R.Start);
      }
  std::set<std::string> All;
  for (const auto &[Name, Starts] : Found) {
    std::string Text = Name + ":";
    for (uint64_t Start : Starts)
      Text += " " + utohexstr(Start);
    All.insert(Text);
  }
  return All;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

namespace {
/// A model and the archive of its sources.
struct Merged {
  explicit Merged(uint64_t Seed) : Model(Seed), Writer(ArchiveWriterOptions{}) {
    MergeOptions Options;
    Options.Threads = unsigned(1 + Seed % 2);
    Result = cantFail(merge(Model.Sources, Model.Strings, Writer, Options));
    raw_string_ostream OS(Bytes);
    cantFail(Writer.write(OS));
    OS.flush();
    A = std::make_unique<Archive>(cantFail(
        Archive::create(MemoryBuffer::getMemBuffer(Bytes, "merged", false))));
  }

  /// The range of depth 0 with \p Address.
  std::optional<uint64_t> root(uint64_t Address) const {
    for (uint64_t I = 0; I != A->rangeCount(); ++I)
      if (RangeEntry R = A->range(I);
          !R.Depth && R.VA <= Address && Address - R.VA < R.Length)
        return I;
    return std::nullopt;
  }

  SourcesModel Model;
  ArchiveWriter Writer;
  MergeResult Result;
  std::string Bytes;
  std::unique_ptr<Archive> A;
};

void forEachModel(function_ref<void(Merged &)> Test) {
  // The last ones are of 6,000, and found errors.
  SmallVector<uint64_t> Seeds = to_vector(seq<uint64_t>(0, 120));
  Seeds.append({1181, 2194, 3350});
  for (uint64_t Seed : Seeds) {
    if (testing::Test::HasFatalFailure())
      return;
    SCOPED_TRACE("seed " + std::to_string(Seed));
    Merged M(Seed);
    Test(M);
  }
}

void forEachAddress(function_ref<void(uint64_t)> Visit) {
  for (uint64_t Address = SourcesBase - 1;
       Address != SourcesBase + SourcesSize + 1; ++Address)
    Visit(Address);
}
} // namespace

TEST(MergeSourcesTest, FramesFollowFromTheRules) {
  forEachModel([](Merged &M) {
    forEachAddress([&](uint64_t Address) {
      EXPECT_EQ(ask(*M.A, Address), M.Model.frames(Address))
          << utohexstr(Address);
    });
    unsigned Issues = 0;
    consumeError(verify(*M.A, [&](const Issue &) { ++Issues; }));
    ASSERT_EQ(Issues, 0u);
  });
}

TEST(MergeSourcesTest, StatementsAndUnitsAreThoseOfTheWinner) {
  forEachModel([](Merged &M) {
    StatementReader Reader(*M.A);
    forEachAddress([&](uint64_t Address) {
      std::optional<uint64_t> Root = M.root(Address);
      if (!Root)
        return;
      EXPECT_EQ(M.A->string(M.A->unit(*Root).Name), M.Model.unitName(Address))
          << utohexstr(Address);
      EXPECT_EQ(M.A->string(M.A->range(*Root).File), M.Model.fileName(Address))
          << utohexstr(Address);
      std::vector<Statement> All;
      std::vector<CallNote> Notes;
      ASSERT_FALSE(bool(Reader.read(*Root, All, &Notes)));
      std::string NoteText;
      for (const CallNote &N : Notes)
        NoteText +=
            noteText(N, M.A->string(N.Function), M.A->string(N.CallFile));
      EXPECT_EQ(NoteText, M.Model.notes(Address)) << utohexstr(Address);
      std::string Text;
      for (const Statement &S : All)
        if (S.Address <= Address)
          Text =
              S.Flags & SF_Unknown ? "" : statementText(M.A->string(S.File), S);
      EXPECT_EQ(Text, M.Model.statement(Address)) << utohexstr(Address);
    });
  });
}

TEST(MergeSourcesTest, CallsAndDeclarationsAreThoseOfTheWinner) {
  forEachModel([](Merged &M) {
    forEachAddress([&](uint64_t Address) {
      std::string Text;
      visitCalls(*M.A, Address, Address + 1, [&](const FunctionCall &C) {
        Text += M.A->string(C.Callee).str() + "/" + std::to_string(C.Flags);
      });
      EXPECT_EQ(Text, M.Model.callees(Address)) << utohexstr(Address);
    });
    for (uint64_t I = 0; I != M.A->rangeCount(); ++I) {
      const RangeEntry R = M.A->range(I);
      const Place P = M.Model.winner(R.VA, false);
      if (!R.Depth && (!P || !P.range().Name))
        continue;
      Declaration D = M.A->declaration(R.Function, R.File);
      EXPECT_EQ(M.A->string(D.File), "/d.c");
      EXPECT_EQ(D.Line, M.Model.declLine(M.A->string(R.Function)));
    }
  });
}

/// What is said of files and functions is kept for those that are used.
TEST(MergeSourcesTest, FilesAndFunctionsHaveWhatAnyUnitSays) {
  forEachModel([](Merged &M) {
    std::set<std::string> WithDirectory, WithText, Declared;
    for (const SourceRanges &S : M.Model.Sources) {
      for (auto [File, Text] : S.Sources)
        WithText.insert(M.Model.text(File));
      for (const UnitRanges &U : S.Units) {
        for (auto [File, Length] : U.Directories)
          WithDirectory.insert(M.Model.text(File));
        for (const LastDeclaration &L : U.LastDeclarations)
          Declared.insert(M.Model.text(L.Function));
      }
    }
    EmbeddedSources Texts(*M.A);
    uint64_t TextCount = 0;
    for (uint64_t I = 0; I != M.A->rangeCount(); ++I) {
      const RangeEntry R = M.A->range(I);
      const std::string File = M.A->string(R.File).str();
      EXPECT_EQ(M.A->directoryLength(R.File), WithDirectory.count(File));
      EXPECT_EQ(Texts.find(R.File).has_value(), WithText.count(File) != 0);
      const std::string Function = M.A->string(R.Function).str();
      EXPECT_EQ(M.A->lastDeclaration(R.Function, R.File).Line == 1234,
                Declared.count(Function) != 0);
    }
    M.A->visitStrings([&](StringOffset, StringRef Text) {
      TextCount += WithText.count(Text.str());
    });
    EXPECT_EQ(Texts.size(), TextCount);
  });
}

TEST(MergeSourcesTest, Counts) {
  forEachModel([](Merged &M) {
    std::vector<uint64_t> Named(M.Model.Sources.size());
    uint64_t Nameless = 0, Repeated = 0;
    std::set<std::pair<const RangeTrees *, size_t>> Seen;
    forEachAddress([&](uint64_t Address) {
      Place P = M.Model.winner(Address, false);
      // A tree is visited once for each piece.
      if (P && P.hasOwnLines() &&
          M.Model.pieceStart(Address, false) == Address &&
          !Seen.insert({P.Trees, P.Root}).second)
        Repeated += P.Trees->treeEnd(P.Root) - P.Root;
      if (P)
        ++Named[P.Source - M.Model.Sources.data()];
      else
        Nameless += !M.Model.frames(Address).empty();
    });
    EXPECT_EQ(M.Result.BytesNamed, Named);
    EXPECT_EQ(M.Result.BytesNameless, Nameless);
    EXPECT_EQ(M.Result.RangesRepeated, Repeated);
    EXPECT_EQ(M.Result.PiecesWithoutCalls, 0u);
    bool HasLines = false;
    for (uint64_t I = 0; I != M.A->rangeCount(); ++I)
      HasLines |= M.A->range(I).RowCount != 0;
    EXPECT_EQ(M.Result.HasLines, HasLines);
  });
}

TEST(MergeSourcesTest, UnitsHaveCopies) {
  forEachModel([](Merged &M) {
    std::set<std::string> Found;
    cantFail(visitCopies(*M.A, [&](const UnitCopies &C) {
      std::string Text = M.A->string(C.Unit.Name).str() + ":";
      for (uint64_t Root : C.Roots)
        Text += " " + utohexstr(M.A->range(Root).VA);
      EXPECT_TRUE(Found.insert(Text).second);
    }));
    EXPECT_EQ(Found, M.Model.copies());
  });
}

/// Pieces that begin elsewhere name the one at the function's entry.
TEST(MergeSourcesTest, PiecesKnowTheirEntry) {
  forEachModel([](Merged &M) {
    // The starts of all pieces, with where their functions are entered.
    std::map<uint64_t, uint64_t> EntryOf;
    forEachAddress([&](uint64_t Address) {
      Place P = M.Model.winner(Address, false);
      if (P && M.Model.pieceStart(Address, false) == Address)
        EntryOf[Address] = P.Trees->entry(P.Root);
    });
    for (auto [Start, Entry] : EntryOf) {
      const uint64_t Root = *M.root(Start);
      auto At = EntryOf.find(Entry);
      // A piece of the same function that is entered at its own start. Without
      // a name, it may be another function.
      std::optional<uint64_t> Expected;
      if (At != EntryOf.end() && At->second == Entry &&
          (Entry == Start || !M.Model.name(Start).empty()) &&
          M.Model.name(Entry) == M.Model.name(Start))
        Expected = M.root(Entry);
      EXPECT_EQ(M.A->entry(Root), Expected) << utohexstr(Start);
    }
  });
}
