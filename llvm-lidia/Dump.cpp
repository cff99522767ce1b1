//===- Dump.cpp - llvm-lidia dump: an archive as text ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"
#include "Options.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Symbolize/ArchiveText.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct DumpRequest {
  std::string Archive;
  lidia::ArchiveTextOptions Text;
};
} // namespace

namespace lidia {

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
  if (R.ReturnPadsAsJSON && (R.Header || R.Extension || R.Ranges ||
                             R.Functions || R.Files || R.Strings))
    Line.fail("--return-pads=json cannot be combined with other choices");
}

static DumpRequest readDumpRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  DumpRequest Result;
  ArchiveTextOptions &R = Result.Text;
  R.Header = Args.hasArg(OPT_header);
  R.Extension = Args.hasArg(OPT_extension);
  R.Rows = Args.hasArg(OPT_rows);
  R.Statements = Args.hasArg(OPT_statements);
  R.Ranges = R.Rows || R.Statements || Args.hasArg(OPT_ranges);
  R.Functions = Args.hasArg(OPT_list_functions);
  R.Files = Args.hasArg(OPT_list_files);
  R.Strings = Args.hasArg(OPT_list_strings);
  R.Unwind = Args.hasArg(OPT_unwind);
  R.Demangle = Args.hasArg(OPT_demangle);
  if (Args.hasArg(OPT_address_EQ))
    R.Address = Line.number(OPT_address_EQ, 0);
  readReturnPads(Line, R);
  bool IsOfAddress =
      R.Ranges || R.Functions || R.Files || R.ReturnPads || R.Unwind;
  if (R.Address && !IsOfAddress)
    R.Ranges = R.Rows = true;
  else if (!IsOfAddress && !R.Header && !R.Extension && !R.Strings)
    R.Header = R.Extension = R.Ranges = R.Rows = true;
  Result.Archive = Line.operand("archive");
  return Result;
}

Error runDump(CommandLine &Line) {
  DumpRequest R = readDumpRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Expected<Archive> A = openGivenArchive(R.Archive);
  if (!A)
    return A.takeError();
  return printArchive(outs(), *A, R.Text);
}

} // namespace lidia
