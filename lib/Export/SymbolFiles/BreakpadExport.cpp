//===- BreakpadExport.cpp - From an archive to a Breakpad symbol file -----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BreakpadCFI.h"
#include "ModuleID.h"
#include "Object/MachineNames.h"
#include "lidia/Archive/ExportLimits.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Export/SymbolFiles.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

namespace {

/// Strings of an archive with the numbers that they get in the output, in the
/// order of the archive's strings.
class NumberedStrings {
public:
  void add(StringOffset S) { Offsets.push_back(S); }
  void close() {
    llvm::sort(Offsets);
    Offsets.erase(llvm::unique(Offsets), Offsets.end());
  }
  ArrayRef<StringOffset> strings() const { return Offsets; }
  /// \p S must have been added.
  uint64_t number(StringOffset S) const {
    return llvm::lower_bound(Offsets, S) - Offsets.begin();
  }

private:
  std::vector<StringOffset> Offsets;
};

class BreakpadWriter {
public:
  BreakpadWriter(const Archive &A, const ExportedModule &Module,
                 raw_ostream &OS, LossReport Report)
      : A(A), Module(Module), OS(OS), Report(Report), Limits(A),
        TextLeft(Limits.text()) {}

  Error run();

private:
  void writeModule();
  void collectStrings();
  void writeStrings();
  void writeFunction(uint64_t Root);
  void writeCalls(uint64_t Root);
  void writeCall(const InlinedCall &Call, unsigned Level);
  void writeLine(const FunctionLine &Line, uint64_t End);
  void writeText(StringRef Text);
  raw_ostream &writeCode(raw_ostream &To, uint64_t Start, uint64_t End) const {
    To.write_hex(Start - Module.ImageBase) << ' ';
    return To.write_hex(End - Start);
  }

  const Archive &A;
  const ExportedModule &Module;
  raw_ostream &OS;
  LossReport Report;
  NumberedStrings Files;
  NumberedStrings Origins;
  const ExportLimits Limits;
  /// How many more bytes of text may be written.
  uint64_t TextLeft;
  uint64_t TextsChanged = 0;
  uint64_t FunctionsLeftOut = 0;
};

} // namespace

/// Writes \p Text, changed if necessary to fit on a line.
void BreakpadWriter::writeText(StringRef Text) {
  TextLeft -= std::min<uint64_t>(TextLeft, Text.size());
  if (Text.empty())
    OS << "<name omitted>";
  else if (Text.find_first_of(StringRef("\n\r\0", 3)) == StringRef::npos)
    OS << Text;
  else {
    ++TextsChanged;
    for (char C : Text)
      OS << (C == '\n' || C == '\r' || C == '\0' ? ' ' : C);
  }
}

/// Breakpad's name for the operating system of \p Info.
static StringRef system(const ArchiveInfo *Info) {
  switch (Info ? Info->Format : BinaryFormat::ELF) {
  case BinaryFormat::PE:
    return "windows";
  case BinaryFormat::MachO:
    return "mac";
  default:
    return "Linux";
  }
}

void BreakpadWriter::writeModule() {
  const ArchiveInfo *Info = A.info();
  ArrayRef<uint8_t> BuildID = buildIDOf(Info, Module);
  const MachineNames *Machine = machineOf(Info);
  DebugID ID = debugIDOf(Info, Module);
  OS << "MODULE " << system(Info) << ' '
     << (Machine ? Machine->Breakpad : "unknown") << ' ' << toHex(ID.UUID)
     << utohexstr(ID.Age) << ' ';
  writeText(Module.Name);
  OS << '\n';
  // The code ID of a PE file is its time and size, which archives do not have.
  // A Mach-O file has only the UUID.
  if (Info && !BuildID.empty() && Info->Format == BinaryFormat::ELF)
    OS << "INFO CODE_ID " << toHex(BuildID) << '\n';
}

/// Collects all files and functions that records refer to.
void BreakpadWriter::collectStrings() {
  for (uint64_t I = 0; I != A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    uint64_t Rows = A.plausibleRows(R);
    Files.add(R.File);
    for (uint64_t Row = 0; Row != Rows; ++Row)
      if (StringOffset File = A.row(R, Row).File; File != R.File)
        Files.add(File);
    if (R.Depth) {
      Files.add(R.CallFile);
      Origins.add(R.Function);
    }
  }
  Files.close();
  Origins.close();
}

void BreakpadWriter::writeStrings() {
  auto Write = [this](const char *Record, const NumberedStrings &S) {
    for (auto [Number, String] : enumerate(S.strings())) {
      // Readers treat a file without a record as unknown.
      if (&S == &Files && !String)
        continue;
      OS << Record << ' ' << Number << ' ';
      writeText(A.string(String));
      OS << '\n';
    }
  };
  Write("FILE", Files);
  Write("INLINE_ORIGIN", Origins);
}

void BreakpadWriter::writeCall(const InlinedCall &Call, unsigned Level) {
  if (Call.Code.empty())
    return;
  OS << "INLINE " << Level << ' ' << Call.CallLine << ' '
     << Files.number(Call.CallFile) << ' ' << Origins.number(Call.Function);
  for (const CallCode &C : Call.Code)
    writeCode(OS << ' ', C.Start, C.End);
  OS << '\n';
}

void BreakpadWriter::writeCalls(uint64_t Root) {
  std::vector<InlinedCall> Calls = inlinedCalls(A, Root);
  std::vector<unsigned> Levels(Calls.size());
  // Enclosing calls come first.
  for (auto [I, Call] : enumerate(Calls)) {
    if (Call.Parent != InlinedCall::None)
      Levels[I] = Levels[Call.Parent] + 1;
    writeCall(Call, Levels[I]);
  }
}

void BreakpadWriter::writeLine(const FunctionLine &Line, uint64_t End) {
  if (!Line.isUnknown())
    writeCode(OS, Line.Address, End)
        << ' ' << Line.Line << ' ' << Files.number(Line.File) << '\n';
}

void BreakpadWriter::writeFunction(uint64_t Root) {
  RangeEntry R = A.range(Root);
  if (R.VA < Module.ImageBase) {
    ++FunctionsLeftOut;
    return;
  }
  writeCode(OS << "FUNC ", R.VA, R.VA + R.Length) << " 0 ";
  writeText(A.string(R.Function));
  OS << '\n';
  writeCalls(Root);
  std::optional<FunctionLine> Last;
  visitFunctionLines(A, Root, [&](const FunctionLine &Line) {
    if (Last)
      writeLine(*Last, Line.Address);
    Last = Line;
  });
}

Error BreakpadWriter::run() {
  if (Error E = Limits.check())
    return E;
  writeModule();
  collectStrings();
  writeStrings();
  for (uint64_t Root = 0; Root != A.rangeCount(); Root = functionEnd(A, Root)) {
    writeFunction(Root);
    if (!TextLeft)
      return Limits.exceeded("bytes of names");
  }
  if (TextsChanged)
    Report(Twine(TextsChanged) +
           " names and paths have line breaks or NUL bytes, which became "
           "spaces");
  if (FunctionsLeftOut)
    Report(Twine(FunctionsLeftOut) +
           " functions are left out: they lie below the image");
  return writeBreakpadCFI(A, Module.ImageBase, OS, Report);
}

Error exportBreakpad(const Archive &A, const ExportedModule &Module,
                     raw_ostream &OS, LossReport Report) {
  return BreakpadWriter(A, Module, OS, Report).run();
}

} // namespace lidia
