//===- WriterModelTest.cpp - What is written is what readers find ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives random facts of all kinds to a writer, notes each as a line of text,
/// and compares these lines with those that the readers' answers give. Lookups
/// have a model of their own (LookupModelTest.cpp).
///
//===----------------------------------------------------------------------===//

#include "TestArchives.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Archive/Calls.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/LoadSegments.h"
#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Archive/Sources.h"
#include "lidia/Archive/Statements.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>
#include <set>

using namespace lidia;
using namespace llvm;

namespace {

using Lines = std::set<std::string>;

struct GivenRange : ArchiveRange {
  std::vector<ArchiveRow> RowsOf;
  std::vector<Statement> StatementsOf;
  std::vector<CallNote> CallsOf;

  bool covers(uint64_t Address) const { return Address - Start < Length; }
};

/// Gives random facts to a writer.
class Model {
public:
  Model(uint64_t Seed, const ArchiveWriterOptions &Options);

  ArchiveWriter Writer;
  /// What an archive with these options must say.
  Lines Expected;
  std::vector<uint64_t> Starts;

private:
  uint64_t below(uint64_t Count) { return Random() % Count; }
  StringOffset string(const char *Prefix, uint64_t Count) {
    return Writer.addString(Prefix + std::to_string(below(Count)));
  }
  uint64_t anyAddress() { return Base - 3 + below(End - Base + 6); }
  const GivenRange &anyRoot() { return Ranges[Roots[below(Roots.size())]]; }
  template <typename... Ts> void expect(const char *Format, Ts... Values) {
    Expected.insert(formatv(Format, Values...).str());
  }
  FunctionUnit unit(uint64_t Number) const;
  const GivenRange *rootAt(uint64_t Address) const;
  int64_t parent(size_t Index) const;

  void makeTree(uint64_t Start, uint64_t Length, uint32_t Depth);
  void makeStatements(GivenRange &R);
  void makeNotes(size_t Root);
  void giveRanges();
  void giveNames();
  void giveReturnPads();
  void giveCalls();
  void giveCopies();
  void giveAliases();
  void giveFiles();
  void givePlaces();

  std::mt19937_64 Random;
  const ArchiveWriterOptions Options;
  /// Whether the archive keeps what only debuggers need.
  const bool Keeps;
  const uint64_t Base;
  uint64_t End;
  std::vector<GivenRange> Ranges;
  std::vector<size_t> Roots;
};

std::string text(const Statement &S) {
  return formatv("{0:x} {1}:{2}:{3} flags {4}", S.Address, S.File, S.Line,
                 S.Column, unsigned(S.Flags));
}

std::string text(const CallNote &N) {
  return formatv("{0} {1} {2} {3:x} {4} {5}:{6}:{7}", unsigned(N.Kind), N.Range,
                 N.Call, N.Address, N.Function, N.CallFile, N.CallLine,
                 N.CallColumn);
}

template <typename T> std::string text(ArrayRef<T> All) {
  std::string Text;
  for (const T &One : All)
    Text += text(One) + "; ";
  return Text;
}

std::string text(const FunctionUnit &U) {
  return formatv("{0} {1} language {2} in {3}", U.Number, U.Name, U.Language,
                 U.Directory);
}

} // namespace

//===----------------------------------------------------------------------===//
// Giving
//===----------------------------------------------------------------------===//

Model::Model(uint64_t Seed, const ArchiveWriterOptions &Options)
    : Writer(Options), Random(Seed), Options(Options),
      Keeps(Options.Extension && Options.Statements),
      Base(below(3) ? 0x1000 : 0xffffffffff000000), End(Base) {
  for (uint64_t Count = 1 + below(30); Count != 0; --Count) {
    uint64_t Length = 4 + below(40);
    makeTree(End, Length, 0);
    End += Length + (below(2) ? below(20) : 0);
  }
  giveRanges();
  giveNames();
  giveReturnPads();
  giveCalls();
  giveCopies();
  giveAliases();
  giveFiles();
  givePlaces();
}

/// The unit of a number. Neighbours often have the same language.
FunctionUnit Model::unit(uint64_t Number) const {
  if (Number == 0)
    return {};
  return {Number, 1000 + Number, uint16_t(Number / 3 % 2),
          Number / 4 % 2 ? StringOffset(77) : 0};
}

