//===- Export.cpp - llvm-lidia export: converts archives ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BinaryInput.h"
#include "CacheOptions.h"
#include "ContentOptions.h"
#include "Options.h"
#include "Progress.h"
#include "ReturnPads.h"
#include "SourceOptions.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Export/DWARFExport.h"
#include "lidia/Export/SymbolFiles.h"
#include "lidia/Modules/CachedArchive.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {

/// A format to which archives are exported.
struct ExportFormat {
  /// The value of --format.
  StringLiteral Name;
  /// The extension of the output's name.
  StringLiteral Extension;
  /// Null for DWARF, which has its own options.
  lidia::Exporter *Export;
  /// Whether addresses count from the binary's image base.
  bool IsRelative = false;
};

/// The parsed command line.
struct ExportRequest {
  /// An archive, or a binary or symbol file whose archive is made.
  std::string Archive;
  bool IsBinary = false;
  std::string Output;
  /// --binary, or the binary that is given instead of an archive; may be empty.
  std::string Binary;
  /// For a binary: how its archive is made, and the cache for it.
  lidia::ConvertOptions Options;
  lidia::CacheOptions Cache;
  const ExportFormat *Format = nullptr;
};

} // namespace

namespace lidia {

/// The first one is the default.
static constexpr ExportFormat Formats[] = {
    {"dwarf", ".debug", nullptr},
    {"breakpad", ".sym", exportBreakpad, /*IsRelative=*/true},
    {"gsym", ".gsym", exportGSYM},
    {"symbfile", ".symbfile", exportSymbfile},
    {"symbfile-return-pads", ".return-pads.symbfile", exportReturnPads},
    {"symcache", ".symcache", exportSymCache, /*IsRelative=*/true},
};

static const ExportFormat &readFormat(CommandLine &Line) {
  StringRef Name = Line.args().getLastArgValue(OPT_format_EQ, Formats[0].Name);
  const auto *Format = find_if(
      Formats, [Name](const ExportFormat &F) { return F.Name == Name; });
  if (Format != std::end(Formats))
    return *Format;
  Line.fail("--format=: expected dwarf, breakpad, gsym, symbfile, "
            "symbfile-return-pads or symcache, but got '" +
            Name + "'");
  return Formats[0];
}

static ExportRequest readExportRequest(CommandLine &Line) {
  ExportRequest R;
  R.Format = &readFormat(Line);
  R.Archive = Line.operand("archive");
  R.IsBinary = isBinary(R.Archive);
  bool IsItself = R.IsBinary && !isSymbolFile(fileKindOf(R.Archive));
  R.Binary = Line.args()
                 .getLastArgValue(OPT_binary_EQ, IsItself ? R.Archive : "")
                 .str();
  R.Cache = readCacheOptions(Line);
  if (R.IsBinary)
    readSourceOptions(Line, R.Options);
  else if (const opt::Arg *A = Line.args().getLastArg(OPT_grp_sources))
    Line.fail(A->getSpelling() + " applies to binaries only: " + R.Archive +
              " is not one");
  R.Output = Line.output(R.Archive, R.Format->Extension);
  return R;
}

static ArrayRef<uint8_t> buildID(const Archive &A) {
  return A.info() ? A.info()->BuildID : ArrayRef<uint8_t>();
}

static Error exportToDWARF(const Archive &A, const ExportRequest &R,
                           raw_ostream &OS) {
  DWARFExportOptions Options;
  Options.Warn = [](const Twine &Message) { reportWarning(Message); };
  std::optional<ModuleSymbols> Sections;
  if (!R.Binary.empty()) {
    Expected<ModuleSymbols> Read =
        ModuleSymbols::readLayout(R.Binary, buildID(A));
    if (!Read)
      return Read.takeError();
    Options.Module = &Sections.emplace(std::move(*Read));
  }
  return exportDWARF(A, OS, Options);
}

/// Returns facts that the archive does not record, guessed without --binary.
static Expected<ExportedModule> exportedModule(const Archive &A,
                                               const ExportRequest &R) {
  if (!R.Binary.empty())
    return ExportedModule::read(R.Binary, buildID(A));
  ExportedModule Module;
  StringRef Name = sys::path::filename(R.Archive);
  if (!Name.consume_back(CompressedArchiveExtension))
    Name.consume_back(ArchiveExtension);
  Module.Name = Name.str();
  if (!R.Format->IsRelative || !A.info())
    return Module;
  // Only position-independent files have an image base of 0.
  if (A.info()->Type == ELF::ET_EXEC)
    reportWarning(R.Archive + ": the binary has a fixed address, from which " +
                  R.Format->Name + " counts; name the binary with --binary=");
  // GSYM files and symbfiles do not record the image base.
  if (A.info()->Type == ELF::ET_NONE)
    reportWarning(R.Archive + ": does not say where the binary begins, from " +
                  "which " + R.Format->Name +
                  " counts; unless that is 0, name the binary with --binary=");
  return Module;
}

static Error exportToOther(const Archive &A, const ExportRequest &R,
                           raw_ostream &OS) {
  Expected<ExportedModule> Module = exportedModule(A, R);
  if (!Module)
    return Module.takeError();
  return R.Format->Export(A, *Module, OS, [&](const Twine &Loss) {
    reportWarning(R.Archive + ": " + Loss);
  });
}

static Expected<Archive> openArchive(const ExportRequest &R) {
  if (!R.IsBinary)
    return openWholeArchiveAt(R.Archive);
  Progress Observer(/*Quiet=*/false);
  CommandCache C(R.Cache, Observer);
  ConvertOptions Options = R.Options;
  keepAllForLookup(Options);
  if (R.Format->Export == exportReturnPads)
    Options.FindReturnPads = findReturnPadsApart;
  return openCachedArchive(C, R.Archive, Options, Observer);
}

static Error exportArchive(const ExportRequest &R) {
  Expected<Archive> A = openArchive(R);
  if (!A)
    return A.takeError();
  OutputFileOptions Output;
  Output.RemoveOnSignals = true;
  return writeOutputFile(
      R.Output,
      [&](raw_ostream &OS) {
        return R.Format->Export ? exportToOther(*A, R, OS)
                                : exportToDWARF(*A, R, OS);
      },
      Output);
}

Error runExport(CommandLine &Line) {
  ExportRequest R = readExportRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  return exportArchive(R);
}

} // namespace lidia
