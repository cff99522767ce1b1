//===- Export.cpp - llvm-lidia export: archives in other terms ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "lidia/Archive/OutputFile.h"
#include "lidia/Export/DWARFExport.h"

using namespace llvm;
using namespace llvm::opt;

#define LIDIA_OPTIONS "ExportOpts.inc"
#include "OptionTable.inc"

namespace {
/// What the command line asked for.
struct Request {
  std::string Archive;
  std::string Output;
};
} // namespace

namespace lidia {

static constexpr CommandInfo Info = {
    "export",
    "[options] <archive>",
    "Writes an archive as an ELF file with DWARF, for debuggers and tools that "
    "do not\nknow archives: functions, inlined calls and lines, no types and "
    "no "
    "variables.",
    "",
    OPT_INPUT,
    OPT_UNKNOWN,
    OPT_help,
    OPT_version};

static Request readRequest(CommandLine &Line) {
  Request R;
  StringRef Format = Line.args().getLastArgValue(OPT_format_EQ, "dwarf");
  if (Format != "dwarf")
    Line.fail("unknown format '" + Format + "': it can be dwarf");
  std::vector<std::string> Operands = Line.operands();
  if (Operands.size() == 1)
    R.Archive = Operands.front();
  else
    Line.fail(Operands.empty()
                  ? "no archive given (see llvm-lidia export --help)"
                  : "more than one archive given");
  R.Output = Line.args().getLastArgValue(OPT_output_EQ).str();
  if (R.Output.empty())
    R.Output = R.Archive + ".debug";
  return R;
}

static Error exportArchive(const Request &R) {
  Expected<Archive> A = Archive::open(R.Archive);
  if (!A)
    return A.takeError();
  return writeOutputFile(R.Output,
                         [&](raw_ostream &OS) { return exportDWARF(*A, OS); });
}

int exportCommand(Arguments Args) {
  CommandOptTable Table;
  CommandLine Line(Table, Info, Args);
  if (Line.exitStatus())
    return *Line.exitStatus();
  Request R = readRequest(Line);
  if (Line.exitStatus())
    return *Line.exitStatus();
  if (Error E = exportArchive(R)) {
    reportError(std::move(E));
    return 1;
  }
  return finishOutput(0);
}

} // namespace lidia
