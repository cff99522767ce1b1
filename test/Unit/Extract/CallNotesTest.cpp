//===- CallNotesTest.cpp - Readers find the calls of the DIEs -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes random subprograms with inlined calls, many of which are the same
/// function on the same line, and builds their ranges and notes. From these,
/// inlinedCalls() must find the calls again.
///
//===----------------------------------------------------------------------===//

#include "Extract/TreeBuilder.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Archive/Statements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace lidia;
using namespace lidia::dwarf;
using namespace llvm;

namespace {

constexpr uint32_t None = FunctionNode::None;

/// A subprogram and the calls inlined into it.
class Subprogram {
public:
  /// Random calls.
  explicit Subprogram(uint64_t Seed) : Random(Seed), Sites(1 + below(3)) {
    addFunction();
    for (uint64_t Count = below(16); Count != 0; --Count)
      addCall();
  }
  /// No calls yet.
  Subprogram(ArrayRef<AddressRange> Ranges) : Sites(1) {
    add("f", {}, None);
    for (AddressRange R : Ranges)
      addRange(R.Start, R.End);
    Functions.Nodes[0].Entry = Ranges.front().Start;
  }

  /// Ranges of \p Node follow.
  void add(const char *Name, FunctionNode Node, uint32_t Parent);
  void addRange(uint64_t Start, uint64_t End) {
    Functions.Ranges.push_back({Start, End});
    ++Functions.Nodes.back().RangeCount;
  }
  void addEmpty(uint64_t Address) {
    Functions.EmptyRanges.push_back(Address);
    ++Functions.Nodes.back().EmptyCount;
  }

  /// The node that \p Address belongs to, the last that contains it.
  uint32_t owner(uint64_t Address) const;
  /// Whether \p Node is \p Inner or encloses it.
  bool isAround(uint32_t Node, uint32_t Inner) const;
  /// The lowest address of \p Node in [Start, End), with or without code.
  std::optional<uint64_t> lowest(uint32_t Node, uint64_t Start,
                                 uint64_t End) const;
  std::string site(uint32_t Node) const {
    const FunctionNode &N = Functions.Nodes[Node];
    return formatv("{0} {1}:{2}", Strings[StringID(N.DIE)], N.CallLine,
                   N.CallColumn);
  }

  uint64_t below(uint64_t Count) { return Random() % Count; }

  UnitFunctions Functions;
  StringPool Strings;

private:
  void addFunction();
  void addCall();

  std::mt19937_64 Random;
  const uint64_t Sites;
};

} // namespace

void Subprogram::add(const char *Name, FunctionNode N, uint32_t Parent) {
  N.DIE = Strings.intern(Name, /*Stable=*/true);
  N.Parent = Parent;
  N.Subprogram = 0;
  N.Depth = Parent == None ? 0 : Functions.Nodes[Parent].Depth + 1;
  N.FirstRange = uint32_t(Functions.Ranges.size());
  N.FirstEmpty = uint32_t(Functions.EmptyRanges.size());
  Functions.Nodes.push_back(N);
}

/// Two pieces, between which there may be no code.
void Subprogram::addFunction() {
  const uint64_t Start = 0x1000, End = Start + 10 + below(50);
  add("f", {}, None);
  uint64_t Middle = Start + 1 + below(End - Start - 1);
  addRange(Start, Middle - below(2) * below(Middle - Start));
  addRange(Middle, End);
  Functions.Nodes[0].Entry = below(2) ? Start : Middle;
}

