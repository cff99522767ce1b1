//===- SymbolizeEndpoint.cpp - /v1/symbolize and the page -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POST /v1/symbolize takes a log, profile, minidump or core, and detects which
// it is from the contents. The answer is JSON, or the format that Accept or
// ?output= requests: "json", "text", "html" (a page; for a profile, its flame
// graph) or "page-data" (for the page of GET /). ?name= is the file's name, for
// titles; ?module=NAME=ID assigns a build ID to a module for which a log has
// none.
//
// With ServerOptions::KeepReports an answer for the page is also kept in the
// cache, under its hash, which the header X-Lidia-Report names; GET
// /v1/reports/HASH sends it again, for a day.
//
//===----------------------------------------------------------------------===//

#include "AskedArchives.h"
#include "lidia/Report/Page.h"
#include "lidia/Report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace lidia {

Answer answerPage(Service &, const HTTPRequest &, PathParts) {
  HTTPResponse R;
  raw_string_ostream OS(R.Body);
  writePage("null", OS);
  OS.flush();
  R.ContentType = "text/html; charset=utf-8";
  // Remote stores request a range of any URL.
  R.ETag = utohexstr(xxh3_64bits(arrayRefFromStringRef(R.Body)));
  R.add("Content-Security-Policy",
        pagePolicy(/*MayConnect=*/true) + "; frame-ancestors 'none'");
  R.add("Referrer-Policy", "no-referrer");
  R.add("Cache-Control", "no-cache");
  return R;
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

/// The form for the media types in \p Accept, in our order of preference.
static ReportForm acceptedForm(StringRef Accept) {
  if (Accept.contains("application/json"))
    return ReportForm::JSON;
  if (Accept.contains("text/html"))
    return ReportForm::FlameGraph;
  return Accept.contains("text/plain") ? ReportForm::Text : ReportForm::JSON;
}

static Expected<ReportForm> readForm(const HTTPRequest &Request) {
  std::vector<std::string> Outputs = Request.parameters("output");
  if (Outputs.empty())
    return acceptedForm(Request.header("accept"));
  auto Form = StringSwitch<std::optional<ReportForm>>(Outputs.back())
                  .Case("json", ReportForm::JSON)
                  .Case("text", ReportForm::Text)
                  .Case("html", ReportForm::FlameGraph)
                  .Case("page-data", ReportForm::PageData)
                  .Default(std::nullopt);
  if (Form)
    return *Form;
  return make_error<ArgumentError>(
      "", "expected output=json, text, html or page-data");
}

static Expected<ReportOptions> readOptions(Service &S,
                                           const HTTPRequest &Request) {
  constexpr size_t LongestTitle = 1024;
  ReportOptions O;
  if (Error E = readForm(Request).moveInto(O.Form))
    return E;
  for (StringRef Name : Request.parameters("name"))
    O.Title = Name.take_front(LongestTitle).str();
  for (StringRef Pair : Request.parameters("module")) {
    auto [Name, ID] = Pair.rsplit('=');
    Expected<BuildIDBytes> BuildID = parseBuildID(ID);
    if (!BuildID)
      return BuildID.takeError();
    O.NamedModules[Name].assign(BuildID->begin(), BuildID->end());
  }
  O.IsStoreOnly = true;
  O.Sources = S.Options.Sources;
  O.MaxSize = S.Options.Limits.MaxAnswer;
  return O;
}

//===----------------------------------------------------------------------===//
// The answer
//===----------------------------------------------------------------------===//

static StringRef contentType(ReportForm Form, StringRef Body) {
  if (Form == ReportForm::Text)
    return "text/plain; charset=utf-8";
  return Body.starts_with("{") ? "application/json"
                               : "text/html; charset=utf-8";
}

Answer answerReport(Service &S, const HTTPRequest &, PathParts Parts) {
  std::optional<std::string> Path;
  if (S.Options.KeepReports)
    Path = S.Reports.find(Parts[0]);
  if (!Path)
    return HTTPResponse::error(
        404, "no such report: this server keeps " +
                 Twine(S.Options.KeepReports ? "them for a day" : "none"));
  Expected<std::shared_ptr<SentFile>> File = SentFile::open(*Path);
  if (!File)
    return File.takeError();
  HTTPResponse R = HTTPResponse::file(std::move(*File));
  R.ContentType = "application/json";
  return R;
}

Answer answerSymbolize(Service &S, const HTTPRequest &Request, PathParts) {
  Expected<ReportOptions> O = readOptions(S, Request);
  if (!O)
    return O.takeError();
  if (Request.Body.empty())
    return HTTPResponse::error(400,
                               "the body is empty: send the text to symbolize");
  AskedArchives Asked(S, Request);
  Expected<std::unique_ptr<ModuleResolver>> Modules = Asked.resolver();
  if (!Modules)
    return Modules.takeError();
  AnswerCounts Answers;
  O->Answers = &Answers;
  HTTPResponse R;
  raw_string_ostream OS(R.Body);
  std::unique_ptr<MemoryBuffer> Input = MemoryBuffer::getMemBuffer(
      Request.Body, "the body", /*RequiresNullTerminator=*/false);
  Error E =
      writeReport(std::move(Input), *O, **Modules, [](const Twine &) {}, OS);
  if (!Asked.Wishes.empty()) {
    consumeError(std::move(E));
    return make_error<MissingFilesError>(std::move(Asked.Wishes));
  }
  if (E)
    return HTTPResponse::ofInput(std::move(E));
  if (Asked.areTooMany())
    return HTTPResponse::error(413, "the body names more than " +
                                        Twine(AskedArchives::Max) +
                                        " modules: send a part of it");
  OS.flush();
  S.Statistics.count(Answers);
  R.ContentType = contentType(O->Form, R.Body).str();
  if (S.Options.KeepReports && O->Form == ReportForm::PageData)
    if (std::string Hash = S.Reports.keep(R.Body); !Hash.empty())
      R.add("X-Lidia-Report", Hash);
  // A page with a report contains its own policy.
  R.add("Content-Security-Policy",
        "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox");
  return R;
}

} // namespace lidia
