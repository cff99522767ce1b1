//===- SourceOptions.cpp - Options for what is read -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SourceOptions.h"
#include "Debuginfod.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdlib>

using namespace llvm;

namespace lidia {

static std::optional<SourceKind> parseSource(StringRef Name) {
  return StringSwitch<std::optional<SourceKind>>(Name)
      .Case("dwarf", SourceKind::DWARF)
      .Case("go", SourceKind::Go)
      .Case("symtab", SourceKind::Symtab)
      .Case("dynsym", SourceKind::Dynsym)
      .Case("debugdata", SourceKind::DebugData)
      .Case("plt", SourceKind::PLT)
      .Default(std::nullopt);
}

/// The sources in the comma-separated \p List, in its order.
static std::vector<SourceKind> parseSources(CommandLine &Line, StringRef List) {
  std::vector<SourceKind> Sources;
  SmallVector<StringRef, 8> Names;
  List.split(Names, ',');
  for (StringRef Name : Names) {
    std::optional<SourceKind> Kind = parseSource(Name);
    if (!Kind)
      Line.fail("--source=: expected dwarf, go, symtab, dynsym, debugdata or "
                "plt, "
                "but got '" +
                Name + "'");
    else if (is_contained(Sources, *Kind))
      Line.fail("--source=: '" + Name + "' is given twice");
    else
      Sources.push_back(*Kind);
  }
  return Sources;
}

static bool wantDebuginfod(const opt::InputArgList &Args) {
  const char *Servers = std::getenv("DEBUGINFOD_URLS");
  return Args.hasFlag(OPT_debuginfod, OPT_no_debuginfod, Servers && *Servers);
}

void readSourceOptions(CommandLine &Line, ConvertOptions &O) {
  const opt::InputArgList &Args = Line.args();
  O.DebugFile = Args.getLastArgValue(OPT_debug_file_EQ).str();
  O.Search.Directories = Args.getAllArgValues(OPT_debug_file_directory_EQ);
  O.Search.FallbackPath =
      Args.getLastArgValue(OPT_fallback_debug_path_EQ).str();
  O.SplitDirectories = Args.getAllArgValues(OPT_dwo_dir_EQ);
  O.SplitPackage = Args.getLastArgValue(OPT_dwp_EQ).str();
  if (wantDebuginfod(Args))
    O.Search.Fetch = fetchFromDebuginfod;
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
  // More than there are processors is no use.
  O.Threads =
      unsigned(std::min<uint64_t>(Line.number(OPT_num_threads_EQ, 0), 256));
}

} // namespace lidia