void Subprogram::addCall() {
  // A parent that is still open in the order of DIEs.
  uint32_t Parent = uint32_t(Functions.Nodes.size() - 1);
  while (Parent && below(2))
    Parent = Functions.Nodes[Parent].Parent;
  FunctionNode N;
  N.CallLine = 1 + uint32_t(below(Sites));
  N.CallColumn = below(Sites) == 2;
  // Debuggers find mangled names by themselves: see noteBeginning().
  add(below(6) ? "c" : "_Zc", N, Parent);
  const auto Around = Functions.ranges(Functions.Nodes[Parent]).vec();
  for (uint64_t Count = below(4); Count != 0 && !Around.empty(); --Count) {
    AddressRange R = Around[below(Around.size())];
    uint64_t Start = R.Start + below(R.End - R.Start);
    addRange(Start, Start + 1 + below(R.End - Start));
  }
  for (uint64_t Count = below(3); Count != 0; --Count)
    addEmpty(0x1000 + below(60));
}

uint32_t Subprogram::owner(uint64_t Address) const {
  auto Contains = [&](const FunctionNode &N) {
    return any_of(Functions.ranges(N), [&](const AddressRange &R) {
      return R.Start <= Address && Address < R.End;
    });
  };
  if (!Contains(Functions.Nodes[0]))
    return None;
  uint32_t Node = uint32_t(Functions.Nodes.size()) - 1;
  while (!Contains(Functions.Nodes[Node]))
    --Node;
  return Node;
}

bool Subprogram::isAround(uint32_t Node, uint32_t Inner) const {
  while (Inner != None && Inner != Node)
    Inner = Functions.Nodes[Inner].Parent;
  return Inner == Node;
}

std::optional<uint64_t> Subprogram::lowest(uint32_t Node, uint64_t Start,
                                           uint64_t End) const {
  std::set<uint64_t> All;
  for (const AddressRange &R : Functions.ranges(Functions.Nodes[Node]))
    All.insert(R.Start);
  for (uint64_t Address : Functions.emptyRanges(Functions.Nodes[Node]))
    All.insert(Address);
  auto Found = All.lower_bound(Start);
  if (Found == All.end() || *Found >= End)
    return std::nullopt;
  return *Found;
}

namespace {

/// The archive of a subprogram.
class Built {
public:
  explicit Built(const Subprogram &S) {
    CodeMap Code({{0x1000, 0x100000}});
    DWARFSourceOptions Options;
    Options.Files = Options.Lines = Options.Columns = Options.Statements = true;
    StringPool NoFiles;
    UnitLines Lines(Code, /*AtZero=*/nullptr, NoFiles);
    WorkBudget Budget;
    Budget.reset(UINT64_MAX);
    TreeBuilder Builder(
        Code, Options, S.Strings, Lines,
        [](const FunctionNode &N) {
          return FunctionName{StringID(N.DIE), 0, 0};
        },
        Trees, Budget);
    std::vector<uint32_t> Nodes(S.Functions.Nodes.size());
    for (uint32_t I = 0; I != Nodes.size(); ++I)
      Nodes[I] = I;
    cantFail(Builder.add(S.Functions, Nodes));
    Charged = Budget.used();
    write();
  }

  /// The notes on the calls of the tree at \p Root.
  std::vector<CallNote> notes(size_t Root) const {
    std::vector<Statement> None;
    std::vector<CallNote> Notes;
    cantFail(StatementReader(*A).read(Root, None, &Notes));
    return Notes;
  }

