//===- ProfileReport.cpp - The report of a profile ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reports.h"
#include "lidia/Profile/ProfileFile.h"
#include "lidia/Profile/ProfileSymbolizer.h"
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
    return "text";
  default:
    return "html";
  }
}

static Expected<ProfileFile> readInput(ReportInput &In, ModuleFinder &Files) {
  ProfileReadOptions Options;
  Options.Output = findProfileFormat(outputFormat(In.Options.Form));
  Options.Root = In.Options.Root;
  Options.Files = &Files;
  Options.Archives = &In.Archives;
  Expected<ProfileFile> File =
      readProfile(std::move(In.Bytes), Options, In.Warn);
  if (File && !In.Options.Title.empty())
    File->Title = In.Options.Title;
  return File;
}

static void note(const ProfileFigures &Figures, StringRef Name,
                 WarningFunction Warn, Report &R) {
  R.Addresses = Figures.Locations;
  R.WithLines = Figures.WithLines;
  R.WithNames = Figures.WithNames;
  for (const UnopenedModule &M : Figures.Unopened) {
    object::BuildID Parsed = object::parseBuildID(M.BuildID);
    R.Missing.push_back({M.Name, {Parsed.begin(), Parsed.end()}, M.Reason});
  }
  for (const ComparedNames &M : Figures.Doubted)
    Warn(M.warning(Name));
}

Error reportProfile(ReportInput &In, Report &R, std::string *Text) {
  const ReportOptions &O = In.Options;
  Expected<ModuleFinder> Files =
      ModuleFinder::forProfile(O.Binaries, O.Folders, O.Root);
  if (!Files)
    return Files.takeError();
  Expected<ProfileFile> File = readInput(In, *Files);
  if (!File)
    return File.takeError();
  R.Format = File->Format->Name.str();
  ProfileSymbolizerOptions Symbolizer;
  Symbolizer.Symbolizer.Rust = OlderRust::Plain;
  Symbolizer.Symbolizer.Text = TextForm::UTF8;
  note(symbolizeProfile(File->profile(), *Files, In.Archives, Symbolizer),
       File->Name, In.Warn, R);
  File->Sources = O.Sources;
  std::string Written;
  BoundedStream OS(Written, O.MaxSize);
  if (Error E = writeProfile(*File, *findProfileFormat(outputFormat(O.Form)),
                             /*Packed=*/false, OS, In.Warn))
    return E;
  if (Error E = OS.finish())
    return E;
  if (Text) {
    *Text = std::move(Written);
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
