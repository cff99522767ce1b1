//===- PrinterFuzzer.cpp - Frames as text, from our printer and LLVM's ----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// FramePrinter's output is identical to that of LLVM's printers and has no
/// control characters. JSON output is valid JSON. The last two bytes of the
/// input are options.
///
//===----------------------------------------------------------------------===//

#include "ArchiveInput.h"
#include "lidia/Symbolize/FramePrinter.h"
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

static void comparePrinters(const Archive &A, const SymbolizerOptions &Options,
                            uint8_t Bits) {
  Symbolizer Ours(A, Options), Theirs(A, Options);
  symbolize::PrinterConfig Config = {};
  Config.PrintAddress = Bits & 1;
  Config.Pretty = Bits & 2;
  Config.PrintFunctions = Options.Functions != DINameKind::None;
  bool GNU = Bits & 4;
  LimitedStream Mine(MaxOutput), Reference(MaxOutput);
  FramePrinter Fast(
      Mine, Ours,
      {GNU, Config.PrintFunctions, Config.PrintAddress, Config.Pretty});
  auto IgnoreError = [](const ErrorInfoBase &, StringRef) {};
  symbolize::LLVMPrinter LLVM(Reference, IgnoreError, Config);
  symbolize::GNUPrinter Addr2Line(Reference, IgnoreError, Config);
  symbolize::DIPrinter *Printer =
      GNU ? static_cast<symbolize::DIPrinter *>(&Addr2Line) : &LLVM;
  for (uint64_t Address : addressesToAsk(A)) {
    Fast.print(Address, Ours.frames(Address));
    Printer->print({"module", Address, StringRef()},
                   Theirs.inlinedCode(Address));
  }
  check(Mine.text() == Reference.text(), "FramePrinter prints something else");
  // Otherwise a name could send control sequences to the terminal.
  check(Mine.text().find_if([](uint8_t C) {
    return (C < 0x20 && C != '\n') || C == 0x7f;
  }) == StringRef::npos,
        "a control character is printed");
}

static void checkJSON(const Archive &A, SymbolizerOptions Options,
                      uint8_t Bits) {
  Options.Text = TextForm::UTF8;
  Symbolizer S(A, Options);
  symbolize::PrinterConfig Config = {};
  Config.Pretty = Bits & 2;
  for (uint64_t Address : addressesToAsk(A)) {
    LimitedStream OS(MaxOutput);
    symbolize::JSONPrinter Printer(OS, Config);
    if (Bits & 1)
      Printer.print({"module", Address, StringRef()}, S.symbol(Address));
    else
      Printer.print({"module", Address, StringRef()}, S.inlinedCode(Address));
    Expected<json::Value> Parsed = json::parse(OS.text());
    if (!Parsed)
      report_fatal_error(Parsed.takeError());
  }
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
  if (PrinterBits & 8)
    checkJSON(*A, Options, PrinterBits);
  else
    comparePrinters(*A, Options, PrinterBits);
  Symbolizer S(*A, Options);
  for (uint64_t I = 0; I != std::min<uint64_t>(A->rangeCount(), 4); ++I)
    S.find(A->string(A->function(I)), I);
  return 0;
}
