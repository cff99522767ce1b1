//===- ArchiveText.cpp - An archive as text -------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/ArchiveText.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Archive/BinaryLayout.h"
#include "lidia/Archive/Calls.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/LoadSegments.h"
#include "lidia/Archive/NameOrigins.h"
#include "lidia/Archive/SectionPlaces.h"
#include "lidia/Archive/Statements.h"
#include "lidia/Archive/UnnamedFunctions.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/TextLimit.h"
#include "lidia/Symbolize/UnwindText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace lidia;
using namespace llvm;

namespace {

/// Prints one archive.
class Dumper {
public:
  Dumper(raw_ostream &OS, const Archive &A, const ArchiveTextOptions &R)
      : OS(OS), A(A), R(R), Start(OS.tell()),
        Max(maxTextOfFile(A.buffer().getBufferSize())), Reader(A) {}

  void dump();

  /// Whether the limit was reached, so that the rest is left out.
  bool isFull() const { return OS.tell() - Start > Max; }

private:
  void dumpHeader();
  void dumpTable(StringRef Name, const format::TableHeader &Table);
  void dumpExtension();
  void dumpSectionPlaces();
  void dumpLoadSegments();
  void dumpLayout();
  void dumpInfo(const ArchiveInfo &Info);
  void findFunction();
  bool hasRanges(StringRef What);
  void dumpRanges();
  void dumpRange(uint64_t Index);
  void dumpRows(const RangeEntry &Range, unsigned Indent);
  void dumpStatements(uint64_t Root, unsigned Indent);
  void dumpCallNote(uint64_t Root, const CallNote &N);
  void printDeclaration(const RangeEntry &Range);
  void printUnit(uint64_t Root);
  void readCopies();
  void dumpCopies(uint64_t Root);
  void readAliases();
  void dumpAliases(uint64_t Root);
  void dumpOrigin(uint64_t Root, const RangeEntry &Range);
  void dumpUnnamedFunctions();
  void dumpCalls(const RangeEntry &Range);
  void dumpFunctions();
  void dumpFiles();
  void dumpStrings();
  void visitReturnPads(function_ref<void(const ReturnPad &)> Visit);
  void dumpReturnPads();
  void dumpReturnPadsAsJSON();
  void dumpUnwindRows();
  void writeFrame(json::OStream &J, const Frame &F);
  std::string functionName(StringOffset Offset);

  void printCRC(uint32_t CRC);
  void printString(StringOffset Offset);
  void printFunction(StringOffset Offset);
  void printPlace(StringOffset File, uint64_t Line, uint32_t Column);

  raw_ostream &OS;
  const Archive &A;
  const ArchiveTextOptions &R;
  const uint64_t Start;
  const uint64_t Max;
  StatementReader Reader;
  /// The ranges to print, and one past the last.
  uint64_t First = 0;
  uint64_t End = UINT64_MAX;
  uint64_t PrintedUnit = 0;
  /// The units with copies of functions, by range of depth 0.
  std::vector<std::pair<uint64_t, FunctionUnit>> Copies;
  /// The addresses and names of aliases, and their ranges of depth 0.
  struct Alias {
    uint64_t Root;
    uint64_t Address;
    std::string Name;
  };
  std::vector<Alias> Aliases;
  /// Where names are from; not read if all are from one source.
  std::optional<NameOrigins> Origins;
  NameOrigin PrintedOrigin = NameOrigin::Unknown;
};

} // namespace

void Dumper::dump() {
  if (R.Address)
    findFunction();
  if (R.Header)
    dumpHeader();
  if (R.Extension)
    dumpExtension();
  if (R.Ranges)
    dumpRanges();
  if (R.Functions)
    dumpFunctions();
  if (R.Files)
    dumpFiles();
  if (R.Strings)
    dumpStrings();
  if (R.ReturnPads && R.ReturnPadsAsJSON)
    dumpReturnPadsAsJSON();
  else if (R.ReturnPads)
    dumpReturnPads();
  if (R.Unwind)
    dumpUnwindRows();
}

//===----------------------------------------------------------------------===//
// Header and extension
//===----------------------------------------------------------------------===//

void Dumper::printCRC(uint32_t CRC) {
  OS << ", CRC-32C ";
  if (CRC)
    OS << format_hex(CRC, 10);
  else
    OS << "none";
  OS << '\n';
}

void Dumper::dumpTable(StringRef Name, const format::TableHeader &Table) {
  OS << "  " << Name << ": offset " << format_hex(Table.Offset, 1) << ", "
     << uint64_t(Table.Count) << " x " << uint64_t(Table.FieldSize)
     << "-byte fields";
  printCRC(Table.CRC);
}

