//===- Dump.cpp - llvm-lidia dump: an archive as text ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Symbolize/ArchiveText.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::opt;

#define LIDIA_OPTIONS "DumpOpts.inc"
#include "OptionTable.inc"

namespace {
/// What the command line asked for.
struct Request {
  std::string Archive;
  lidia::ArchiveTextOptions Text;
};
} // namespace

namespace lidia {

static constexpr CommandInfo Info = {
    "dump",
    "[options] <archive>",
    "Prints what an archive holds. Without a choice: everything but the "
    "strings\ntable and the return pads.",
    "",
    OPT_INPUT,
    OPT_UNKNOWN,
    OPT_help,
    OPT_version};

static void readReturnPads(CommandLine &Line, ArchiveTextOptions &R) {
  const opt::Arg *A =
      Line.args().getLastArg(OPT_return_pads, OPT_return_pads_EQ);
  if (!A)
    return;
  StringRef Format = A->getNumValues() ? A->getValue() : "text";
  R.ReturnPads = true;
  R.ReturnPadsAsJSON = Format == "json";
  if (!R.ReturnPadsAsJSON && Format != "text")
    Line.fail("--return-pads=: expected text or json, but got '" + Format +
              "'");
  if (R.ReturnPadsAsJSON && (R.Header || R.Extension || R.Ranges || R.Strings))
    Line.fail("--return-pads=json goes with no other choice");
}

static Request readRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  Request Result;
  ArchiveTextOptions &R = Result.Text;
  R.Header = Args.hasArg(OPT_header);
  R.Extension = Args.hasArg(OPT_extension);
  R.Rows = Args.hasArg(OPT_rows);
  R.Ranges = R.Rows || Args.hasArg(OPT_ranges);
  R.Strings = Args.hasArg(OPT_strings);
  R.Demangle = Args.hasArg(OPT_demangle);
  if (Args.hasArg(OPT_address_EQ))
    R.Address = Line.number(OPT_address_EQ, 0);
  if (R.Address && !R.Ranges)
    R.Ranges = R.Rows = true;
  readReturnPads(Line, R);
  if (!R.Header && !R.Extension && !R.Ranges && !R.Strings && !R.ReturnPads)
    R.Header = R.Extension = R.Ranges = R.Rows = true;
  std::vector<std::string> Operands = Line.operands();
  if (Operands.size() == 1)
    Result.Archive = Operands.front();
  else
    Line.fail(Operands.empty() ? "no archive given (see llvm-lidia dump --help)"
                               : "more than one archive given");
  return Result;
}

int dumpCommand(Arguments Args) {
  CommandOptTable Table;
  CommandLine Line(Table, Info, Args);
  if (Line.exitStatus())
    return *Line.exitStatus();
  Request R = readRequest(Line);
  if (Line.exitStatus())
    return *Line.exitStatus();
  Expected<Archive> A = Archive::open(R.Archive);
  if (!A) {
    reportError(A.takeError());
    return 1;
  }
  printArchive(outs(), *A, R.Text);
  return finishOutput(0);
}

} // namespace lidia