  RangeTrees Trees;
  std::unique_ptr<Archive> A;
  uint64_t Charged = 0;

private:
  /// Strings keep their IDs, so the archive has no texts.
  void write() {
    ArchiveWriterOptions Options;
    Options.Columns = true;
    ArchiveWriter Writer(Options);
    for (size_t I = 0; I != Trees.Ranges.size(); ++I) {
      const Range &R = Trees.Ranges[I];
      std::vector<CallNote> Notes;
      for (const auto &[Root, N] : Trees.callNotes(I))
        Notes.push_back(N);
      ArchiveRange To;
      To.Start = R.Start;
      To.Length = R.End - R.Start;
      To.Depth = R.Depth;
      To.Function = R.Name;
      To.CallLine = R.CallLine;
      To.CallColumn = R.CallColumn;
      To.Calls = Notes;
      cantFail(Writer.addRange(To));
    }
    std::string Bytes;
    raw_string_ostream OS(Bytes);
    cantFail(Writer.write(OS));
    OS.flush();
    A = std::make_unique<Archive>(cantFail(
        Archive::create(MemoryBuffer::getMemBufferCopy(Bytes, "calls"))));
  }
};

/// A call with its code and beginning, and those around it.
std::string text(StringRef Site, const std::set<uint64_t> &Code,
                 std::optional<uint64_t> Start, StringRef Around) {
  std::string Text = Site.str() + " [";
  for (uint64_t Address : Code)
    Text += utohexstr(Address) + " ";
  if (Start)
    Text += "] from " + utohexstr(*Start);
  return Text + " in " + Around.str();
}

/// The calls that readers must find in the tree at \p Root.
class ExpectedCalls {
public:
  ExpectedCalls(const Subprogram &S, const Built &B, size_t Root) : S(S) {
    Start = B.Trees.Ranges[Root].Start;
    End = B.Trees.Ranges[Root].End;
    for (size_t I = Root; I != B.Trees.treeEnd(Root); ++I)
      RangeStarts.insert({B.Trees.Ranges[I].Depth, B.Trees.Ranges[I].Start});
    for (uint32_t Node = 1; Node != S.Functions.Nodes.size(); ++Node)
      if (std::string Text = textOf(Node); !Text.empty())
        All.insert(Text);
  }

  std::multiset<std::string> All;

private:
  std::set<uint64_t> code(uint32_t Node) const {
    std::set<uint64_t> Code;
    for (uint64_t At = Start; At != End; ++At)
      if (S.isAround(Node, S.owner(At)))
        Code.insert(At);
    return Code;
  }
  /// The call with the first code in the range where \p Node has its first: a
  /// note can name no other call.
  uint32_t firstInRange(uint32_t Node) const {
    const unsigned Depth = S.Functions.Nodes[Node].Depth;
    auto Behind = RangeStarts.upper_bound({Depth, *code(Node).begin()});
    uint32_t First = S.owner(std::prev(Behind)->second);
    while (S.Functions.Nodes[First].Depth != Depth)
      First = S.Functions.Nodes[First].Parent;
    return First;
  }
  /// Empty if readers do not find it.
  std::string textOf(uint32_t Node) const {
    if (Node == 0)
      return "f";
    std::set<uint64_t> Code = code(Node);
    std::optional<uint64_t> Lowest = S.lowest(Node, Start, End);
    const FunctionNode &N = S.Functions.Nodes[Node];
    uint32_t Parent = N.Parent;
    if (Code.empty()) {
      if (!Lowest || S.Strings[StringID(N.DIE)].starts_with("_Z"))
        return "";
      while (Parent && code(Parent).empty())
        Parent = S.Functions.Nodes[Parent].Parent;
      if (Parent)
        Parent = firstInRange(Parent);
    } else if (Lowest >= *Code.begin() || firstInRange(Node) != Node) {
      Lowest.reset();
    }
    return text(S.site(Node), Code, Lowest, textOf(Parent));
  }

  const Subprogram &S;
  uint64_t Start, End;
  /// With depths.
  std::set<std::pair<unsigned, uint64_t>> RangeStarts;
};

/// The calls that readers find in the tree at \p Root.
std::multiset<std::string> foundCalls(const Subprogram &S, const Built &B,
                                      size_t Root) {
  std::vector<std::string> Texts;
  for (const InlinedCall &C : inlinedCalls(*B.A, Root, B.notes(Root))) {
    std::set<uint64_t> Code;
    for (const CallCode &Piece : C.Code)
      for (uint64_t At = Piece.Start; At != Piece.End; ++At)
        EXPECT_TRUE(Code.insert(At).second);
    std::string Site = formatv("{0} {1}:{2}", S.Strings[StringID(C.Function)],
                               C.CallLine, C.CallColumn);
    Texts.push_back(
        text(Site, Code, C.Start,
             C.Parent == InlinedCall::None ? "f" : Texts[C.Parent]));
  }
  return std::multiset<std::string>(Texts.begin(), Texts.end());
}

} // namespace

