//===- SourceOptions.cpp - Options for the sources ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceOptions.h"
#include "AnswerOptions.h"
#include "Debuginfod.h"
#include "Object/Binary.h"
#include "StoreOptions.h"
#include "Support/URLText.h"
#include "lidia/Store/SymbolServers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

using namespace llvm;

namespace lidia {

/// The sources in the comma-separated \p List, in its order.
static std::vector<SourceKind> parseSources(CommandLine &Line, StringRef List) {
  std::vector<SourceKind> Sources;
  SmallVector<StringRef, 8> Names;
  List.split(Names, ',');
  auto OptionOf = [](const SourceNames &S) { return S.Option; };
  for (StringRef Name : Names) {
    const SourceNames *Found = find_if(
        sourceNames(), [&](const SourceNames &S) { return S.Option == Name; });
    if (Found == sourceNames().end())
      Line.fail("--source=: expected a list of " +
                join(map_range(sourceNames(), OptionOf), ", ") + ", but got '" +
                Name + "'");
    else if (is_contained(Sources, Found->Kind))
      Line.fail("--source=: '" + Name + "' is given twice");
    else
      Sources.push_back(Found->Kind);
  }
  return Sources;
}

static bool wantDebuginfod(const opt::InputArgList &Args) {
  const char *Servers = std::getenv("DEBUGINFOD_URLS");
  return Args.hasFlag(OPT_debuginfod, OPT_no_debuginfod, Servers && *Servers);
}

static DebuginfodOptions readServers(CommandLine &Line) {
  DebuginfodOptions O = DebuginfodOptions::fromEnvironment();
  O.MaxSize = Line.size(OPT_debuginfod_max_size_EQ, O.MaxSize);
  constexpr uint64_t Day = 24 * 60 * 60;
  uint64_t Seconds = Line.number(OPT_debuginfod_timeout_EQ, O.StallSeconds);
  if (Seconds == 0 || Seconds > Day)
    Line.fail("--debuginfod-timeout=: expected seconds, from 1 to " +
              Twine(Day));
  O.StallSeconds = long(Seconds);
  return O;
}

/// The symbol path of the option; without it, of the environment, where parts
/// that are meant for Windows do no harm.
static SymbolPath readSymbolPath(CommandLine &Line) {
  const opt::Arg *A = Line.args().getLastArg(OPT_symbol_path_EQ);
  const char *Text = A ? A->getValue() : std::getenv("_NT_SYMBOL_PATH");
  SymbolPath Path =
      SymbolPath::parse(Text ? Text : "", SymbolPath::defaultCache());
  if (A && !Path.Ignored.empty())
    Line.fail("--symbol-path=: '" + withoutPasswords(Path.Ignored.front()) +
              "' is neither a folder of this system nor srv*, symsrv* or "
              "cache*");
  return Path;
}

static void setSymbolPath(SymbolPath Path, DownloadOptions Options,
                          DebugFileSearch &Search) {
  Search.SymbolFolders = std::move(Path.Folders);
  if (Path.Servers.empty())
    return;
  Options.Output.RemoveOnSignals = true;
  auto Servers = std::make_shared<SymbolServers>(std::move(Path.Servers),
                                                 std::move(Options));
  Search.FetchPDB = [Servers](StringRef Name, StringRef ID,
                              function_ref<bool(StringRef)> IsRight,
                              function_ref<void(const Twine &)> Warn) {
    return Servers->pdb(Name, ID, IsRight, Warn);
  };
}

void readSourceOptions(CommandLine &Line, ConvertOptions &O) {
  const opt::InputArgList &Args = Line.args();
  O.Architecture = Args.getLastArgValue(OPT_arch_EQ).str();
  O.DebugFile = Args.getLastArgValue(OPT_debug_file_EQ).str();
  O.Search.Directories = Args.getAllArgValues(OPT_debug_file_directory_EQ);
  O.Search.FallbackPath =
      Args.getLastArgValue(OPT_fallback_debug_path_EQ).str();
  O.SplitDirectories = Args.getAllArgValues(OPT_dwo_dir_EQ);
  O.SplitPackage = Args.getLastArgValue(OPT_dwp_EQ).str();
  // Rejects invalid options even if no server is queried.
  DebuginfodOptions Servers = readServers(Line);
  setSymbolPath(readSymbolPath(Line), Servers, O.Search);
  if (wantDebuginfod(Args))
    O.Search.Fetch = debuginfodFetcher(std::move(Servers));
  if (const opt::Arg *A = Args.getLastArg(OPT_source_EQ))
    O.Sources = parseSources(Line, A->getValue());
  if (Args.hasArg(OPT_no_dwarf))
    erase(O.Sources, SourceKind::DWARF);
  if (Args.hasArg(OPT_no_go))
    erase(O.Sources, SourceKind::Go);
  if (Args.hasArg(OPT_no_symtab))
    erase_if(O.Sources, [](SourceKind K) {
      return K == SourceKind::Symtab || K == SourceKind::Dynsym ||
             K == SourceKind::DebugData;
    });
  // More threads than processors are useless, so this limit is harmless.
  O.Threads =
      unsigned(std::min<uint64_t>(Line.number(OPT_num_threads_EQ, 0), 256));
}

/// The build ID in the debug file \p Path, by which its module is found.
static Expected<std::string> buildIDOfDebugFile(const std::string &Path) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (!File)
    return File.takeError();
  if ((*File)->buildID().empty())
    return createStringError("--debug-file=: " + Path +
                             " has no build ID, by which its module is found");
  return toHex((*File)->buildID(), /*LowerCase=*/true);
}

