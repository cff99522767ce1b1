//===- SymbolSource.cpp - Ranges from symbol tables -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"
#include "NameBudget.h"
#include "Object/DebugData.h"
#include "Object/SymbolFile.h"
#include "Support/SymbolVersion.h"
#include "SymbolChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace lidia {

/// The preferred symbols of \p Table that name code.
/// Passes each symbol to \p Visit.
static Expected<SymbolLists<FunctionSymbol>>
chooseSymbols(Binary &File, SymbolTable Table, const CodeMap &Code,
              function_ref<void(const FunctionSymbol &)> Visit) {
  SymbolLists<FunctionSymbol> Lists;
  if (Error E = File.forEachFunctionSymbol(Table, [&](FunctionSymbol S) {
        if (!Code.contains(S.Address))
          return;
        Lists[S.Kind].push_back(S);
        Visit(S);
      }))
    return E;
  keepPreferred(Lists, [](const FunctionSymbol &S) { return S.Name; });
  return Lists;
}

/// Adds the code that the symbols name. \p Sizeless is the origin of names of
/// size 0.
static void addRanges(UnitRanges &Unit,
                      const SymbolLists<FunctionSymbol> &Lists,
                      const CodeMap &Code, bool Files, NameOrigin Sizeless,
                      NameBudget &Names, StringPool &Strings) {
  std::vector<const FunctionSymbol *> Symbols;
  RangeTrees &Functions = Unit.Functions;
  for (const Interval &I : codeOf(Lists, Code, Symbols)) {
    const FunctionSymbol &S = *Symbols[I.Item];
    if (!Names.take(S.Name.size() + (Files ? S.SourceFile.size() : 0)))
      continue;
    Range R;
    R.Start = I.Start;
    R.End = I.End;
    R.Name = Strings.intern(unversioned(S.Name), /*Stable=*/true);
    if (Files)
      R.File = Strings.intern(S.SourceFile, /*Stable=*/true);
    if (!S.Size)
      R.Origin = Sizeless;
    Unit.HasSizeless |= isSizeless(R.Origin);
    if (I.Start != S.Address)
      Functions.Entries.emplace_back(Functions.Ranges.size(), S.Address);
    Functions.Ranges.push_back(R);
  }
}

/// The origins of names of \p Kind with and without a size.
static std::pair<NameOrigin, NameOrigin> originsOf(SourceKind Kind,
                                                   const Binary &File) {
  if (Kind == SourceKind::Symtab)
    return {NameOrigin::Symtab, NameOrigin::SymtabSizeless};
  if (Kind == SourceKind::DebugData)
    return {NameOrigin::DebugData, NameOrigin::DebugDataSizeless};
  if (File.identity().Format == BinaryFormat::PE)
    return {NameOrigin::Export, NameOrigin::Export};
  return {NameOrigin::Dynsym, NameOrigin::DynsymSizeless};
}

/// The functions that \p Table of \p File names, as ranges of depth 0 that are
/// sorted and do not overlap. Symbols outside \p Code are left
/// out.
///
/// SymbolChoice.h decides between symbols.
///
/// A local symbol has the file that STT_FILE names, if \p C wants files. Names
/// point into \p File, which must live as long as \p C. The names of all
/// symbols go to \p C, if it wants aliases.
static Expected<SourceRanges> readSymbols(Conversion &C, SourceKind Kind,
                                          Binary &File, SymbolTable Table) {
  const CodeMap &Code = C.Files.code();
  NameBudget Aliases(File);
  SymbolLists<FunctionSymbol> Lists;
  bool HasLocals = false;
  auto Visit = [&](const FunctionSymbol &S) {
    HasLocals |= S.Binding == ELF::STB_LOCAL;
    if (C.wantAliases() && Aliases.take(S.Name.size()))
      C.SymbolNames.emplace_back(S.Address, unversioned(S.Name));
  };
  if (Error E = chooseSymbols(File, Table, Code, Visit).moveInto(Lists))
    return E;
  SourceRanges Result;
  NameBudget Names(File);
  UnitRanges &Unit = Result.Units.emplace_back();
  auto [Sized, Sizeless] = originsOf(Kind, File);
  Unit.Origin = Sized;
  Unit.IsComplete = HasLocals && Kind != SourceKind::Dynsym;
  addRanges(Unit, Lists, Code, C.wantFiles(), Sizeless, Names, C.Strings);
  Names.report("symbols", Unit.Warnings);
  return Result;
}

static void addSymbols(Conversion &C, SourceKind Kind, Binary &File,
                       SymbolTable Table) {
  if (!File.hasSymbolTable(Table))
    return;
  Expected<SourceRanges> Ranges = readSymbols(C, Kind, File, Table);
  if (Ranges)
    C.addSource(Kind, File, std::move(*Ranges));
  else
    C.reportBroken(Ranges.takeError());
}

Error readSymtabSource(Conversion &C) {
  for (Binary *File : {C.Files.Debug.get(), C.Files.Main.get()})
    if (File)
      addSymbols(C, SourceKind::Symtab, *File, SymbolTable::Symtab);
  C.endPhase(".symtab");
  return Error::success();
}

/// The export table of a PE file has no sizes, so its names would cover code
/// for which a PDB file has better ones.
static bool hasOtherSymbols(const Conversion &C) {
  const SymbolFile *Symbols = C.Files.withDebugInfo().asSymbolFile();
  return Symbols && Symbols->format() == FileKind::PDB;
}

Error readDynsymSource(Conversion &C) {
  if (hasOtherSymbols(C))
    return Error::success();
  addSymbols(C, SourceKind::Dynsym, *C.Files.Main, SymbolTable::Dynsym);
  C.endPhase(".dynsym");
  return Error::success();
}

/// Reads .gnu_debugdata, an ELF file with symbols inside a section.
Error readDebugDataSource(Conversion &C) {
  std::unique_ptr<Binary> File;
  if (Error E = openDebugData(*C.Files.Main).moveInto(File))
    C.reportBroken(std::move(E));
  if (!File)
    return Error::success();
  C.Statistics.Files.push_back({File->path().str(), "section"});
  addSymbols(C, SourceKind::DebugData, *File, SymbolTable::Symtab);
  C.Files.Others.push_back(std::move(File));
  C.endPhase(".gnu_debugdata");
  return Error::success();
}

} // namespace lidia