static void expectSameCalls(const Subprogram &S) {
  Built B(S);
  for (size_t Root = 0; Root != B.Trees.Ranges.size();
       Root = B.Trees.treeEnd(Root))
    ASSERT_EQ(foundCalls(S, B, Root), ExpectedCalls(S, B, Root).All)
        << "root " << Root;
}

TEST(CallNotesTest, ReadersFindTheCallsOfTheDIEs) {
  for (uint64_t Seed = 0; Seed != 3000 && !HasFatalFailure(); ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    expectSameCalls(Subprogram(Seed));
  }
}

/// Calls on one line are numbered in the call that encloses them, which changes
/// inside a range.
TEST(CallNotesTest, NumbersAreThoseInTheEnclosingCall) {
  Subprogram S(AddressRange{0x1000, 0x1010});
  S.add("c", {}, 0);
  S.addRange(0x1004, 0x1008);
  S.add("c", {}, 1);
  S.addRange(0x1006, 0x1008);
  S.add("c", {}, 0);
  S.addRange(0x1000, 0x1002);
  S.addRange(0x1008, 0x100c);
  S.add("c", {}, 3);
  S.addRange(0x1000, 0x1001);
  S.add("c", {}, 3);
  S.addRange(0x1008, 0x1009);
  expectSameCalls(S);
}

/// In each of two trees, more notes are wanted than readers accept.
TEST(CallNotesTest, NotesAreLimited) {
  constexpr uint64_t Size = 2 * format::MaxCuts + 10;
  Subprogram S({{0x1000, 0x1000 + Size}, {0x8000, 0x8000 + Size}});
  for (uint64_t First : {0, 1}) {
    S.add("c", {}, 0);
    for (uint64_t Start : {0x1000, 0x8000})
      for (uint64_t At = First; At < Size; At += 2)
        S.addRange(Start + At, Start + At + 1);
  }
  for (uint64_t At = 0; At != Size; ++At) {
    S.add("empty", {}, 0);
    S.addEmpty(0x1000 + At);
    S.addEmpty(0x8000 + At);
  }
  Built B(S);
  ASSERT_EQ(B.Trees.Ranges.size(), 4u);
  for (size_t Root : {0, 2}) {
    std::map<CallNote::KindType, uint64_t> Counts;
    for (const CallNote &N : B.notes(Root))
      ++Counts[N.Kind];
    EXPECT_EQ(Counts[CallNote::Code], format::MaxCuts);
    EXPECT_EQ(Counts[CallNote::Empty], format::MaxCallsWithoutCode);
  }
}

/// Calls that readers would find anyway have no notes.
TEST(CallNotesTest, NotesAreNotRepeated) {
  Subprogram S({{0x1000, 0x1010}, {0x1020, 0x1030}});
  for (uint64_t Start : {0x1000, 0x1020}) {
    S.add("c", {}, 0);
    S.addRange(Start + 4, Start + 8);
  }
  Built B(S);
  ASSERT_EQ(B.Trees.Ranges.size(), 4u);
  for (size_t Root : {0, 2})
    EXPECT_TRUE(B.notes(Root).empty());
}

TEST(CallNotesTest, NotesAreCharged) {
  constexpr uint64_t Count = 100;
  Subprogram S(AddressRange{0x1000, 0x1010});
  const uint64_t Without = Built(S).Charged;
  for (uint64_t I = 0; I != Count; ++I) {
    S.add("empty", {}, 0);
    S.addEmpty(0x1004);
  }
  EXPECT_EQ(Built(S).Charged, Without + Count * sizeof(CallNote));
}