const GivenRange *Model::rootAt(uint64_t Address) const {
  for (size_t Root : Roots)
    if (Ranges[Root].covers(Address))
      return &Ranges[Root];
  return nullptr;
}

/// The range around the one at \p Index; -1 if there is none.
int64_t Model::parent(size_t Index) const {
  for (size_t I = Index; I-- != 0;)
    if (Ranges[I].Depth + 1 == Ranges[Index].Depth)
      return int64_t(I);
  return -1;
}

void Model::makeTree(uint64_t Start, uint64_t Length, uint32_t Depth) {
  const size_t Index = Ranges.size();
  GivenRange R;
  R.Start = Start;
  R.Length = Length;
  R.Depth = Depth;
  R.Function = below(8) ? string("f", 4) : 0;
  R.File = string("/a", 3);
  for (uint64_t At = below(4); At < Length; At += 1 + below(12))
    R.RowsOf.push_back({At, uint32_t(below(3)), 0, R.File});
  if (Depth) {
    R.CallFile = string("/a", 3);
    R.CallLine = uint32_t(below(100));
    R.CallColumn = uint32_t(below(3) ? below(300) : 0);
  }
  if (below(2)) {
    R.DeclFile = below(2) ? R.File : string("/a", 3);
    R.DeclLine = uint32_t(below(100));
  }
  Ranges.push_back(R);
  for (uint64_t At = Start; Depth < 3 && below(2);) {
    At += below(Start + Length - At);
    uint64_t ChildLength = 1 + below(Start + Length - At);
    makeTree(At, ChildLength, Depth + 1);
    At += ChildLength;
    if (At == Start + Length)
      break;
  }
  if (Depth)
    return;
  Roots.push_back(Index);
  if (below(3))
    makeStatements(Ranges[Index]);
  if (below(2))
    makeNotes(Index);
}

void Model::makeStatements(GivenRange &R) {
  for (uint64_t At = R.Start; R.covers(At); At += below(12)) {
    uint8_t Other = below(4) ? 0 : SF_OtherBlock;
    R.StatementsOf.push_back({At, uint32_t(below(100000)), uint32_t(below(90)),
                              string("/a", 9), uint8_t(below(16) | Other)});
  }
}

void Model::makeNotes(size_t Root) {
  GivenRange &R = Ranges[Root];
  for (uint32_t Range = 0; Range != Ranges.size() - Root; ++Range) {
    std::set<uint64_t> Addresses;
    for (uint64_t Count = below(4); Count != 0; --Count)
      Addresses.insert(R.Start + below(R.Length));
    for (auto Kind : {CallNote::Start, CallNote::Empty, CallNote::Code}) {
      for (uint64_t Address : Addresses) {
        CallNote N;
        N.Kind = Kind;
        N.Range = Range;
        N.Address = Address;
        if (Kind == CallNote::Code)
          N.Call = uint32_t(below(200));
        if (Kind == CallNote::Empty) {
          N.Function = string("f", 9);
          N.CallFile = string("/a", 9);
          N.CallLine = uint32_t(below(200));
          N.CallColumn = uint32_t(below(200));
        }
        R.CallsOf.push_back(N);
        if (Kind == CallNote::Start)
          break;
      }
      if (below(2))
        Addresses.clear();
    }
  }
}

/// The reader marks the last row at an address.
static std::vector<Statement> asRead(std::vector<Statement> All) {
  for (size_t I = 1; I < All.size(); ++I)
    if (All[I].Address == All[I - 1].Address) {
      All[I].Flags |= All[I - 1].Flags & SF_OtherBlock;
      All[I - 1].Flags &= ~SF_OtherBlock;
    }
  return All;
}

