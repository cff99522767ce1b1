//===- Report.cpp - llvm-lidia report: one input as a page ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Report/Report.h"
#include "CacheOptions.h"
#include "Instruction.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "SourceText.h"
#include "SourceURLOptions.h"
#include "WholeInput.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct ReportRequest {
  std::string Input;
  std::string Output;
  lidia::ReportOptions Report;
  lidia::SymbolSources Sources;
  lidia::CacheOptions Cache;
  lidia::SourcePath SourceFiles;
  /// Null unless debuginfod servers are asked.
  std::shared_ptr<lidia::DebuginfodClient> Servers;
  bool Quiet = false;
};
} // namespace

namespace lidia {

/// The form that the extension of \p Path selects.
static ReportForm formOf(StringRef Path) {
  if (Path.ends_with(".json"))
    return ReportForm::JSON;
  if (Path.ends_with(".md"))
    return ReportForm::Markdown;
  return Path == "-" || Path.ends_with(".txt") ? ReportForm::Text
                                               : ReportForm::Page;
}

static ReportForm readForm(CommandLine &Line, StringRef Format) {
  static constexpr std::pair<StringLiteral, ReportForm> Forms[] = {
      {"html", ReportForm::Page},
      {"json", ReportForm::JSON},
      {"text", ReportForm::Text},
      {"markdown", ReportForm::Markdown}};
  for (auto [Name, Form] : Forms)
    if (Name == Format)
      return Form;
  Line.fail("--format=: expected html, json, text or markdown, but got '" +
            Format + "'");
  return ReportForm::Text;
}

/// With a maximum size, JSON is that of a dossier.
static void readMaxSize(CommandLine &Line, ReportOptions &O) {
  // So much has an object that says that all is left out.
  constexpr uint64_t Least = 128;
  O.MaxDossier = Line.size(OPT_max_size_EQ, O.MaxDossier);
  if (O.MaxDossier < Least)
    Line.fail("--max-size=: expected at least " + Twine(Least));
  if (O.Form == ReportForm::JSON)
    O.Form = ReportForm::DossierJSON;
  if (!isDossier(O.Form))
    Line.fail("--max-size= needs --format=markdown or --format=json");
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
  if (Args.hasArg(OPT_format_EQ))
    O.Form = readForm(Line, Args.getLastArgValue(OPT_format_EQ));
  if (Args.hasArg(OPT_max_size_EQ))
    readMaxSize(Line, O);
  O.Title = R.Input == "-" ? "" : sys::path::filename(R.Input).str();
  O.TailCalls = !Args.hasArg(OPT_no_tail_calls);
  O.Sources = readSourceURLs(Line);
  O.MaxSize = uint64_t(1) << 30;
  for (const std::string &Rule : Args.getAllArgValues(OPT_source_path_EQ))
    if (Error E = R.SourceFiles.add(Rule))
      Line.fail("--source-path=: " + toString(std::move(E)));
  R.Sources = readSymbolSources(Line);
  R.Servers = serversOfSources(Line);
  R.Cache = readCacheOptions(Line);
  return R;
}

Error runReport(CommandLine &Line) {
  ReportRequest R = readReportRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  Progress Observer(R.Quiet);
  auto Warn = [&](const Twine &Message) { Observer.warning(Message); };
  Expected<std::unique_ptr<MemoryBuffer>> Input = readWholeInput(R.Input);
  if (!Input)
    return Input.takeError();
  CommandCache C(R.Cache, Observer);
  Expected<std::unique_ptr<ModuleResolver>> Modules =
      ModuleResolver::create(std::move(R.Sources), C, Observer);
  if (!Modules)
    return Modules.takeError();
  SourceText Source(ReportOptions::SourceLines,
                    R.Report.Form == ReportForm::Markdown ? TextForm::Printable
                                                          : TextForm::UTF8,
                    R.SourceFiles);
  Source.confine(R.Servers);
  R.Report.AddSource = [&](MutableArrayRef<SymbolizedFrame> Frames,
                           ArrayRef<uint8_t> BuildID) {
    Source.addTo(Frames, BuildID);
  };
  R.Report.Disassemble = disassembleApart;
  auto Write = [&](raw_ostream &OS) {
    return writeReport(std::move(*Input), R.Report, **Modules, Warn, OS);
  };
  OutputFileOptions Options;
  Options.RemoveOnSignals = true;
  if (Error E = writeOutputFile(R.Output, Write, Options))
    return E;
  return (*Modules)->archives().damage();
}

} // namespace lidia