/// Reads --debug-file for many modules: each file is for the modules that have
/// its build ID.
static void readDebugFiles(CommandLine &Line, ConvertOptions &O) {
  O.DebugFile.clear();
  auto Known = std::make_shared<StringMap<std::string>>();
  for (const std::string &Path :
       Line.args().getAllArgValues(OPT_debug_file_EQ)) {
    if (Expected<std::string> ID = buildIDOfDebugFile(Path))
      Known->try_emplace(*ID, Path);
    else
      Line.fail(toString(ID.takeError()));
  }
  if (!Known->empty())
    O.Search.Known = std::move(Known);
}

void readModuleSourceOptions(CommandLine &Line, ConvertOptions &O) {
  readSourceOptions(Line, O);
  readDebugFiles(Line, O);
  if (!Line.args().hasFlag(OPT_debuginfod, OPT_no_debuginfod, false))
    O.Search.Fetch = nullptr;
  if (!Line.args().hasArg(OPT_symbol_path_EQ))
    O.Search.FetchPDB = nullptr;
  O.HasDebugFileOption = false;
}

std::shared_ptr<DebuginfodClient> serversOfSources(CommandLine &Line) {
  if (!Line.args().hasFlag(OPT_debuginfod, OPT_no_debuginfod, false))
    return nullptr;
  DebuginfodOptions Options = readServers(Line);
  Options.Output.RemoveOnSignals = true;
  return std::make_shared<DebuginfodClient>(std::move(Options));
}

bool hasUnaskedServers(const ConvertOptions &O) {
  const char *Servers = std::getenv("DEBUGINFOD_URLS");
  return Servers && *Servers && !O.Search.Fetch;
}

bool mayBeBeside(CommandLine &Line) {
  return !Line.args().hasArg(OPT_dwo_dir_EQ, OPT_dwp_EQ, OPT_source_EQ,
                             OPT_no_dwarf, OPT_no_go, OPT_no_symtab);
}

SymbolSources readSymbolSources(CommandLine &Line, StringRef Root) {
  const opt::InputArgList &Args = Line.args();
  SymbolSources S;
  S.Files = Args.getAllArgValues(OPT_obj_EQ);
  S.Folders = Args.getAllArgValues(OPT_modules_from_EQ);
  S.Root = Args.getLastArgValue(OPT_sysroot_EQ, Root).str();
  S.HowToAllow = "--sysroot=/ or --modules-from=FOLDER would open it";
  readModuleSourceOptions(Line, S.Archives.Conversion);
  S.Archives.Beside = mayBeBeside(Line);
  S.Archives.Columns = true;
  S.Archives.Open = readOpenOptions(Line);
  readStoreOfModules(Line, S.Archives);
  S.FindBuildID = debugIDsOfStore(Line);
  S.HasUnaskedServers = hasUnaskedServers(S.Archives.Conversion);
  return S;
}

} // namespace lidia
