//===- FlameGraph.cpp - A profile as an interactive HTML page -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The page is FlameGraph.html with the tree in place of "{{PROFILE}}", as a
/// JSON object:
///
///   title      a string
///   types      the types of values: [type, unit] of each
///   default    the index of the type to show first
///   negative   whether there were values below zero, which are left out
///   strings    the strings that the other members refer to, by index
///   functions  name, module, and 1 if inlined, or 2 for "(smaller frames)":
///              three numbers for each
///   positions  file and line: two numbers for each
///   depth      for each box, its distance from the root, which is not in the
///              list; a box follows its parent and the parent's earlier boxes
///   function   the function of each box
///   self       for each type, the value of each box without its own boxes
///   sources    for files with source code on the web, by index in "strings",
///              the URL of a line, with "{line}" in place of the number
///   lines      for each box, a number N, and N positions, each with its value
///              of the type "default"; a single position has no value
///   threads    name, process, number of the process and of the thread of each
///   events     what threads add to boxes: "box", "thread" and "type", by
///              index, and "value", each an array. "count" is there if type 0
///              counts events: how many a row stands for. "time" is there if
///              they are in order of time: microseconds since the row before
///   lacks      what is left out because it is too much: "order" or "threads"
///
/// Everything in the page that comes from a profile is in these strings.
///
//===----------------------------------------------------------------------===//

#include "lidia/Profile/FlameGraph.h"
#include "FlameEvents.h"
#include "FlameTree.h"
#include "ProfileFormats.h"
#include "lidia/Profile/PageTemplate.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

static const char Page[] =
#include "FlameGraphPage.inc"
    ;

/// The maximum number of lines of a box. A loop that is spread over more lines
/// has no single line to point at.
static constexpr size_t MaxLines = 5;

namespace {
/// Selects and sorts the boxes of a tree, and writes them.
class BoxWriter {
public:
  BoxWriter(const FlameTree &Tree, const FlameGraphLimits &Limits);

  void write(StringRef Title, const SourceURLs &Sources, raw_ostream &OS);

private:
  using BoxID = FlameTree::BoxID;

  /// The numbers of objects in the page, in the order of first use.
  struct Numbering {
    std::vector<uint32_t> InPage;
    std::vector<uint32_t> Used;

    explicit Numbering(size_t Size) : InPage(Size, ~uint32_t(0)) {}
    uint32_t operator()(uint32_t ID) {
      if (InPage[ID] == ~uint32_t(0)) {
        InPage[ID] = uint32_t(Used.size());
        Used.push_back(ID);
      }
      return InPage[ID];
    }
  };

  void addTotals();
  void chooseBoxes();
  void orderChildren();
  void layOut();
  ArrayRef<BoxID> children(BoxID B) const {
    return ArrayRef(Order).slice(ChildrenBegin[B],
                                 ChildrenBegin[B + 1] - ChildrenBegin[B]);
  }
  uint64_t &total(BoxID B, size_t Type) { return Totals[B * TypeCount + Type]; }
  /// The order of boxes with the same value.
  auto textKey(BoxID B) const;

  void addBox(BoxID B, uint32_t Depth);
  void addSmallerFrames(BoxID Parent, uint32_t Depth);
  void addLines(BoxID B);
  std::vector<uint32_t> boxesInPage() const;
  void writeSources(const SourceURLs &Sources, raw_ostream &OS);
  void writeThreads(ArrayRef<SampleThread> Threads, raw_ostream &OS) const;
  void writeEvents(raw_ostream &OS) const;

  const FlameTree &Tree;
  const FlameGraphLimits &Limits;
  const size_t TypeCount;
  /// The values of the stacks that go through a box, by box and type.
  std::vector<uint64_t> Totals;
  BitVector Kept;
  /// The boxes that are kept, grouped by parent: those of a parent begin at its
  /// ChildrenBegin.
  std::vector<BoxID> Order;
  std::vector<size_t> ChildrenBegin;
  std::vector<FlameTree::PositionValue> PositionValues;

  // Contents of the page.
  Numbering Functions, Positions, Texts;
  /// By box: its number in the page, and that of the box for what is below it
  /// and not in the page. The root is 0.
  std::vector<uint32_t> InPage, SmallerInPage;
  std::vector<uint32_t> Depths, BoxFunctions;
  std::vector<std::vector<uint64_t>> SelfValues;
  std::vector<uint64_t> Lines;
};
} // namespace