void Dumper::dumpHeader() {
  const format::Header &H = A.header();
  OS << "Header:\n"
     << "  version: " << uint32_t(H.Version) << '\n';
  dumpTable("vas", H.VAs);
  dumpTable("ranges", H.Ranges);
  OS << "  strings: offset " << format_hex(H.Strings.Offset, 1) << ", "
     << uint64_t(H.Strings.Size) << " bytes, "
     << (A.stringForm() == format::StringForm::Prefixed ? "prefixed"
                                                        : "nul-terminated");
  printCRC(H.Strings.CRC);
  dumpTable("lines", H.Lines);
}

void Dumper::dumpExtension() {
  ArrayRef<format::ExtensionSection> Sections = A.extensionSections();
  if (Sections.empty()) {
    OS << "Extension: none\n";
    return;
  }
  OS << "Extension:\n";
  for (const format::ExtensionSection &S : Sections) {
    OS << "  " << tagName(S.Tag) << ": offset " << format_hex(S.Offset, 1)
       << ", " << uint64_t(S.Size) << " bytes";
    if (std::optional<FieldView> Array = A.array(S.Tag))
      OS << ", " << Array->Count << " x " << Array->Width << "-byte fields";
    printCRC(S.CRC);
  }
  if (const ArchiveInfo *I = A.info())
    dumpInfo(*I);
  dumpSectionPlaces();
  dumpLoadSegments();
  dumpLayout();
}

void Dumper::dumpSectionPlaces() {
  SectionPlaces Places(A);
  if (Places.size())
    OS << "Sections:\n";
  for (uint64_t I = 0; I != Places.size() && !isFull(); ++I) {
    SectionPlace P = Places[I];
    OS << "  " << format_hex(P.Address, 1) << ".."
       << format_hex(P.Address + P.Size, 1) << ' ';
    printString(P.Name);
    OS << '\n';
  }
}

void Dumper::dumpLoadSegments() {
  LoadSegments Segments(A);
  if (Segments.size())
    OS << "Code in the binary:\n";
  for (uint64_t I = 0; I != Segments.size() && !isFull(); ++I) {
    LoadSegment S = Segments[I];
    OS << "  " << format_hex(S.Address, 1) << ".."
       << format_hex(S.Address + S.Size, 1) << " at offset "
       << format_hex(S.Offset, 1) << '\n';
  }
}

void Dumper::dumpLayout() {
  Expected<BinaryLayout> Layout = BinaryLayout::read(A);
  // verify() reports the damage.
  if (!Layout)
    return consumeError(Layout.takeError());
  if (!Layout->Segments.empty())
    OS << "Loaded segments:\n";
  for (const LayoutSegment &S : Layout->Segments) {
    if (isFull())
      return;
    OS << "  " << format_hex(S.Address, 1) << ' ' << format_hex(S.Size, 1)
       << " flags " << format_hex(S.Flags, 1) << '\n';
  }
  if (!Layout->Sections.empty())
    OS << "Loaded sections:\n";
  for (const LayoutSection &S : Layout->Sections) {
    if (isFull())
      return;
    OS << "  " << format_hex(S.Address, 1) << ' ' << format_hex(S.Size, 1)
       << " flags " << format_hex(S.Flags, 1) << ' ';
    printText(OS, S.Name);
    OS << '\n';
  }
}

static StringRef optionName(uint32_t Bit) {
  switch (Bit) {
  case format::IO_Checksums:
    return "crc";
  case format::IO_Files:
    return "files";
  case format::IO_Lines:
    return "lines";
  case format::IO_Columns:
    return "columns";
  case format::IO_ReturnPads:
    return "return-pads";
  case format::IO_Unwind:
    return "unwind";
  case format::IO_Variables:
    return "variables";
  case format::IO_Damaged:
    return "damaged-parts-left-out";
  case format::IO_Limited:
    return "parts-left-out-by-limit";
  }
  return "?";
}

static StringRef formatName(BinaryFormat Format) {
  switch (Format) {
  case BinaryFormat::ELF:
    return "ELF";
  case BinaryFormat::PE:
    return "PE/COFF";
  case BinaryFormat::MachO:
    return "Mach-O";
  }
  return "?";
}

