//===- Create.cpp - llvm-lidia <binary>: writes its archive ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentOptions.h"
#include "CreateMany.h"
#include "Options.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "Statistics.h"
#include "TransformOptions.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace {
enum class StatisticsFormat { None, Text, JSON };

/// The parsed command line.
struct CreateRequest {
  std::string Binary;
  std::string Output;
  lidia::ConvertOptions Options;
  /// The maps that Options.Transform uses and updates; may be null.
  std::shared_ptr<const lidia::TextMaps> Maps;
  StatisticsFormat Statistics = StatisticsFormat::None;
  bool Quiet = false;
  /// Whether there may be any number of binaries (CreateMany.h).
  bool IsMany = false;
};
} // namespace

namespace lidia {

static void readStatistics(CommandLine &Line, CreateRequest &R) {
  const opt::Arg *A = Line.args().getLastArg(OPT_statistics, OPT_statistics_EQ);
  if (!A)
    return;
  StringRef Format = A->getNumValues() ? A->getValue() : "text";
  R.Statistics = StringSwitch<StatisticsFormat>(Format)
                     .Case("text", StatisticsFormat::Text)
                     .Case("json", StatisticsFormat::JSON)
                     .Default(StatisticsFormat::None);
  if (R.Statistics == StatisticsFormat::None)
    Line.fail("--statistics=: expected text or json, but got '" + Format + "'");
}

static void readRequirement(CommandLine &Line, ConvertOptions &O) {
  O.WarnWithoutLines = true;
  const opt::Arg *A = Line.args().getLastArg(OPT_require_EQ);
  if (!A)
    return;
  StringRef What = A->getValue();
  if (What == "functions")
    O.Require = Requirement::Functions;
  else if (What == "lines" && O.Lines)
    O.Require = Requirement::Lines;
  else if (What == "lines")
    Line.fail("--require=lines conflicts with " +
              Line.args()
                  .getLastArg(OPT_no_lines, OPT_no_files, OPT_symbols_only)
                  ->getSpelling());
  else
    Line.fail("--require=: expected functions or lines, but got '" + What +
              "'");
}

static void readFiles(CommandLine &Line, CreateRequest &R) {
  if (Line.operands().size() > 1)
    return Line.fail("more than one binary given (name a folder for their "
                     "archives with --output-dir=)");
  R.Binary = Line.operand("binary");
  if (R.Binary == "-")
    R.Binary = "/dev/stdin";
  R.Output =
      Line.output(R.Binary, R.Options.Compress ? CompressedArchiveExtension
                                               : ArchiveExtension);
}

static void readCompression(CommandLine &Line, ConvertOptions &O) {
  if (!Line.args().hasArg(OPT_compress, OPT_compress_EQ))
    return;
  O.Compress.emplace();
  O.Compress->Level = readCompressionLevel(Line, OPT_compress_EQ);
  O.Compress->Threads = O.Threads;
}

static CreateRequest readCreateRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  CreateRequest R;
  ConvertOptions &O = R.Options;
  readContentOptions(Line, O);
  readSourceOptions(Line, O);
  R.Maps = readTransformOptions(Line, O);
  readRequirement(Line, O);
  readCompression(Line, O);
  O.Output.RemoveOnSignals = true;
  R.Quiet = Args.hasArg(OPT_quiet);
  readStatistics(Line, R);
  R.IsMany = isCreateMany(Line);
  if (!R.IsMany)
    readFiles(Line, R);
  return R;
}

static void print(const CreateRequest &R, const ConvertStatistics &Statistics) {
  // The archive itself may go to standard output.
  bool IsOutput = R.Output == "-" || ownDescriptor(R.Output) == STDOUT_FILENO;
  raw_ostream &OS = IsOutput ? errs() : outs();
  if (R.Statistics == StatisticsFormat::Text)
    printStatistics(OS, Statistics);
  else if (R.Statistics == StatisticsFormat::JSON)
    printStatisticsAsJSON(OS, Statistics);
}

Error runCreate(CommandLine &Line) {
  CreateRequest R = readCreateRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  if (R.IsMany)
    return createMany(Line, R.Options, R.Maps.get());
  auto Convert = [&R] {
    Progress Observer(R.Quiet);
    return convert(R.Binary, R.Output, R.Options, Observer);
  };
  Expected<ConvertStatistics> Statistics = Convert();
  if (!Statistics)
    return Statistics.takeError();
  warnOfUnused(R.Maps.get(), R.Quiet);
  print(R, *Statistics);
  return Error::success();
}

} // namespace lidia
