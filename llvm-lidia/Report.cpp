//===- Report.cpp - llvm-lidia report: one input as a page ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Report/Report.h"
#include "CacheOptions.h"
#include "ContentOptions.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "SourceURLOptions.h"
#include "StoreOptions.h"
#include "WholeInput.h"
#include "lidia/Archive/OutputFile.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct ReportRequest {
  std::string Input;
  std::string Output;
  lidia::ReportOptions Report;
  lidia::ModuleArchivesOptions Archives;
  lidia::CacheOptions Cache;
  bool Quiet = false;
};
} // namespace

namespace lidia {

/// The form that the extension of \p Path selects.
static ReportForm formOf(StringRef Path) {
  if (Path.ends_with(".json"))
    return ReportForm::JSON;
  return Path == "-" || Path.ends_with(".txt") ? ReportForm::Text
                                               : ReportForm::Page;
}

static ReportRequest readReportRequest(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  std::vector<std::string> Operands = Line.operands();
  ReportRequest R;
  if (Operands.size() != 1)
    Line.fail("expected one file: a log, a profile, a minidump or a core");
  else
    R.Input = Operands.front();
  R.Output = Args.getLastArgValue(OPT_output_EQ, "-").str();
  R.Quiet = Args.hasArg(OPT_quiet);
  ReportOptions &O = R.Report;
  O.Form = formOf(R.Output);
  O.Title = R.Input == "-" ? "" : sys::path::filename(R.Input).str();
  O.Folders = Args.getAllArgValues(OPT_modules_from_EQ);
  O.Root = Args.getLastArgValue(OPT_sysroot_EQ).str();
  O.FindBuildID = debugIDsOfStore(Line);
  O.Sources = readSourceURLs(Line);
  O.MaxSize = uint64_t(1) << 30;
  ConvertOptions &C = R.Archives.Conversion;
  readModuleSourceOptions(Line, C);
  findDebugFilesIn(O.Folders, C.Search);
  keepAllForLookup(C);
  R.Archives.Columns = true;
  readStoreOfModules(Line, R.Archives);
  R.Archives.Open = readOpenOptions(Line);
  // In a folder with files from elsewhere, a link beside a file could lead out
  // of the folder.
  R.Archives.Beside = O.Root == "/" || (O.Root.empty() && O.Folders.empty());
  searchSystem(O.Root, C);
  R.Cache = readCacheOptions(Line);
  return R;
}

Error runReport(CommandLine &Line) {
  ReportRequest R = readReportRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  R.Report.FindSymbolFile =
      symbolFileSource(R.Archives.Conversion.Search, Observer);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<std::unique_ptr<MemoryBuffer>> Input = readWholeInput(R.Input);
  if (!Input)
    return Input.takeError();
  CommandCache C(R.Cache, Observer);
  ModuleArchives Archives(C, R.Archives, Observer);
  auto Write = [&](raw_ostream &OS) {
    return writeReport(std::move(*Input), R.Report, Archives, Warn, OS);
  };
  OutputFileOptions Options;
  Options.RemoveOnSignals = true;
  if (Error E = writeOutputFile(R.Output, Write, Options))
    return E;
  return Archives.damage();
}

} // namespace lidia
