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
#include <cmath>
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
  TextPrinter(const Profile &P, raw_ostream &OS, bool RawUnits)
      : P(P), OS(OS), RawUnits(RawUnits) {}

  void print(const MergedSample &M);

private:
  void printLabel(const Profile::Label &L);
  void printLine(const Profile::Location &L, const Profile::Line &Line,
                 bool IsInlined);
  void text(Profile::StringID ID) { printText(OS, P.Strings[ID]); }

  const Profile &P;
  raw_ostream &OS;
  const bool RawUnits;
};
} // namespace

namespace {
struct Unit {
  StringLiteral Name;
  /// How many nanoseconds or bytes it is.
  double Factor;
  bool IsTime;
};
} // namespace

static const Unit *findUnit(StringRef Name) {
  static constexpr Unit Units[] = {
      {"nanoseconds", 1, true},    {"microseconds", 1e3, true},
      {"milliseconds", 1e6, true}, {"seconds", 1e9, true},
      {"bytes", 1, false},         {"kilobytes", 1e3, false},
      {"megabytes", 1e6, false}};
  const Unit *Its =
      find_if(Units, [&](const Unit &U) { return U.Name == Name; });
  return Its == std::end(Units) ? nullptr : Its;
}

std::string valueText(int64_t Value, StringRef Unit, bool Raw) {
  const auto *Its = findUnit(Unit);
  if (Raw || !Its)
    return itostr(Value);
  static constexpr StringLiteral Times[] = {"ns", "us", "ms", "s"};
  static constexpr StringLiteral Sizes[] = {"B", "kB", "MB", "GB", "TB"};
  ArrayRef<StringLiteral> Names = Sizes;
  if (Its->IsTime)
    Names = Times;
  double Scaled = double(Value) * Its->Factor;
  size_t I = 0;
  // 999.5 would be printed as 1000.
  for (; std::fabs(Scaled) >= 999.5 && I + 1 != Names.size(); ++I)
    Scaled /= 1000;
  double Size = std::fabs(Scaled);
  int Decimals = I == 0 ? 0 : Size < 9.995 ? 2 : Size < 99.95 ? 1 : 0;
  std::string Text;
  raw_string_ostream(Text) << llvm::format("%.*f ", Decimals, Scaled)
                           << Names[I];
  return Text;
}

std::string typedValueText(const Profile &P, const Profile::ValueType &T,
                           int64_t Value, bool Raw) {
  StringRef Unit = P.Strings[T.Unit];
  std::string Text =
      valueText(Value, Unit, Raw) + " " + escapeText(P.Strings[T.Type]);
  // Units such as "count" add no information.
  if (!Unit.empty() && Unit != "count" && (Raw || !findUnit(Unit)))
    Text += " " + escapeText(Unit);
  return Text;
}

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
    OS << (std::exchange(IsFirst, false) ? "" : ", ")
       << typedValueText(P, P.SampleTypes[I], M.Values[I], RawUnits);
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

void printProfileText(const Profile &P, raw_ostream &OS,
                      const ProfileView &View) {
  std::vector<MergedSample> Samples = mergeSamples(P);
  if (!P.SampleTypes.empty())
    stableSort(Samples, [&](const MergedSample &M) {
      // Sort in descending order.
      return ~M.Values[P.DefaultSampleType];
    });
  TextPrinter Printer(P, OS, View.RawUnits);
  size_t Count = Samples.size();
  if (View.Limit)
    Count = std::min<uint64_t>(Count, View.Limit);
  for (size_t I = 0; I != Count; ++I) {
    OS << (I ? "\n" : "");
    Printer.print(Samples[I]);
  }
  if (Count != Samples.size())
    OS << "\n... " << Samples.size() - Count << " more stacks (--limit=)\n";
}

void writeText(const ProfileFile &File, raw_ostream &OS, WarningFunction) {
  printProfileText(File.profile(), OS, File.View);
}

} // namespace lidia
