//===- ProfileText.cpp - Profiles as readable text ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "ProfileFormats.h"
#include "Support/StableSort.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <utility>

using namespace llvm;

namespace lidia {

std::string placeOf(const Profile &P, const Profile::Location &L) {
  StringRef File;
  if (L.Mapping != Profile::None)
    File = P.Strings[P.Mappings[L.Mapping].File];
  File.consume_back(" (deleted)");
  if (File.starts_with("[kernel.kallsyms]"))
    return "[kernel]";
  StringRef Name = sys::path::filename(File);
  if (Name.empty())
    return "[unknown]";
  return Name.starts_with("[") ? Name.str() : ("[" + Name + "]").str();
}

namespace {
class TextPrinter {
public:
  TextPrinter(const Profile &P, raw_ostream &OS) : P(P), OS(OS) {}

  void print(const MergedSample &M);

private:
  void printLabel(const Profile::Label &L);
  void printLine(const Profile::Location &L, const Profile::Line &Line,
                 bool IsInlined);
  void text(Profile::StringID ID) { printText(OS, P.Strings[ID]); }

  const Profile &P;
  raw_ostream &OS;
};
} // namespace

void TextPrinter::printLabel(const Profile::Label &L) {
  OS << "  ";
  text(L.Key);
  OS << '=';
  if (L.Text != 0) {
    text(L.Text);
    return;
  }
  OS << L.Number;
  if (L.Unit != 0) {
    OS << ' ';
    text(L.Unit);
  }
}

void TextPrinter::printLine(const Profile::Location &L,
                            const Profile::Line &Line, bool IsInlined) {
  Profile::Function F;
  if (Line.Function != Profile::None)
    F = P.Functions[Line.Function];
  OS << "    ";
  if (F.Name != 0)
    text(F.Name);
  else
    OS << "??";
  if (F.File == 0) {
    OS << " in ";
    printText(OS, placeOf(P, L));
  } else {
    OS << " at ";
    text(F.File);
    OS << ':' << Line.Number;
    if (Line.Column != 0)
      OS << ':' << Line.Column;
  }
  OS << (IsInlined ? " (inlined)\n" : "\n");
}

void TextPrinter::print(const MergedSample &M) {
  const Profile::Sample &S = P.Samples[M.First];
  bool IsFirst = true;
  for (size_t I = 0; I != M.Values.size(); ++I) {
    // Of several events, print only those that occurred.
    if (M.Values[I] == 0 && I != P.DefaultSampleType)
      continue;
    OS << (std::exchange(IsFirst, false) ? "" : ", ") << M.Values[I] << ' ';
    text(P.SampleTypes[I].Type);
    // Units such as "count" add no information.
    if (P.SampleTypes[I].Unit != 0 &&
        P.Strings[P.SampleTypes[I].Unit] != "count") {
      OS << ' ';
      text(P.SampleTypes[I].Unit);
    }
  }
  for (const Profile::Label &L : P.labels(S))
    printLabel(L);
  OS << '\n';
  for (uint32_t Index : P.stack(S)) {
    const Profile::Location &L = P.Locations[Index];
    ArrayRef<Profile::Line> Lines = P.lines(L);
    for (size_t I = 0; I != Lines.size(); ++I)
      printLine(L, Lines[I], I + 1 != Lines.size());
    if (Lines.empty()) {
      OS << "    " << format_hex(L.Address, 0) << " in ";
      printText(OS, placeOf(P, L));
      OS << '\n';
    }
  }
}

void printProfileText(const Profile &P, raw_ostream &OS) {
  std::vector<MergedSample> Samples = mergeSamples(P);
  if (!P.SampleTypes.empty())
    stableSort(Samples, [&](const MergedSample &M) {
      // Sort in descending order.
      return ~M.Values[P.DefaultSampleType];
    });
  TextPrinter Printer(P, OS);
  for (size_t I = 0; I != Samples.size(); ++I) {
    OS << (I ? "\n" : "");
    Printer.print(Samples[I]);
  }
}

void writeText(const ProfileFile &File, raw_ostream &OS, WarningFunction) {
  printProfileText(File.profile(), OS);
}

} // namespace lidia