void Dumper::dumpInfo(const ArchiveInfo &I) {
  OS << "Binary:\n  build ID: ";
  if (I.BuildID.empty())
    OS << "none";
  for (uint8_t Byte : I.BuildID)
    OS << format_hex_no_prefix(Byte, 2);
  OS << "\n  identity: "
     << (I.Identity.empty() ? "none" : toHex(I.Identity, /*LowerCase=*/true));
  if (!I.Identity.empty() && I.IdentityScheme != format::IdentityScheme)
    OS << " (scheme " << I.IdentityScheme << ")";
  OS << "\n  format: " << formatName(I.Format)
     << "\n  machine: " << ELF::convertEMachineToArchName(I.Machine) << " ("
     << I.Machine << ")\n  class: "
     << (I.Class == ELF::ELFCLASS64   ? "64-bit"
         : I.Class == ELF::ELFCLASS32 ? "32-bit"
                                      : "?")
     << "\n  byte order: "
     << (I.Data == ELF::ELFDATA2LSB   ? "little-endian"
         : I.Data == ELF::ELFDATA2MSB ? "big-endian"
                                      : "?")
     << "\n  type: " << I.Type << "\n  OS ABI: " << unsigned(I.OSABI)
     << ", version " << unsigned(I.ABIVersion)
     << "\n  flags: " << format_hex(I.Flags, 1) << "\n  made with:";
  for (uint32_t Bit = 1; Bit <= I.Options; Bit <<= 1)
    if (I.Options & Bit)
      OS << ' ' << optionName(Bit);
  OS << '\n';
}

//===----------------------------------------------------------------------===//
// Ranges and rows
//===----------------------------------------------------------------------===//

void Dumper::printString(StringOffset Offset) {
  printText(OS, A.string(Offset));
}

std::string Dumper::functionName(StringOffset Offset) {
  StringRef Name = A.string(Offset);
  return R.Demangle ? readableName(Name) : Name.str();
}

void Dumper::printFunction(StringOffset Offset) {
  std::string Name = functionName(Offset);
  if (Name.empty())
    OS << "??";
  else
    printText(OS, Name);
}

void Dumper::printPlace(StringOffset File, uint64_t Line, uint32_t Column) {
  if (A.string(File).empty())
    OS << "??";
  else
    printString(File);
  OS << ':' << Line;
  if (Column)
    OS << ':' << Column;
}

void Dumper::dumpRows(const RangeEntry &Range, unsigned Indent) {
  uint64_t Count = Range.RowCount;
  // A count in a broken archive can have any value.
  uint64_t Stored = A.rowCount() - std::min(A.rowCount(), Range.FirstRow);
  for (uint64_t I = 0; I != std::min(Count, Stored) && !isFull(); ++I) {
    RowEntry Row = A.row(Range, I);
    OS.indent(Indent) << "+" << format_hex(Row.Offset, 1) << ' ';
    printPlace(Row.File, Row.Line, Row.Column);
    OS << '\n';
  }
  if (Count > Stored)
    OS.indent(Indent) << "(rows " << Range.FirstRow + Stored << " and on are "
                      << "outside of the line tables)\n";
}

void Dumper::dumpCallNote(uint64_t Root, const CallNote &N) {
  if (N.Kind == CallNote::Start) {
    OS << '[' << Root + N.Range << "] begins at " << format_hex(N.Address, 1)
       << '\n';
    return;
  }
  if (N.Kind == CallNote::Code) {
    OS << '[' << Root + N.Range << "] is of call " << N.Call << " from "
       << format_hex(N.Address, 1) << " on\n";
    return;
  }
  OS << '[' << Root + N.Range << "] has at " << format_hex(N.Address, 1)
     << " a call without code: ";
  printFunction(N.Function);
  OS << " called from ";
  printPlace(N.CallFile, N.CallLine, N.CallColumn);
  OS << '\n';
}

void Dumper::dumpStatements(uint64_t Root, unsigned Indent) {
  std::vector<Statement> Statements;
  std::vector<CallNote> Calls;
  if (Error E = Reader.read(Root, Statements, &Calls)) {
    OS.indent(Indent) << '(' << toString(std::move(E)) << ")\n";
    return;
  }
  for (const CallNote &N : Calls) {
    if (isFull())
      return;
    OS.indent(Indent);
    dumpCallNote(Root, N);
  }
  for (const Statement &S : Statements) {
    if (isFull())
      return;
    OS.indent(Indent) << format_hex(S.Address, 1) << ' ';
    if (S.Flags & SF_Unknown)
      OS << "unknown";
    else
      printPlace(S.File, S.Line, S.Column);
    if (S.Flags & SF_IsStmt)
      OS << " is_stmt";
    if (S.Flags & SF_PrologueEnd)
      OS << " prologue_end";
    if (S.Flags & SF_EpilogueBegin)
      OS << " epilogue_begin";
    if (S.Flags & SF_OtherBlock)
      OS << " other_block";
    OS << '\n';
  }
}