void Model::giveRanges() {
  uint64_t Number = 0, Highest = 0;
  for (size_t I : Roots) {
    if (below(3) == 0)
      Number = below(Highest + 2);
    Highest = std::max(Highest, Number);
    Ranges[I].Unit = unit(Number);
    if (below(3) == 0)
      Ranges[I].Entry = below(4) ? anyRoot().Start : anyAddress();
  }
  std::map<std::pair<StringOffset, StringOffset>, Declaration> Declared;
  for (size_t I = 0; I != Ranges.size(); ++I) {
    GivenRange &R = Ranges[I];
    R.Rows = R.RowsOf;
    R.Statements = R.StatementsOf;
    R.Calls = R.CallsOf;
    EXPECT_TRUE(succeeded(Writer.addRange(R)));
    if (R.DeclLine && Keeps)
      Declared.insert({{R.Function, R.File}, {R.DeclFile, R.DeclLine}});
    expect("range {0} in {1} at {2:x}, {3}, {4} {5} {6} {7}:{8}:{9}", I,
           Options.Extension ? parent(I) : -1, R.Start, R.Length, R.Depth,
           R.Function, R.File, R.CallFile, R.CallLine,
           Options.Extension && Options.Columns ? R.CallColumn : 0);
  }
  for (const GivenRange &R : Ranges) {
    Declaration D = Declared[{R.Function, R.File}];
    expect("declared {0} {1} at {2}:{3}", R.Function, R.File, D.File, D.Line);
  }
  for (size_t I : Roots) {
    const GivenRange &R = Ranges[I];
    Starts.push_back(R.Start);
    if (Keeps && !(R.StatementsOf.empty() && R.CallsOf.empty()))
      expect("rows {0} {1}notes {2}", I, text(ArrayRef(asRead(R.StatementsOf))),
             text(R.Calls));
    expect("unit {0} {1}", I, text(Keeps ? R.Unit : FunctionUnit()));
    size_t Entry = I;
    auto IsMoved = [](const GivenRange &R) {
      return R.Entry && *R.Entry != R.Start;
    };
    if (Options.Extension && IsMoved(R)) {
      Entry = SIZE_MAX;
      for (size_t J : Roots)
        if (Ranges[J].Start == *R.Entry && Ranges[J].Function == R.Function &&
            R.Function && !IsMoved(Ranges[J]))
          Entry = J;
    }
    expect("entry {0} {1}", I, Entry);
  }
}

/// The first of several plain names or last declarations counts.
void Model::giveNames() {
  std::set<StringOffset> Functions;
  for (const GivenRange &R : Ranges)
    Functions.insert(R.Function);
  for (StringOffset F : Functions) {
    StringOffset Plain = F;
    if (below(2)) {
      Writer.addPlainName(F, 500 + F);
      Writer.addPlainName(F, 600 + F);
      Plain = Keeps ? 500 + F : F;
    }
    expect("plain {0} {1}", F, Plain);
    Declaration D;
    if (below(2)) {
      Writer.addLastDeclaration(F, {F + 1, uint32_t(F + 2)});
      Writer.addLastDeclaration(F, {F + 3, uint32_t(F + 4)});
      D = Keeps ? Declaration{F + 1, uint32_t(F + 2)} : Declaration();
    }
    // Otherwise it is the declaration, which differs from file to file.
    expect("last declared {0} at {1}:{2}", F, D.File, D.Line);
  }
}

void Model::giveReturnPads() {
  if (!Options.Extension)
    return;
  std::set<uint64_t> Pads;
  for (uint64_t Count = below(40); Count != 0; --Count)
    Pads.insert(anyAddress());
  std::vector<uint64_t> Ascending(Pads.begin(), Pads.end());
  EXPECT_TRUE(succeeded(Writer.setReturnPads(Ascending)));
  for (uint64_t Pad : Pads) {
    std::string Where = "none";
    for (size_t I = 0; I != Ranges.size(); ++I)
      if (Ranges[I].covers(Pad - 1))
        Where = std::to_string(I);
    expect("pad {0:x} {1}", Pad, Where);
  }
}

void Model::giveCalls() {
  for (uint64_t At = Base; At < End; At += 1 + below(30)) {
    FunctionCall C;
    C.Address = At;
    C.Callee = string("f", 20);
    C.Flags = uint8_t(below(16));
    EXPECT_TRUE(succeeded(Writer.addCall(C)));
    if (Keeps)
      expect("call at {0:x} {1} {2}", At, C.Callee, unsigned(C.Flags));
  }
}

void Model::giveCopies() {
  for (uint64_t Number = 1; Number < 40; Number += 1 + below(9))
    for (size_t Root : Roots) {
      if (below(8))
        continue;
      EXPECT_TRUE(succeeded(Writer.addCopy(unit(Number), Ranges[Root].Start)));
      if (Keeps && Ranges[Root].Unit.Number != Number)
        expect("copy of {0} {1}", Root, text(unit(Number)));
    }
}

