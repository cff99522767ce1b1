//===- PrinterFuzzer.cpp - Frames as text, from our printer and LLVM's ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The output of our printers is identical to that of LLVM's, in every style,
/// and text has no control characters. JSON in our own schema is valid JSON.
/// The last two bytes of the input are options.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "lidia/Output/AnswerPrinter.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/DebugInfo/Symbolize/DIPrinter.h"
#include "llvm/Support/JSON.h"

using namespace lidia;
using namespace llvm;

/// More than any answer for inputs of the fuzzer's size.
static constexpr uint64_t MaxOutput = 64 * 1024 * 1024;

static SymbolizerOptions symbolizerOptions(uint8_t Bits) {
  SymbolizerOptions Options;
  Options.Functions = Bits & 1   ? DINameKind::ShortName
                      : Bits & 2 ? DINameKind::None
                                 : DINameKind::LinkageName;
  Options.Paths = Bits & 4   ? SymbolizerOptions::PathKind::BaseNameOnly
                  : Bits & 8 ? SymbolizerOptions::PathKind::RelativeFilePath
                             : SymbolizerOptions::PathKind::AbsoluteFilePath;
  Options.Demangle = !(Bits & 16);
  Options.AdjustVMA = Bits & 32 ? 0x1000 : 0;
  Options.ReturnAddresses = Bits & 64;
  return Options;
}

//===----------------------------------------------------------------------===//
// LLVM's printers
//===----------------------------------------------------------------------===//

static std::string orBad(StringRef Text) {
  return Text.empty() ? DILineInfo::BadString : Text.str();
}

/// \p F in LLVM's terms. \p Source owns its source text: LLVM's printers count
/// lines from the beginning of a file.
static DILineInfo toLLVM(const SymbolizedFrame &F, uint32_t SourceLines,
                         std::string &Source) {
  DILineInfo Info;
  Info.FunctionName = orBad(F.Function);
  Info.FileName = orBad(F.File);
  Info.StartFileName = orBad(F.StartFile);
  Info.StartLine = F.StartLine;
  Info.StartAddress = F.StartAddress;
  Info.Line = F.Line;
  Info.Column = F.Column;
  Info.Discriminator = F.Discriminator;
  if (!F.SourceLines.empty())
    Source = std::string(firstSourceLine(F.Line, SourceLines) - 1, '\n') +
             F.SourceLines;
  // Without text, LLVM would open the file.
  if (SourceLines)
    Info.Source = Source;
  return Info;
}

/// Lines of source, as llvm-lidia adds them: as many as were asked for, or less
/// at the end of a file.
static void addSource(SymbolizedFrame &F, uint32_t Count) {
  constexpr uint32_t HighestLine = 4096;
  if (F.File.empty() || F.Line > HighestLine)
    return;
  for (uint32_t I = 0; I != Count - F.Column % 2; ++I)
    F.SourceLines += std::string(I % 3, 'x') + (I % 5 ? "\n" : "\r\n");
}

namespace {
/// A printer of ours and LLVM's.
struct Printers {
  Printers(bool IsJSON, const FramePrinterOptions &Options)
      : Options(Options),
        Config{Options.Address, Options.Functions, Options.Pretty,
               Options.Verbose, int(Options.SourceLines)} {
    auto IgnoreError = [](const ErrorInfoBase &, StringRef) {};
    if (IsJSON) {
      JSONPrinterOptions JSON;
      JSON.Pretty = Options.Pretty;
      JSON.SourceLines = Options.SourceLines;
      Ours = makeJSONPrinter(Mine, JSON);
      Theirs = std::make_unique<symbolize::JSONPrinter>(Escaper, Config);
      return;
    }
    Ours = makeTextPrinter(Mine, Options);
    if (Options.GNU)
      Theirs = std::make_unique<symbolize::GNUPrinter>(Reference, IgnoreError,
                                                       Config);
    else
      Theirs = std::make_unique<symbolize::LLVMPrinter>(Reference, IgnoreError,
                                                        Config);
  }

  void compare() {
    Escaper.flush();
    if (Mine.text() == Reference.text())
      return;
    errs() << "Ours:\n" << Mine.text() << "LLVM's:\n" << Reference.text();
    check(false, "our printer prints something else");
  }

  const FramePrinterOptions Options;
  symbolize::PrinterConfig Config;
  LimitedStream Mine{MaxOutput}, Reference{MaxOutput};
  JSONEscaper Escaper{Reference};
  std::unique_ptr<AnswerPrinter> Ours;
  std::unique_ptr<symbolize::DIPrinter> Theirs;
};
} // namespace

