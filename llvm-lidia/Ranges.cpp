//===- Ranges.cpp - llvm-lidia show ranges: sources' ranges ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extract/ConvertBinary.h"
#include "Options.h"
#include "Progress.h"
#include "Show.h"
#include "SourceOptions.h"
#include "lidia/Symbolize/Names.h"
#include "lidia/Symbolize/PrintableText.h"
#include "lidia/Symbolize/TextLimit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct RangesRequest {
  StringRef Binary;
  lidia::ConvertOptions Options;
  bool Rows = false;
  bool Demangle = false;
  bool Quiet = false;
};
} // namespace

namespace lidia {

static RangesRequest readRangesRequest(CommandLine &Line, StringRef Binary) {
  const opt::InputArgList &Args = Line.args();
  RangesRequest R;
  R.Rows = Args.hasArg(OPT_rows);
  R.Demangle = Args.hasArg(OPT_demangle);
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Options.Archive.Columns = Args.hasArg(OPT_columns);
  readSourceOptions(Line, R.Options);
  R.Binary = Binary;
  return R;
}

namespace {

/// Prints the ranges of one source.
class RangePrinter {
public:
  RangePrinter(raw_ostream &OS, const RangesRequest &R,
               const ConvertStatistics::Source &Source,
               const StringPool &Strings)
      : OS(OS), R(R), Source(Source.Name), Strings(Strings),
        End(OS.tell() + maxTextOfFile(Source.FileSize)) {}

  void print(const RangeTrees &F);

  /// Whether the output has reached its limit.
  bool isFull() const { return OS.tell() > End; }

private:
  void printRange(const Range &Range, uint64_t Entry);
  void printString(StringRef Text);
  void printPlace(StringID File, uint32_t Line, uint32_t Column);

  raw_ostream &OS;
  const RangesRequest &R;
  StringRef Source;
  const StringPool &Strings;
  const uint64_t End;
};

} // namespace

void RangePrinter::printString(StringRef Text) {
  printText(OS, Text.empty() ? "??" : Text);
}

void RangePrinter::printPlace(StringID File, uint32_t Line, uint32_t Column) {
  printString(Strings[File]);
  OS << ':' << Line;
  if (Column)
    OS << ':' << Column;
}

void RangePrinter::printRange(const Range &Range, uint64_t Entry) {
  OS << Source << ' ' << format_hex(Range.Start, 1) << ".."
     << format_hex(Range.End, 1) << " depth " << Range.Depth << ' ';
  StringRef Name = Strings[Range.Name];
  printString(R.Demangle ? readableName(Name) : Name.str());
  if (Range.File) {
    OS << " in ";
    printString(Strings[Range.File]);
  }
  if (Range.CallFile || Range.CallLine) {
    OS << " called from ";
    printPlace(Range.CallFile, Range.CallLine, Range.CallColumn);
  }
  if (Entry != Range.Start)
    OS << " entry " << format_hex(Entry, 1);
  OS << '\n';
}

void RangePrinter::print(const RangeTrees &F) {
  for (size_t I = 0; I < F.Ranges.size() && !isFull(); ++I) {
    const Range &Range = F.Ranges[I];
    printRange(Range, F.entry(I));
    if (!R.Rows)
      continue;
    for (const Row &Row : F.rows(Range)) {
      if (isFull())
        return;
      OS << "  +" << format_hex(Row.Offset, 1) << ' ';
      printPlace(Row.File, Row.Line, Row.Column);
      OS << '\n';
    }
  }
}

static Error printRanges(const RangesRequest &R) {
  Progress Observer(R.Quiet);
  Error Full = Error::success();
  auto Print = [&](const ConvertStatistics::Source &Source,
                   const SourceRanges &Ranges, const StringPool &Strings) {
    RangePrinter Printer(outs(), R, Source, Strings);
    for (const UnitRanges &Unit : Ranges.Units) {
      Printer.print(Unit.Functions);
      // Code with lines but without a function.
      Printer.print(Unit.LineOnly);
    }
    if (Printer.isFull())
      Full = joinErrors(
          std::move(Full),
          textLimitError(Source.File + ": the text of " + Source.Name));
  };
  if (Error E = readSources(R.Binary, R.Options, Observer, Print))
    return joinErrors(std::move(E), std::move(Full));
  return Full;
}

Error showRanges(CommandLine &Line, StringRef Binary) {
  RangesRequest R = readRangesRequest(Line, Binary);
  if (Error E = Line.takeErrors())
    return E;
  return printRanges(R);
}

} // namespace lidia