/// Prints the rest of the information about the function of \p Range that only
/// debuggers need.
void Dumper::printDeclaration(const RangeEntry &Range) {
  auto Print = [&](const char *Text, const Declaration &D) {
    OS << Text;
    if (D.File == Range.File) {
      OS << "line " << D.Line;
    } else {
      printPlace(D.File, D.Line, 0);
    }
  };
  Declaration D = A.declaration(Range.Function, Range.File);
  if (D.Line)
    Print(" declared in ", D);
  if (Range.Depth == 0) {
    Declaration Last = A.lastDeclaration(Range.Function, Range.File);
    if (Last.File != D.File || Last.Line != D.Line)
      Print(" last declared in ", Last);
  }
  if (StringOffset Plain = A.plainName(Range.Function);
      Plain != Range.Function) {
    OS << " as ";
    printString(Plain);
  }
}

static std::string languageName(uint16_t Language) {
  StringRef Name = dwarf::LanguageString(Language);
  return Name.empty() ? ("DW_LANG " + Twine(Language)).str() : Name.str();
}

/// Prints the compile unit of the function at \p Root if it is not that of the
/// previous function.
void Dumper::printUnit(uint64_t Root) {
  FunctionUnit U = A.unit(Root);
  if (U.Number == PrintedUnit)
    return;
  PrintedUnit = U.Number;
  OS << "  unit " << U.Number;
  if (U.Number) {
    OS << ' ';
    printString(U.Name);
    if (U.Language)
      OS << " (" << languageName(U.Language) << ')';
    if (U.Directory) {
      OS << " in ";
      printString(U.Directory);
    }
  }
  OS << '\n';
}

/// Reads the data for dumpCopies().
void Dumper::readCopies() {
  Error E = visitCopies(A, [&](const UnitCopies &U) {
    for (uint64_t Root : U.Roots)
      Copies.push_back({Root, U.Unit});
  });
  if (E)
    OS << "  (" << toString(std::move(E)) << ")\n";
  llvm::sort(Copies, [](const auto &L, const auto &R) {
    return std::make_pair(L.first, L.second.Number) <
           std::make_pair(R.first, R.second.Number);
  });
}

/// Reads the data for dumpAliases().
void Dumper::readAliases() {
  if (Error E = visitAliases(A, [&](const FunctionAlias &Alias) {
        Aliases.push_back({Alias.Root, Alias.Address, Alias.Name.str()});
      }))
    OS << "  (" << toString(std::move(E)) << ")\n";
}

void Dumper::dumpAliases(uint64_t Root) {
  auto First = partition_point(
      Aliases, [&](const Alias &Alias) { return Alias.Root < Root; });
  for (auto It = First; It != Aliases.end() && It->Root == Root; ++It) {
    if (isFull())
      return;
    OS << "    alias " << format_hex(It->Address, 1) << ' ';
    printText(OS, R.Demangle ? readableName(It->Name) : It->Name);
    OS << '\n';
  }
}

/// Prints where the name of the function at \p Root is from if it is not where
/// the previous function's is from, and how far a name without a size reaches.
void Dumper::dumpOrigin(uint64_t Root, const RangeEntry &Range) {
  if (!Origins || !Range.Function)
    return;
  if (NameOrigin O = Origins->origin(Root); O != PrintedOrigin) {
    PrintedOrigin = O;
    OS << "    names from " << toString(O) << '\n';
  }
  NameReach Reach = Origins->reach(Root);
  if (Reach.Shown >= Range.Length)
    return;
  OS << "    name shown to reach " << format_hex(Range.VA + Reach.Shown, 1);
  if (Reach.Possible < Range.Length)
    OS << ", and not to reach " << format_hex(Range.VA + Reach.Possible, 1);
  OS << '\n';
}

/// Prints the functions that only unwind information has.
void Dumper::dumpUnnamedFunctions() {
  UnnamedFunctions Functions(A);
  if (!Functions.all().empty())
    OS << "Functions without a name:\n";
  for (const FunctionExtent &F : Functions.all()) {
    if (isFull())
      return;
    OS << "  " << format_hex(F.Begin, 1) << ".." << format_hex(F.End, 1)
       << '\n';
  }
  if (Error E = Functions.damage(A))
    OS << "  (" << toString(std::move(E)) << ")\n";
}

