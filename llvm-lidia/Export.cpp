//===- Export.cpp - llvm-lidia export: converts archives ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "lidia/Archive/OutputFile.h"
#include "lidia/Export/DWARFExport.h"
#include "lidia/Store/OpenArchive.h"

using namespace llvm;

namespace {
/// The parsed command line.
struct Request {
  std::string Archive;
  std::string Output;
  /// --binary; empty for none.
  std::string Binary;
};
} // namespace

namespace lidia {

static Request readRequest(CommandLine &Line) {
  Request R;
  StringRef Format = Line.args().getLastArgValue(OPT_format_EQ, "dwarf");
  if (Format != "dwarf")
    Line.fail("--format=: expected dwarf, but got '" + Format + "'");
  R.Archive = Line.operand("archive");
  R.Binary = Line.args().getLastArgValue(OPT_binary_EQ).str();
  R.Output = Line.output(R.Archive, ".debug");
  return R;
}

static Error exportArchive(const Request &R) {
  Expected<Archive> A = openArchiveAt(R.Archive);
  if (!A)
    return A.takeError();
  if (Error E = A->unpackAll())
    return E;
  DWARFExportOptions Options;
  std::optional<ModuleSymbols> Sections;
  if (!R.Binary.empty()) {
    ArrayRef<uint8_t> BuildID;
    if (A->info())
      BuildID = A->info()->BuildID;
    Expected<ModuleSymbols> Read =
        ModuleSymbols::readSections(R.Binary, BuildID);
    if (!Read)
      return Read.takeError();
    Options.Module = &Sections.emplace(std::move(*Read));
  }
  OutputFileOptions Output;
  Output.RemoveOnSignals = true;
  return writeOutputFile(
      R.Output, [&](raw_ostream &OS) { return exportDWARF(*A, OS, Options); },
      Output);
}

Error runExport(CommandLine &Line) {
  Request R = readRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  return exportArchive(R);
}

} // namespace lidia