BoxWriter::BoxWriter(const FlameTree &Tree, const FlameGraphLimits &Limits)
    : Tree(Tree), Limits(Limits), TypeCount(Tree.valueTypes().size()),
      PositionValues(Tree.positionValues()), Functions(Tree.functions().size()),
      Positions(Tree.positions().size()), Texts(Tree.textCount()),
      InPage(Tree.boxes().size()), SmallerInPage(Tree.boxes().size()),
      SelfValues(TypeCount) {
  addTotals();
  chooseBoxes();
  orderChildren();
  layOut();
}

void BoxWriter::addTotals() {
  for (BoxID B = 0; B != Tree.boxes().size(); ++B)
    append_range(Totals, Tree.selfValues(B));
  for (BoxID B = Tree.boxes().size(); --B != FlameTree::Root;)
    for (size_t T = 0; T != TypeCount; ++T) {
      uint64_t &Parent = total(Tree.boxes()[B].Parent, T);
      Parent = SaturatingAdd(Parent, total(B, T));
    }
}

/// Keeps the widest boxes. A box is never wider than its parent, which also has
/// a smaller number, so the parents of kept boxes are kept.
void BoxWriter::chooseBoxes() {
  Kept.resize(Tree.boxes().size());
  std::vector<std::pair<double, BoxID>> Widths;
  for (BoxID B = FlameTree::Root + 1; B < Tree.boxes().size(); ++B) {
    if (Tree.boxes()[B].Function == FlameTree::SmallerFrames)
      continue;
    double Width = 0;
    for (size_t T = 0; T != TypeCount; ++T)
      if (total(B, T) != 0)
        Width = std::max(Width, double(total(B, T)) /
                                    double(total(FlameTree::Root, T)));
    Widths.push_back({-Width, B});
  }
  if (Widths.size() > Limits.PageBoxes) {
    llvm::sort(Widths);
    Widths.resize(Limits.PageBoxes);
  }
  for (const auto &[Width, B] : Widths)
    Kept.set(B);
}

auto BoxWriter::textKey(BoxID B) const {
  const FlameTree::Function &F = Tree.functions()[Tree.boxes()[B].Function];
  return std::make_tuple(Tree.text(F.Name), Tree.text(F.Module), F.Inlined);
}

void BoxWriter::orderChildren() {
  for (unsigned B : Kept.set_bits())
    Order.push_back(B);
  llvm::sort(Order, [&](BoxID L, BoxID R) {
    BoxID LeftParent = Tree.boxes()[L].Parent;
    BoxID RightParent = Tree.boxes()[R].Parent;
    if (LeftParent != RightParent)
      return LeftParent < RightParent;
    uint64_t LeftTotal = total(L, Tree.defaultType());
    uint64_t RightTotal = total(R, Tree.defaultType());
    if (LeftTotal != RightTotal)
      return LeftTotal > RightTotal;
    return textKey(L) < textKey(R);
  });
  ChildrenBegin.resize(Tree.boxes().size() + 1);
  for (BoxID B : Order)
    ++ChildrenBegin[Tree.boxes()[B].Parent + 1];
  for (size_t I = 1; I != ChildrenBegin.size(); ++I)
    ChildrenBegin[I] += ChildrenBegin[I - 1];
}

void BoxWriter::layOut() {
  // The boxes from the root to the current one, each with its next child.
  std::vector<std::pair<BoxID, size_t>> Path = {{FlameTree::Root, 0}};
  while (!Path.empty()) {
    auto &[Parent, Next] = Path.back();
    ArrayRef<BoxID> Below = children(Parent);
    uint32_t Depth = Path.size();
    if (Next != Below.size()) {
      BoxID B = Below[Next++];
      addBox(B, Depth);
      Path.push_back({B, 0});
      continue;
    }
    addSmallerFrames(Parent, Depth);
    Path.pop_back();
  }
}

void BoxWriter::addBox(BoxID B, uint32_t Depth) {
  Depths.push_back(Depth);
  InPage[B] = uint32_t(Depths.size());
  BoxFunctions.push_back(Functions(Tree.boxes()[B].Function));
  for (size_t T = 0; T != TypeCount; ++T)
    SelfValues[T].push_back(Tree.selfValues(B)[T]);
  addLines(B);
}