void Dumper::dumpCopies(uint64_t Root) {
  auto First =
      partition_point(Copies, [&](const auto &C) { return C.first < Root; });
  for (auto It = First; It != Copies.end() && It->first == Root; ++It) {
    if (isFull())
      return;
    OS << "    copy in unit " << It->second.Number << ' ';
    printString(It->second.Name);
    OS << '\n';
  }
}

void Dumper::dumpCalls(const RangeEntry &Range) {
  visitCalls(A, Range.VA, Range.VA + Range.Length, [&](const FunctionCall &C) {
    if (isFull())
      return;
    OS.indent(4) << format_hex(C.Address, 1)
                 << (C.isTail() ? " tail call " : " call ")
                 << (C.hasTarget() ? "by " : "of ");
    if (C.Callee)
      printString(C.Callee);
    else
      OS << "an unknown function";
    if (std::optional<uint64_t> Return = C.returnAddress())
      OS << " before " << format_hex(*Return, 1);
    if (C.isNested())
      OS << " nested";
    OS << '\n';
  });
}

void Dumper::dumpRange(uint64_t Index) {
  RangeEntry Range = A.range(Index);
  unsigned Indent = unsigned(std::min<uint64_t>(Range.Depth, 40)) * 2 + 2;
  if (R.Statements && Range.Depth == 0)
    printUnit(Index);
  OS.indent(Indent) << '[' << Index << "] " << format_hex(Range.VA, 1) << ".."
                    << format_hex(Range.VA + Range.Length, 1) << " depth "
                    << Range.Depth << ' ';
  printFunction(Range.Function);
  if (Range.File) {
    OS << " in ";
    printString(Range.File);
  }
  if (Range.CallFile || Range.CallLine) {
    OS << " called from ";
    printPlace(Range.CallFile, Range.CallLine, A.callColumn(Index));
  }
  std::optional<uint64_t> Entry = A.entry(Index);
  if (!Entry)
    OS << " entry unknown";
  else if (*Entry != Index)
    OS << " entry " << format_hex(A.range(*Entry).VA, 1);
  if (R.Statements)
    printDeclaration(Range);
  OS << '\n';
  if (R.Rows)
    dumpRows(Range, Indent + 4);
  if (R.Statements && Range.Depth == 0)
    dumpStatements(Index, Indent + 4);
  if (R.Statements && Range.Depth == 0) {
    dumpOrigin(Index, Range);
    dumpAliases(Index);
    dumpCopies(Index);
    dumpCalls(Range);
  }
}

/// Prints only the ranges of the function at R.Address.
void Dumper::findFunction() {
  SmallVector<Frame, 8> Frames;
  A.lookup(*R.Address, Frames);
  First = End = 0;
  if (Frames.empty())
    return;
  First = Frames.back().Range;
  End = First + 1;
  while (End < A.rangeCount() && A.range(End).Depth != 0)
    ++End;
}

/// Prints the heading \p What; returns whether there are ranges to print.
bool Dumper::hasRanges(StringRef What) {
  OS << What << ':';
  if (R.Address && First == End) {
    OS << " none at " << format_hex(*R.Address, 1) << '\n';
    return false;
  }
  OS << '\n';
  return true;
}

void Dumper::dumpRanges() {
  if (!hasRanges("Ranges"))
    return;
  if (R.Statements) {
    readCopies();
    readAliases();
    if (A.extensionSection(format::ET_NameOrigins))
      Origins.emplace(A);
  }
  for (uint64_t I = First; I < std::min(End, A.rangeCount()) && !isFull(); ++I)
    dumpRange(I);
  if (R.Statements && !R.Address)
    dumpUnnamedFunctions();
}

//===----------------------------------------------------------------------===//
// Functions and files
//===----------------------------------------------------------------------===//

void Dumper::dumpFunctions() {
  if (!hasRanges("Functions"))
    return;
  A.forEachFunction(
      [&](const ListedFunction &F) {
        if (isFull())
          return;
        OS << "  ";
        ListSeparator Comma(",");
        for (uint64_t Entry : F.Entries)
          OS << Comma << format_hex(Entry, 1);
        OS << (F.Entries.empty() ? "- " : " ");
        printFunction(F.Name);
        if (F.File) {
          OS << " in ";
          printString(F.File);
        }
        if (F.InlinedRanges)
          OS << ", inlined ranges: " << F.InlinedRanges;
        OS << '\n';
      },
      First, End);
}