void Model::giveAliases() {
  for (unsigned Count = 0; Count != 20; ++Count) {
    uint64_t Address = below(3) ? anyAddress() : anyRoot().Start;
    std::string Name = below(9) ? "f" + std::to_string(below(9)) : "";
    Writer.addAlias(Address, Name);
    const GivenRange *Root = rootAt(Address);
    bool IsName = Root && Root->Start == Address &&
                  Root->Function == Writer.addString(Name);
    if (Keeps && Root && !IsName && !Name.empty())
      expect("alias {0} {1:x} {2}", Root - Ranges.data(), Address, Name);
  }
}

void Model::giveFiles() {
  for (StringOffset File : {10, 20, 30}) {
    std::string Text(1 + below(9), 'x');
    Writer.addSource(File, Text);
    Writer.addSource(File, "other");
    if (Options.Extension)
      expect("source {0} {1}", File, Text);
  }
}

/// Either may be at 0, and may touch the next.
void Model::givePlaces() {
  for (uint64_t At = 0, I = 0; I != 3; ++I) {
    const uint64_t Size = 1 + below(9);
    EXPECT_TRUE(succeeded(Writer.addSectionPlace(I, At, Size)));
    EXPECT_TRUE(succeeded(Writer.addLoadSegment(At, At + 5, Size)));
    if (Options.Extension) {
      expect("section {0} at {1}, {2}", I, At, Size);
      expect("segment at {0} in {1}, {2}", At, At + 5, Size);
    }
    At += Size + below(3);
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class Findings {
public:
  explicit Findings(const Archive &A) : A(A) {
    readRanges();
    readTables();
    readReturnPads();
  }

  Lines Found;

private:
  template <typename... Ts> void add(const char *Format, Ts... Values) {
    Found.insert(formatv(Format, Values...).str());
  }
  void readRanges();
  void readRoot(uint64_t Index);
  void readTables();
  void readReturnPads();

  const Archive &A;
};
} // namespace

void Findings::readRoot(uint64_t Index) {
  add("unit {0} {1}", Index, text(A.unit(Index)));
  add("entry {0} {1}", Index, A.entry(Index).value_or(SIZE_MAX));
}

void Findings::readRanges() {
  for (uint64_t I = 0; I != A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    add("range {0} in {1} at {2:x}, {3}, {4} {5} {6} {7}:{8}:{9}", I,
        int64_t(A.parent(I).value_or(-1)), R.VA, R.Length, R.Depth, R.Function,
        R.File, R.CallFile, R.CallLine, A.callColumn(I));
    Declaration D = A.declaration(R.Function, R.File);
    add("declared {0} {1} at {2}:{3}", R.Function, R.File, D.File, D.Line);
    add("plain {0} {1}", R.Function, A.plainName(R.Function));
    D = A.lastDeclaration(R.Function, UINT64_MAX);
    add("last declared {0} at {1}:{2}", R.Function, D.File, D.Line);
    if (R.Depth == 0)
      readRoot(I);
  }
  StatementReader Reader(A);
  Reader.forEach(
      [&](uint64_t Root, ArrayRef<Statement> All, ArrayRef<CallNote> Notes) {
        add("rows {0} {1}notes {2}", Root, text(All), text(Notes));
      },
      [](Error E) { succeeded(std::move(E)); });
}

void Findings::readTables() {
  visitCalls(A, 0, UINT64_MAX, [&](const FunctionCall &C) {
    add("call at {0:x} {1} {2}", C.Address, C.Callee, unsigned(C.Flags));
  });
  succeeded(visitCopies(A, [&](const UnitCopies &C) {
    for (uint64_t Root : C.Roots)
      add("copy of {0} {1}", Root, text(C.Unit));
  }));
  succeeded(visitAliases(A, [&](const FunctionAlias &F) {
    add("alias {0} {1:x} {2}", F.Root, F.Address, F.Name);
  }));
  EmbeddedSources Sources(A);
  for (uint64_t I = 0; I != Sources.size(); ++I)
    add("source {0} {1}", Sources.file(I), cantFail(Sources.text(I)));
  SectionPlaces Places(A);
  for (uint64_t I = 0; I != Places.size(); ++I)
    add("section {0} at {1}, {2}", Places[I].Name, Places[I].Address,
        Places[I].Size);
  LoadSegments Segments(A);
  for (uint64_t I = 0; I != Segments.size(); ++I)
    add("segment at {0} in {1}, {2}", Segments[I].Address, Segments[I].Offset,
        Segments[I].Size);
}

void Findings::readReturnPads() {
  A.forEachReturnPad([&](const ReturnPad &P) {
    add("pad {0:x} {1}", P.Address,
        P.Range ? std::to_string(*P.Range) : "none");
    std::optional<ReturnPad> Same = A.findReturnPad(P.Address);
    ASSERT_TRUE(Same && Same->Range == P.Range && Same->Row == P.Row);
    std::optional<uint64_t> Row;
    if (P.Range)
      for (RangeEntry R = A.range(*P.Range); Row.value_or(-1) + 1 != R.RowCount;
           Row = Row.value_or(-1) + 1)
        if (A.row(R, Row.value_or(-1) + 1).Offset > P.Address - 1 - R.VA)
          break;
    EXPECT_EQ(P.Row, Row);
  });
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

static void check(uint64_t Seed, const ArchiveWriterOptions &Options) {
  SCOPED_TRACE("seed " + std::to_string(Seed));
  Model M(Seed, Options);
  EXPECT_EQ(M.Writer.functionStarts(), M.Starts);
  Archive A = open(write(M.Writer));
  Lines Found = Findings(A).Found;
  for (const std::string &Line : M.Expected)
    EXPECT_TRUE(Found.erase(Line)) << "is missing: " << Line;
  for (const std::string &Line : Found)
    ADD_FAILURE() << "is unexpected: " << Line;
}

TEST(WriterModel, ReadersFindWhatWasGiven) {
  for (uint64_t Seed = 0; Seed != 120 && !testing::Test::HasFailure(); ++Seed) {
    ArchiveWriterOptions Options;
    Options.Columns = Seed % 2;
    Options.Checksums = Seed % 3;
    check(Seed, Options);
  }
}

TEST(WriterModel, OptionsLeaveThingsOut) {
  for (uint64_t Seed = 0; Seed != 20 && !testing::Test::HasFailure(); ++Seed) {
    ArchiveWriterOptions Options;
    Options.Columns = true;
    Options.Statements = false;
    check(Seed, Options);
    Options.Statements = true;
    Options.Extension = false;
    check(Seed, Options);
  }
}

/// Statements of many functions need several blocks. Those of a very long
/// function are left out, and leave nothing behind.
TEST(WriterModel, StatementsFillBlocks) {
  constexpr size_t Count = 250, Long = 100, Rows = 200;
  struct {
    bool AreLinesRandom, AreFilesRandom;
    size_t BytesOfRow;
  } const Cases[] = {
      // A reader refuses what is packed as well as this, so it is not packed.
      {false, false, 5},
      {true, false, 6},
      // A block has the names of its own functions.
      {false, true, 16},
  };
  for (const auto &Case : Cases) {
    std::mt19937_64 Random;
    ArchiveWriter W({});
    std::vector<std::vector<Statement>> Given(Count);
    for (size_t I = 0; I != Count; ++I) {
      ArchiveRange R;
      R.Start = (1 + I) << 20;
      R.Length = 1 << 20;
      for (size_t J = 0; J != (I == Long ? 500'000 : Rows); ++J) {
        uint32_t Line = Case.AreLinesRandom ? uint32_t(Random() % 100'000) : 0;
        StringOffset File = Case.AreFilesRandom ? Random() : (I + J) % 300;
        uint8_t Flags = I == Long ? SF_OtherBlock : 0;
        Given[I].push_back({R.Start + J, Line, 0, File, Flags});
      }
      R.Statements = Given[I];
      ASSERT_TRUE(succeeded(W.addRange(R)));
    }
    Given[Long].clear();
    ArchiveSizes Sizes;
    Archive A = open(write(W, &Sizes));
    EXPECT_EQ(Sizes.StatementsLeftOut, 1u);
    EXPECT_FALSE(A.extensionSection(format::ET_OtherBlocks));
    EXPECT_GT(A.statementBlocks(), 2u);
    EXPECT_LT(A.findStatements()->size(), Count * Rows * Case.BytesOfRow);
    StatementReader Reader(A);
    for (size_t I = 0; I != Count; ++I) {
      std::vector<Statement> Found;
      ASSERT_TRUE(succeeded(Reader.read(I, Found)));
      ASSERT_EQ(Found.size(), Given[I].size()) << I;
      for (size_t J = 0; J != Found.size(); ++J)
        ASSERT_TRUE(Found[J].Address == Given[I][J].Address &&
                    Found[J].Line == Given[I][J].Line &&
                    Found[J].File == Given[I][J].File && !Found[J].Flags)
            << I << " " << J;
    }
  }
}