/// Adds a box for the frames below \p Parent that are not in the page.
void BoxWriter::addSmallerFrames(BoxID Parent, uint32_t Depth) {
  SmallVector<uint64_t, 8> Rest;
  for (size_t T = 0; T != TypeCount; ++T) {
    uint64_t InPage = Tree.selfValues(Parent)[T];
    for (BoxID B : children(Parent))
      InPage = SaturatingAdd(InPage, total(B, T));
    Rest.push_back(total(Parent, T) - std::min(total(Parent, T), InPage));
  }
  if (all_of(Rest, [](uint64_t V) { return V == 0; }))
    return;
  Depths.push_back(Depth);
  SmallerInPage[Parent] = uint32_t(Depths.size());
  BoxFunctions.push_back(Functions(FlameTree::SmallerFrames));
  for (size_t T = 0; T != TypeCount; ++T)
    SelfValues[T].push_back(Rest[T]);
  Lines.push_back(0);
}

void BoxWriter::addLines(BoxID B) {
  auto Begin =
      partition_point(PositionValues, [&](const FlameTree::PositionValue &V) {
        return V.Box < B;
      });
  auto End = Begin;
  while (End != PositionValues.end() && End->Box == B)
    ++End;
  MutableArrayRef<FlameTree::PositionValue> Mine(
      PositionValues.data() + (Begin - PositionValues.begin()), End - Begin);
  auto Key = [&](const FlameTree::PositionValue &V) {
    const FlameTree::Position &P = Tree.positions()[V.Position];
    return std::make_tuple(~V.Value, Tree.text(P.File), P.Line);
  };
  llvm::sort(Mine,
             [&](const auto &L, const auto &R) { return Key(L) < Key(R); });
  Mine = Mine.take_front(MaxLines);
  Lines.push_back(Mine.size());
  for (const FlameTree::PositionValue &V : Mine) {
    Lines.push_back(Positions(V.Position));
    if (Mine.size() != 1)
      Lines.push_back(V.Value);
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Writes a string without markup: HTML ends a script at "</script", and
/// interprets "<!--" and "<script" inside it.
static void writeString(raw_ostream &OS, StringRef Text) {
  OS << '"';
  for (char C : escapeText(Text)) {
    if (C == '<')
      OS << "\\u003c";
    else if (C == '"' || C == '\\')
      OS << '\\' << C;
    else
      OS << C;
  }
  OS << '"';
}

template <typename RangeT>
static void writeNumbers(raw_ostream &OS, const RangeT &Numbers) {
  OS << '[';
  interleave(Numbers, OS, ",");
  OS << ']';
}

/// Writes the URLs of the files in the page.
void BoxWriter::writeSources(const SourceURLs &Sources, raw_ostream &OS) {
  OS << ",\n\"sources\":[";
  BitVector Known(Tree.textCount());
  ListSeparator Comma(",\n");
  for (uint32_t ID : Positions.Used) {
    uint32_t File = Tree.positions()[ID].File;
    if (Known.test(File))
      continue;
    Known.set(File);
    std::string URL = Sources.urlOfFile(Tree.text(File));
    if (URL.empty())
      continue;
    OS << Comma << '[' << Texts(File) << ',';
    writeString(OS, URL);
    OS << ']';
  }
  OS << ']';
}

/// By box: the one in the page that has its values.
std::vector<uint32_t> BoxWriter::boxesInPage() const {
  std::vector<uint32_t> Result(Tree.boxes().size());
  for (BoxID B = FlameTree::Root + 1; B < Result.size(); ++B) {
    BoxID Parent = Tree.boxes()[B].Parent;
    bool IsParentKept = Parent == FlameTree::Root || Kept.test(Parent);
    Result[B] = Kept.test(B)   ? InPage[B]
                : IsParentKept ? SmallerInPage[Parent]
                               : Result[Parent];
  }
  return Result;
}

void BoxWriter::writeThreads(ArrayRef<SampleThread> Threads,
                             raw_ostream &OS) const {
  OS << ",\n\"threads\":[";
  interleave(
      Threads, OS,
      [&](const SampleThread &T) {
        OS << '[';
        writeString(OS, T.Name);
        OS << ',';
        writeString(OS, T.Process);
        OS << ',' << T.PID << ',' << T.TID << ']';
      },
      ",\n");
  OS << ']';
}

void BoxWriter::writeEvents(raw_ostream &OS) const {
  FlameEvents Events(Tree, boxesInPage(), Limits.PageEvents);
  if (Events.LacksThreads || Events.LacksTimes)
    OS << ",\n\"lacks\":\"" << (Events.LacksThreads ? "threads" : "order")
       << '"';
  if (Events.Rows.empty())
    return;
  writeThreads(Events.Threads, OS);
  using Row = FlameEvents::Row;
  auto Column = [&](StringRef Name, auto Value) {
    OS << '"' << Name << "\":";
    writeNumbers(OS, map_range(Events.Rows, Value));
  };
  OS << ",\n\"events\":{";
  Column("box", [](const Row &R) { return R.Box; });
  OS << ",\n";
  Column("thread", [](const Row &R) { return R.Thread; });
  OS << ",\n";
  Column("type", [](const Row &R) { return R.Type; });
  OS << ",\n";
  Column("value", [](const Row &R) { return R.Value; });
  if (Tree.profile().CountsEvents && !Tree.profile().Events.empty()) {
    OS << ",\n";
    Column("count", [](const Row &R) { return R.Count; });
  }
  if (Events.HasTimes) {
    OS << ",\n";
    uint64_t Last = 0;
    Column("time",
           [&](const Row &R) { return R.Time - std::exchange(Last, R.Time); });
  }
  OS << '}';
}

void BoxWriter::write(StringRef Title, const SourceURLs &Sources,
                      raw_ostream &OS) {
  std::vector<uint32_t> FunctionNumbers, PositionNumbers;
  for (uint32_t ID : Functions.Used) {
    const FlameTree::Function &F = Tree.functions()[ID];
    FunctionNumbers.push_back(Texts(F.Name));
    FunctionNumbers.push_back(Texts(F.Module));
    FunctionNumbers.push_back(ID == FlameTree::SmallerFrames ? 2 : F.Inlined);
  }
  for (uint32_t ID : Positions.Used) {
    PositionNumbers.push_back(Texts(Tree.positions()[ID].File));
    PositionNumbers.push_back(Tree.positions()[ID].Line);
  }

  OS << "{\"title\":";
  writeString(OS, Title);
  OS << ",\n\"types\":[";
  const Profile &P = Tree.profile();
  interleave(
      Tree.valueTypes(), OS,
      [&](uint32_t Type) {
        OS << '[';
        writeString(OS, P.Strings[P.SampleTypes[Type].Type]);
        OS << ',';
        writeString(OS, P.Strings[P.SampleTypes[Type].Unit]);
        OS << ']';
      },
      ",");
  OS << "],\n\"default\":" << Tree.defaultType()
     << ",\n\"negative\":" << (Tree.hasNegativeValues() ? "true" : "false")
     << ",\n\"strings\":[";
  interleave(
      Texts.Used, OS, [&](uint32_t ID) { writeString(OS, Tree.text(ID)); },
      ",\n");
  OS << "],\n\"functions\":";
  writeNumbers(OS, FunctionNumbers);
  OS << ",\n\"positions\":";
  writeNumbers(OS, PositionNumbers);
  if (!Sources.isEmpty())
    writeSources(Sources, OS);
  writeEvents(OS);
  OS << ",\n\"depth\":";
  writeNumbers(OS, Depths);
  OS << ",\n\"function\":";
  writeNumbers(OS, BoxFunctions);
  OS << ",\n\"self\":[";
  interleave(
      SelfValues, OS,
      [&](const std::vector<uint64_t> &Values) { writeNumbers(OS, Values); },
      ",\n");
  OS << "],\n\"lines\":";
  writeNumbers(OS, Lines);
  OS << "}";
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

StringRef flameGraphTemplate() { return Page; }

void printFlameGraph(const Profile &P, StringRef Title, raw_ostream &OS,
                     const FlameGraphLimits &Limits,
                     const SourceURLs &Sources) {
  FlameTree Tree(P, Limits);
  BoxWriter Boxes(Tree, Limits);
  // Hashing the page takes longer than writing a small profile.
  static const std::string Policy = contentPolicy(flameGraphTemplate());
  fillTemplate(Page, OS, [&](StringRef Name) {
    if (Name == "PROFILE")
      Boxes.write(Title, Sources, OS);
    else
      OS << Policy;
  });
}

void writeFlameGraph(const ProfileFile &File, raw_ostream &OS,
                     WarningFunction) {
  printFlameGraph(File.profile(), File.Title, OS, FlameGraphLimits(),
                  File.Sources);
}

} // namespace lidia
