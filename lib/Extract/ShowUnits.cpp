//===- ShowUnits.cpp - Units, lines and functions as text -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DWARF/Functions.h"
#include "DWARF/LineTable.h"
#include "DWARFFile.h"
#include "Shown.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Format.h"
#include <utility>

using namespace llvm;

namespace lidia {

namespace {

/// Prints units, one after another.
class UnitPrinter {
public:
  UnitPrinter(Conversion &C, Shown &S) : C(C), S(S) {}

  void print(VisitedUnit &TheUnit);

private:
  void warn(Error E);
  void printHeading();
  bool readLines(bool OnlyFiles);
  bool readFunctions();
  bool isWanted();
  std::string nameOf(const dwarf::FunctionNode &Node);
  void findWanted();
  bool overlapsWanted(uint64_t From, uint64_t To) const;
  void printUnit();
  void printLines();
  void printRow(const dwarf::LineRow &Row);
  void printFunctions();
  void printFunction(const dwarf::FunctionNode &Node);
  StringRef path(uint64_t File);

  Conversion &C;
  Shown &S;
  VisitedUnit *V = nullptr;
  bool HasHeading = false;
  dwarf::LineTable Lines;
  dwarf::UnitFunctions Functions;
  SmallString<128> NameStorage;
  /// The nodes that --function selects, and the calls inlined into them.
  BitVector Named;
  /// The code of these nodes.
  std::vector<dwarf::AddressRange> Wanted;
  std::optional<uint64_t> LastFile;
  dwarf::LineTablePath LastPath;
};

} // namespace

void UnitPrinter::warn(Error E) {
  C.warn(V->S.FileName + ": unit at 0x" +
         utohexstr(V->Skeleton.header().Offset, /*LowerCase=*/true) + ": " +
         toString(std::move(E)));
}

/// Prints the heading of a unit, before the first item in it.
void UnitPrinter::printHeading() {
  if (std::exchange(HasHeading, true))
    return;
  S.OS << "unit " << format_hex(V->Skeleton.header().Offset, 1) << ' ';
  S.printText(primaryFile(V->U));
  S.OS << ":\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the line table. False if there is none.
bool UnitPrinter::readLines(bool OnlyFiles) {
  LastFile.reset();
  std::optional<uint64_t> Offset = V->Skeleton.lineTableOffset();
  if (!Offset)
    return false;
  Error E = OnlyFiles
                ? Lines.parseFiles(V->Skeleton, *Offset, V->Budget)
                : Lines.parse(V->Skeleton, *Offset, V->Budget,
                              [&](Error Broken) { warn(std::move(Broken)); });
  if (!E)
    return true;
  warn(std::move(E));
  return false;
}

/// Reads the functions. False for a unit that has none.
bool UnitPrinter::readFunctions() {
  Functions.clear();
  uint8_t Type = V->U.header().Type;
  if (Type == llvm::dwarf::DW_UT_type || Type == llvm::dwarf::DW_UT_split_type)
    return false;
  if (Error E = dwarf::readFunctions(V->U, Functions, V->Budget,
                                     /*ForDebuggers=*/false))
    warn(std::move(E));
  V->Names.setUnit(V->U, Functions.Scopes);
  return true;
}

std::string UnitPrinter::nameOf(const dwarf::FunctionNode &Node) {
  if (V->Budget.exhausted())
    return {};
  // The name may be as long as the file, and that of many functions.
  std::string Name =
      V->Names.identify(Node.DIE, NameStorage, dwarf::IdentityParts::Name)
          .Name.str();
  V->Budget.charge(Name.size());
  return Name;
}

/// Finds the functions that are wanted, and their code.
void UnitPrinter::findWanted() {
  Named.clear();
  Named.resize(Functions.Nodes.size());
  Wanted.clear();
  for (size_t I = 0; I != Functions.Nodes.size(); ++I) {
    const dwarf::FunctionNode &Node = Functions.Nodes[I];
    bool IsInside = Node.Parent < I && Named.test(Node.Parent);
    if (!IsInside && !S.wantsFunction(nameOf(Node)))
      continue;
    Named.set(I);
    append_range(Wanted, Functions.ranges(Node));
  }
  llvm::sort(Wanted, [](const auto &A, const auto &B) {
    return std::make_pair(A.Start, A.End) < std::make_pair(B.Start, B.End);
  });
  // Without overlaps, so that a binary search works.
  size_t Size = 0;
  for (const dwarf::AddressRange &R : Wanted) {
    if (Size && R.Start <= Wanted[Size - 1].End)
      Wanted[Size - 1].End = std::max(Wanted[Size - 1].End, R.End);
    else
      Wanted[Size++] = R;
  }
  Wanted.resize(Size);
}

bool UnitPrinter::overlapsWanted(uint64_t From, uint64_t To) const {
  auto It =
      partition_point(Wanted, [&](const auto &R) { return R.End <= From; });
  return It != Wanted.end() && It->Start < To;
}

/// The path of a file of the line table; empty if there is none.
StringRef UnitPrinter::path(uint64_t File) {
  if (LastFile == File)
    return LastPath.Path;
  LastFile = File;
  if (!Lines.path(File, LastPath))
    LastPath.Path.clear();
  return LastPath.Path;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Whether the unit has the address or the function that is asked for.
bool UnitPrinter::isWanted() {
  const std::optional<uint64_t> &Address = S.Options.Address;
  if (!Address && S.Options.Function.empty())
    return true;
  readFunctions();
  findWanted();
  if (!Address)
    return Named.any();
  if (overlapsWanted(*Address, *Address + 1))
    return true;
  return S.Options.Function.empty() && readLines(/*OnlyFiles=*/false) &&
         any_of(Lines.sequences(), [&](const dwarf::LineSequence &Sequence) {
           return S.wantsAddress(Sequence.Start, Sequence.End);
         });
}

void UnitPrinter::printUnit() {
  if (!isWanted())
    return;
  const dwarf::UnitHeader &H = V->Skeleton.header();
  auto PrintID = [&](const char *What, uint64_t Value) {
    S.OS << ' ' << What << ' ' << format_hex(Value, 1);
  };
  S.OS << format_hex(H.Offset, 1) << ".." << format_hex(H.End, 1) << ' '
       << llvm::dwarf::UnitTypeString(H.Type) << " version " << H.Sizes.Version;
  if (H.Signature)
    PrintID("signature", H.Signature);
  if (uint64_t ID = V->Skeleton.splitID())
    PrintID("id", ID);
  if (StringRef Language = llvm::dwarf::LanguageString(V->U.language());
      !Language.empty())
    S.OS << ' ' << Language;
  if (std::optional<uint64_t> Offset = V->Skeleton.lineTableOffset())
    PrintID("lines", *Offset);
  if (!V->Skeleton.splitName().empty()) {
    S.OS << " split ";
    S.printText(V->Skeleton.splitName());
  }
  if (!V->U.name().empty()) {
    S.OS << " name ";
    S.printText(V->U.name());
  }
  if (StringRef Directory = V->Skeleton.compilationDirectory();
      !Directory.empty()) {
    S.OS << " directory ";
    S.printText(Directory);
  }
  S.OS << '\n';
}

void UnitPrinter::printRow(const dwarf::LineRow &Row) {
  printHeading();
  S.OS << "  " << format_hex(Row.Address, 1) << ' ';
  S.printPlace(path(Row.File), Row.Line, Row.Column);
  static constexpr std::pair<uint8_t, const char *> Flags[] = {
      {dwarf::LF_IsStmt, " is_stmt"},
      {dwarf::LF_PrologueEnd, " prologue_end"},
      {dwarf::LF_EpilogueBegin, " epilogue_begin"}};
  for (auto [Flag, Text] : Flags)
    if (Row.Flags & Flag)
      S.OS << Text;
  S.OS << '\n';
}

void UnitPrinter::printLines() {
  bool OfFunction = !S.Options.Function.empty();
  if (OfFunction) {
    readFunctions();
    findWanted();
    if (Wanted.empty())
      return;
  }
  if (!readLines(/*OnlyFiles=*/false))
    return;
  for (const dwarf::LineSequence &Sequence : Lines.sequences()) {
    ArrayRef<dwarf::LineRow> Rows = Lines.rows(Sequence);
    for (size_t I = 0; I != Rows.size() && !S.isFull(); ++I) {
      uint64_t From = Rows[I].Address;
      uint64_t To = I + 1 != Rows.size() ? Rows[I + 1].Address : Sequence.End;
      // A row that another row at the same address replaces covers only that
      // address.
      if (S.wantsAddress(From, To) &&
          (!OfFunction || overlapsWanted(From, std::max(To, From + 1))))
        printRow(Rows[I]);
    }
    if (!S.Options.Address && !OfFunction && !S.isFull()) {
      printHeading();
      S.OS << "  " << format_hex(Sequence.End, 1) << " end_sequence\n";
    }
  }
}

void UnitPrinter::printFunction(const dwarf::FunctionNode &Node) {
  printHeading();
  S.OS.indent(2 + 2 * std::min<unsigned>(Node.Depth, 40));
  ListSeparator Comma(",");
  for (const dwarf::AddressRange &R : Functions.ranges(Node)) {
    if (S.isFull())
      break;
    S.OS << Comma << format_hex(R.Start, 1) << ".." << format_hex(R.End, 1);
  }
  S.OS << (Functions.ranges(Node).empty() ? "- " : " ");
  S.printName(nameOf(Node));
  if (Node.Depth) {
    S.OS << ", called from ";
    S.printPlace(path(Node.CallFile), Node.CallLine, Node.CallColumn);
  } else if (!Functions.ranges(Node).empty() &&
             Node.Entry != Functions.ranges(Node)[0].Start) {
    S.OS << ", entry " << format_hex(Node.Entry, 1);
  }
  S.OS << '\n';
}

void UnitPrinter::printFunctions() {
  if (!readFunctions())
    return;
  bool OfFunction = !S.Options.Function.empty();
  if (OfFunction)
    findWanted();
  readLines(/*OnlyFiles=*/true);
  for (size_t I = 0; I != Functions.Nodes.size(); ++I) {
    const dwarf::FunctionNode &Node = Functions.Nodes[I];
    bool IsThere = !S.Options.Address ||
                   any_of(Functions.ranges(Node), [&](const auto &R) {
                     return S.wantsAddress(R.Start, R.End);
                   });
    if (S.isFull() || V->Budget.exhausted())
      return;
    if (IsThere && (!OfFunction || Named.test(I)))
      printFunction(Node);
  }
}

void UnitPrinter::print(VisitedUnit &TheUnit) {
  V = &TheUnit;
  HasHeading = false;
  // A unit may name a directory as long as the file.
  V->Budget.charge(V->U.name().size() + V->U.compilationDirectory().size());
  if (S.isFull() || V->Budget.exhausted() || !S.wantsUnit(V->U))
    return;
  switch (S.Options.Thing) {
  case ShownThing::Units:
    return printUnit();
  case ShownThing::Lines:
    return printLines();
  default:
    return printFunctions();
  }
}

Error showDWARF(Conversion &C, Shown &S) {
  UnitPrinter Printer(C, S);
  return visitUnits(
      C,
      [&](const dwarf::Sections &Sections) {
        S.addInput(Sections.totalSize());
        S.OS << (S.Options.Thing == ShownThing::Units   ? "Units"
                 : S.Options.Thing == ShownThing::Lines ? "Lines"
                                                        : "Functions")
             << " of ";
        S.printText(Sections.FileName);
        S.OS << ":\n";
      },
      [&](VisitedUnit &V) { Printer.print(V); });
}

} // namespace lidia
