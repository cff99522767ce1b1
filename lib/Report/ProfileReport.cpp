//===- ProfileReport.cpp - The report of a profile ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lidia/Profile/SymbolizeFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lidia {

static StringRef outputFormat(ReportForm Form) {
  switch (Form) {
  case ReportForm::JSON:
    return "json";
  case ReportForm::Text:
  case ReportForm::Markdown:
  case ReportForm::DossierJSON:
    return "text";
  default:
    return "html";
  }
}

static void note(const ProfileStatistics &Statistics, Report &R) {
  R.Addresses = Statistics.Locations;
  R.WithLines = Statistics.WithLines;
  R.Known = Statistics.LeftAlone;
  R.WithNames = Statistics.WithNames;
  for (const UnopenedModule &M : Statistics.Unopened) {
    object::BuildID Parsed = object::parseBuildID(M.BuildID);
    R.Missing.push_back({M.Name, {Parsed.begin(), Parsed.end()}, M.Reason});
  }
}

Error reportProfile(ReportInput &In, Report &R, std::string *Text) {
  const ReportOptions &O = In.Options;
  ProfileFileOptions Options;
  Options.Formats.Output = findProfileFormat(outputFormat(O.Form));
  Options.Formats.TailCalls = O.TailCalls;
  Options.Symbolizer.Symbolizer.Rust = OlderRust::Plain;
  Options.Symbolizer.Symbolizer.Text = TextForm::UTF8;
  Options.Title = O.Title;
  Options.Sources = O.Sources;
  Options.Packed = false;
  ProfileStatistics Statistics;
  Expected<ProfileFile> File = symbolizeProfileFile(
      std::move(In.Bytes), Options, In.Modules, In.Warn, Statistics);
  if (!File)
    return File.takeError();
  R.Format = File->Format->Name.str();
  note(Statistics, R);
  if (O.Answers)
    *O.Answers = Statistics.Answers;
  std::string Written;
  BoundedStream OS(Written, O.MaxSize);
  if (Error E = writeProfileFile(*File, Options, In.Warn, OS))
    return E;
  if (Error E = OS.finish())
    return E;
  if (Text) {
    *Text = std::move(Written);
    return Error::success();
  }
  if (O.Form == ReportForm::DossierJSON) {
    raw_string_ostream(R.Value) << json::Value(json::fixUTF8(Written));
    return Error::success();
  }
  if (O.Form == ReportForm::JSON) {
    R.Field = "profile";
    R.Value = std::move(Written);
    return Error::success();
  }
  R.Field = "page";
  raw_string_ostream(R.Value) << json::Value(std::move(Written));
  return Error::success();
}

} // namespace lidia