/// Prints the answers about \p Address with both.
static void printBoth(Printers &P, Symbolizer &S, uint64_t Address) {
  AskedQuestion Asked = {"module", Address, StringRef()};
  symbolize::Request Request = {"module", Address, StringRef()};
  std::vector<SymbolizedFrame> Frames = S.symbolize(Address);
  std::vector<std::string> Sources(Frames.size() + 1);
  DIInliningInfo Chain;
  std::vector<DILineInfo> Places;
  for (auto [F, Source] : zip(Frames, Sources)) {
    if (P.Options.SourceLines)
      addSource(F, P.Options.SourceLines);
    Places.push_back(toLLVM(F, P.Options.SourceLines, Source));
    Chain.addFrame(Places.back());
  }
  if (Frames.empty())
    Chain.addFrame(toLLVM({}, P.Options.SourceLines, Sources.back()));
  P.Ours->printFrames(Asked, Frames);
  P.Theirs->print(Request, Chain);
  P.Ours->printPlaces(Asked, Frames);
  P.Theirs->print(Request, Places);
  SymbolizedSymbol Symbol = S.symbol(Address);
  DIGlobal Global;
  Global.Name = orBad(Symbol.Name);
  Global.Start = Symbol.Start;
  Global.Size = Symbol.Size;
  P.Ours->printSymbol(Asked, Symbol);
  P.Theirs->print(Request, Global);
  P.Ours->printVariables(Asked, {});
  P.Theirs->print(Request, std::vector<DILocal>());
  P.compare();
}

static void comparePrinters(const Archive &A, SymbolizerOptions Options,
                            uint8_t Bits) {
  bool IsJSON = Bits & 8;
  if (IsJSON)
    Options.Text = TextForm::UTF8;
  FramePrinterOptions Print;
  Print.Address = Bits & 1;
  Print.Pretty = Bits & 2;
  Print.GNU = Bits & 4;
  Print.Verbose = Bits & 16;
  Print.SourceLines = Bits >> 5;
  Print.Functions = Options.Functions != DINameKind::None;
  Symbolizer S(A, Options);
  Printers P(IsJSON, Print);
  for (uint64_t Address : addressesToAsk(A))
    printBoth(P, S, Address);
  // Otherwise a name could send control sequences to the terminal.
  check(P.Mine.text().find_if([](uint8_t C) {
    return (C < 0x20 && C != '\n') || C == 0x7f;
  }) == StringRef::npos,
        "a control character is printed");
}

/// What is printed without copies is what is printed with them.
static void compareFast(const Archive &A, const SymbolizerOptions &Options,
                        uint8_t Bits) {
  FramePrinterOptions Print;
  Print.Address = Bits & 1;
  Print.Pretty = Bits & 2;
  Print.GNU = Bits & 4;
  Print.Functions = Options.Functions != DINameKind::None;
  Symbolizer S(A, Options), Other(A, Options);
  LimitedStream Mine(MaxOutput), Reference(MaxOutput);
  FramePrinter Fast(Mine, Print), Slow(Reference, Print);
  for (uint64_t Address : addressesToAsk(A)) {
    Fast.print(S, Address, S.frames(Address));
    Slow.print(Address, Other.symbolize(Address), /*AreCalls=*/true);
  }
  check(Mine.text() == Reference.text(), "fast printing prints something else");
}

static void checkOwnSchema(const Archive &A, SymbolizerOptions Options) {
  Options.Text = TextForm::UTF8;
  Symbolizer S(A, Options);
  JSONPrinterOptions JSON;
  JSON.Schema = JSONSchema::Own;
  JSON.AsList = true;
  LimitedStream OS(MaxOutput);
  std::unique_ptr<AnswerPrinter> Printer = makeJSONPrinter(OS, JSON);
  for (uint64_t Address : addressesToAsk(A)) {
    Printer->printFrames({"module", Address, StringRef()},
                         S.symbolize(Address));
    Printer->printSymbol({"module", Address, StringRef()}, S.symbol(Address));
  }
  Printer->finish();
  if (Expected<json::Value> Parsed = json::parse(OS.text()); !Parsed)
    report_fatal_error(Parsed.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Input(reinterpret_cast<const char *>(Data), Size);
  uint8_t PrinterBits = takeLastByte(Input);
  SymbolizerOptions Options = symbolizerOptions(takeLastByte(Input));
  std::optional<Archive> A = archiveFromInput(Input);
  if (!A)
    return 0;
  // LLVM's printers treat this name as missing.
  if (Input.contains(DILineInfo::BadString))
    return 0;
  comparePrinters(*A, Options, PrinterBits);
  compareFast(*A, Options, PrinterBits);
  checkOwnSchema(*A, Options);
  Symbolizer S(*A, Options);
  for (uint64_t I = 0; I != std::min<uint64_t>(A->rangeCount(), 4); ++I)
    S.find(A->string(A->function(I)), I);
  return 0;
}
