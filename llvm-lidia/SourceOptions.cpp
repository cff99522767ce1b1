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
      Line.fail("--source=: '" + Name + "' stands there twice");
    else
      Sources.push_back(*Kind);
  }
  return Sources;
}

static bool wantDebuginfod(const opt::InputArgList &Args,
                           const SourceOptionIDs &IDs) {
  const char *Servers = std::getenv("DEBUGINFOD_URLS");
  return Args.hasFlag(IDs.Debuginfod, IDs.NoDebuginfod, Servers && *Servers);
}

void readSourceOptions(CommandLine &Line, const SourceOptionIDs &IDs,
                       ConvertOptions &O) {
  const opt::InputArgList &Args = Line.args();
  O.DebugFile = Args.getLastArgValue(IDs.DebugFile).str();
  O.Search.Directories = Args.getAllArgValues(IDs.DebugFileDirectory);
  O.Search.FallbackPath = Args.getLastArgValue(IDs.FallbackDebugPath).str();
  O.SplitDirectories = Args.getAllArgValues(IDs.DwoDir);
  O.SplitPackage = Args.getLastArgValue(IDs.Dwp).str();
  if (wantDebuginfod(Args, IDs))
    O.Search.Fetch = fetchFromDebuginfod;
  if (const opt::Arg *A = Args.getLastArg(IDs.Source))
    O.Sources = parseSources(Line, A->getValue());
  if (Args.hasArg(IDs.NoDWARF))
    erase(O.Sources, SourceKind::DWARF);
  if (Args.hasArg(IDs.NoGo))
    erase(O.Sources, SourceKind::Go);
  if (Args.hasArg(IDs.NoSymtab))
    erase_if(O.Sources, [](SourceKind K) {
      return K == SourceKind::Symtab || K == SourceKind::Dynsym ||
             K == SourceKind::DebugData;
    });
  // More than there are processors is no use.
  O.Threads = unsigned(std::min<uint64_t>(Line.number(IDs.NumThreads, 0), 256));
}

} // namespace lidia