void Dumper::dumpFiles() {
  if (!hasRanges("Files"))
    return;
  A.forEachFile(
      [&](StringOffset File) {
        if (isFull())
          return;
        OS << "  ";
        printString(File);
        OS << '\n';
      },
      First, End);
}

//===----------------------------------------------------------------------===//
// Strings
//===----------------------------------------------------------------------===//

void Dumper::dumpStrings() {
  OS << "Strings:\n";
  uint64_t Size = A.header().Strings.Size;
  bool Prefixed = A.stringForm() == format::StringForm::Prefixed;
  uint64_t Ends = Prefixed ? 4 : 1;
  for (uint64_t Offset = 0; Offset < Size;) {
    StringRef Text = A.string(Offset);
    OS << "  " << format_hex(Offset, 1) << ": \"";
    printText(OS, Text);
    OS << "\"\n";
    Offset += Text.size() + Ends;
  }
}

//===----------------------------------------------------------------------===//
// Return pads
//===----------------------------------------------------------------------===//

/// Visits return pads whose calls are in the ranges to print.
void Dumper::visitReturnPads(function_ref<void(const ReturnPad &)> Visit) {
  A.forEachReturnPad([&](const ReturnPad &Pad) {
    bool IsWanted =
        !R.Address || (Pad.Range && *Pad.Range >= First && *Pad.Range < End);
    if (IsWanted && !isFull())
      Visit(Pad);
  });
}

void Dumper::dumpReturnPads() {
  if (A.returnPadCount() == 0) {
    OS << "Return pads: none\n";
    return;
  }
  if (!hasRanges("Return pads"))
    return;
  SmallVector<Frame, 8> Frames;
  visitReturnPads([&](const ReturnPad &Pad) {
    OS << "  " << format_hex(Pad.Address, 1) << '\n';
    A.lookupReturn(Pad.Address, Frames);
    for (const Frame &F : Frames) {
      if (isFull())
        return;
      OS << "    ";
      printFunction(F.Function);
      OS << " at ";
      printPlace(F.File, F.Line, F.Column);
      OS << '\n';
    }
  });
}

/// If rows are damaged, prints those before the damage.
void Dumper::dumpUnwindRows() {
  OS << "Unwind rows:\n";
  const UnwindMachine *Machine = nullptr;
  if (const ArchiveInfo *I = A.info())
    Machine = UnwindMachine::find(*I);
  auto Print = [&](const UnwindTable &Table, const UnwindRow &Row) {
    if (isFull() ||
        (R.Address && (*R.Address < Row.Begin || *R.Address >= Row.End)))
      return;
    OS << "  " << format_hex(Row.Begin, 1) << ".." << format_hex(Row.End, 1)
       << ' ';
    if (std::optional<UnwindRules> Rules = Table.rules(Row.Rules))
      printUnwindRules(OS, *Rules, Machine);
    else
      OS << "(rules " << Row.Rules << " are damaged)";
    OS << '\n';
  };
  Expected<UnwindTable> Table = A.unwindTable();
  Error E =
      Table
          ? Table->forEachRow([&](const UnwindRow &Row) { Print(*Table, Row); })
          : Table.takeError();
  if (E)
    OS << "  (" << toString(std::move(E)) << ")\n";
}

void Dumper::writeFrame(json::OStream &J, const Frame &F) {
  J.object([&] {
    J.attribute("function", json::fixUTF8(functionName(F.Function)));
    J.attribute("file", json::fixUTF8(A.string(F.File)));
    J.attribute("line", F.Line);
    J.attribute("column", F.Column);
  });
}

void Dumper::dumpReturnPadsAsJSON() {
  SmallVector<Frame, 8> Frames;
  visitReturnPads([&](const ReturnPad &Pad) {
    A.lookupReturn(Pad.Address, Frames);
    JSONEscaper Escaped(OS);
    json::OStream J(Escaped);
    J.object([&] {
      J.attribute("address", "0x" + utohexstr(Pad.Address, /*LowerCase=*/true));
      J.attributeArray("frames", [&] {
        for (const Frame &F : Frames)
          if (!isFull())
            writeFrame(J, F);
      });
    });
    J.flush();
    Escaped << '\n';
  });
}

Error lidia::printArchive(raw_ostream &OS, const Archive &A,
                          const ArchiveTextOptions &Options) {
  Dumper D(OS, A, Options);
  D.dump();
  if (D.isFull())
    return textLimitError(A.name() + ": its text");
  return Error::success();
}
