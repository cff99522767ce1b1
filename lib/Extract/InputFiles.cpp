//===- InputFiles.cpp - The files that an archive is made from ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputFiles.h"
#include "Conversion.h"
#include "Object/DebugFiles.h"
#include "Object/SymbolFile.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

static bool looksForDebugFile(const Binary &Main,
                              const ConvertOptions &Options) {
  bool Wanted = is_contained(Options.Sources, SourceKind::DWARF) ||
                is_contained(Options.Sources, SourceKind::Symtab);
  return Wanted && Options.FindDebugFile && !hasDWARF(Main) &&
         !Main.asSymbolFile();
}

/// Opens the file with the debug information, if that is not the binary.
static Error openDebugFile(InputFiles &Files, Conversion &C) {
  const ConvertOptions &Options = C.Options;
  std::unique_ptr<Binary> &Main = Files.Main, &Debug = Files.Debug;
  if (!Options.DebugFile.empty()) {
    if (Main->asSymbolFile())
      return make_error<ArgumentError>(
          Main->path(), "a symbol file is converted alone; name it with "
                        "--debug-file= and the binary without");
    if (Error E = Binary::open(Options.DebugFile, Main->architecture())
                      .moveInto(Debug))
      return E;
    std::string Why = whyNotDebugFileOf(*Debug, *Main);
    if (!Why.empty())
      return make_error<ArgumentError>(Twine(Options.DebugFile),
                                       "belongs to another binary than " +
                                           Main->path() + ": " + Why);
    const SymbolFile *Symbols = Debug->asSymbolFile();
    if (Symbols ? !Symbols->identifiesBinary() : Debug->buildID().empty())
      C.warn(Twine(Options.DebugFile) + " and " + Main->path() +
             " have no build IDs that would say whether they belong together");
    C.Statistics.Files.push_back({Options.DebugFile, "named"});
    return Error::success();
  }
  if (!looksForDebugFile(*Main, Options))
    return Error::success();
  DebugFile Found = findDebugFile(
      *Main, Options.Search, [&](const Twine &Message) { C.warn(Message); });
  Debug = std::move(Found.File);
  if (Debug)
    C.Statistics.Files.push_back({Debug->path().str(), Found.FoundBy.str()});
  return Error::success();
}

Error InputFiles::open(std::unique_ptr<Binary> TheMain, Conversion &C) {
  Main = std::move(TheMain);
  C.Statistics.Files.push_back({Main->path().str(), "named"});
  return openDebugFile(*this, C);
}

void InputFiles::forEachSymbolTable(
    function_ref<void(Binary &, SymbolTable)> Visit) const {
  for (Binary *File : {Debug.get(), Main.get()})
    for (SymbolTable Table : {SymbolTable::Symtab, SymbolTable::Dynsym})
      if (File)
        Visit(*File, Table);
}

std::vector<std::string> inputCandidates(Binary &Main,
                                         const ConvertOptions &Options) {
  std::vector<std::string> Paths;
  if (!Options.DebugFile.empty())
    Paths.push_back(Options.DebugFile);
  else if (looksForDebugFile(Main, Options))
    Paths = debugFileCandidates(Main, Options.Search);
  if (Options.Search.OnlyKnown)
    return Paths;
  std::vector<std::string> Packages;
  if (!Options.SplitPackage.empty()) {
    Packages.push_back(Options.SplitPackage);
  } else {
    Packages.push_back((Main.path() + ".dwp").str());
    for (const std::string &Path : Paths)
      Packages.push_back(Path + ".dwp");
  }
  append_range(Paths, Packages);
  return Paths;
}

} // namespace lidia
