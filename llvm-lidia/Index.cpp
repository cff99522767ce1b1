//===- Index.cpp - llvm-lidia index: names of DWARF for debuggers ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Progress.h"
#include "lidia/Index/DWARFIndex.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Threading.h"

using namespace llvm;

namespace {
struct IndexRequest {
  std::string Input;
  std::string Output;
  lidia::IndexOptions Options;
  bool Quiet = false;
  bool Statistics = false;
};
} // namespace

namespace lidia {

static IndexRequest readIndexRequest(CommandLine &Line) {
  IndexRequest R;
  const opt::InputArgList &Args = Line.args();
  R.Input = Line.operand("debug file");
  R.Options.Replace = Args.hasArg(OPT_replace);
  R.Options.Unpack = Args.hasArg(OPT_unpack);
  R.Options.AllUnits = Args.hasArg(OPT_all_units);
  R.Quiet = Args.hasArg(OPT_quiet);
  R.Statistics = Args.hasArg(OPT_statistics);
  uint64_t Threads =
      std::min<uint64_t>(Line.number(OPT_num_threads_EQ, 0), 256);
  R.Options.Threads = Threads ? unsigned(Threads)
                              : hardware_concurrency().compute_thread_count();
  if (!Args.hasArg(OPT_in_place))
    R.Output = Line.output(R.Input, ".indexed");
  else if (Args.hasArg(OPT_output_EQ))
    Line.fail("--in-place and --output cannot be combined");
  else
    R.Output = R.Input;
  return R;
}

static void print(const IndexRequest &R, const IndexStatistics &Counts) {
  outs() << R.Output << ": units: " << Counts.Units
         << ", left to the debugger: " << Counts.UnitsLeft
         << ", names: " << Counts.Names << ", entries: " << Counts.Entries
         << '\n';
}

Error runIndex(CommandLine &Line) {
  IndexRequest R = readIndexRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  LimitedWarnings Warnings(R.Quiet);
  Expected<std::unique_ptr<IndexedFile>> File = IndexedFile::read(
      R.Input, R.Options, [&](StringRef Message) { Warnings.print(Message); });
  if (!File)
    return File.takeError();
  Warnings.printRest(R.Input);
  OutputFileOptions Output;
  Output.RemoveOnSignals = true;
  if (ErrorOr<sys::fs::perms> Mode = sys::fs::getPermissions(R.Input))
    Output.Mode = *Mode & sys::fs::all_all;
  if (Error E = writeOutputFile(
          R.Output, [&](raw_ostream &OS) { return (*File)->write(OS); },
          Output))
    return E;
  if (R.Statistics)
    print(R, (*File)->counts());
  return Error::success();
}

} // namespace lidia
