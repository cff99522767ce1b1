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
#include "Overlap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <array>
#include <tuple>

using namespace llvm;

namespace lidia {

/// The name without the version that linkers append in .symtab
/// ("memcpy@@GLIBC_2.14").
static StringRef unversioned(StringRef Name) {
  if (Name.starts_with("?"))
    return Name;
  size_t At = Name.find('@');
  return At == 0 || At == StringRef::npos ? Name : Name.take_front(At);
}

/// Orders the preferred symbol first among those at the same address.
static bool better(const FunctionSymbol &A, const FunctionSymbol &B) {
  if (A.Address != B.Address)
    return A.Address < B.Address;
  if (A.Size != B.Size)
    return A.Size > B.Size;
  auto Key = [](const FunctionSymbol &S) {
    size_t Underscores = S.Name.find_first_not_of('_');
    return std::make_tuple(S.Binding == ELF::STB_LOCAL, Underscores,
                           S.Binding == ELF::STB_WEAK, S.Name.size(), S.Name);
  };
  return Key(A) < Key(B);
}

namespace {

/// The symbols of one table, by FunctionSymbol::Kind; each list by address,
/// with one symbol for each.
using SymbolLists = std::array<std::vector<FunctionSymbol>, 3>;

} // namespace

/// The preferred symbols of \p Table that name code.
/// Passes each symbol to \p Visit.
static Expected<SymbolLists>
chooseSymbols(Binary &File, SymbolTable Table, const CodeMap &Code,
              function_ref<void(const FunctionSymbol &)> Visit) {
  SymbolLists Lists;
  if (Error E = File.forEachFunctionSymbol(Table, [&](FunctionSymbol S) {
        if (!Code.contains(S.Address))
          return;
        Lists[S.Kind].push_back(S);
        Visit(S);
      }))
    return E;
  for (std::vector<FunctionSymbol> &Symbols : Lists) {
    std::sort(Symbols.begin(), Symbols.end(), better);
    Symbols.erase(std::unique(Symbols.begin(), Symbols.end(),
                              [](const auto &A, const auto &B) {
                                return A.Address == B.Address;
                              }),
                  Symbols.end());
  }
  return Lists;
}

/// The latest end of a symbol of size 0 at \p Address: the start of the next
/// symbol, whatever its kind.
static uint64_t openEnd(uint64_t Address, const SymbolLists &Lists) {
  uint64_t End = UINT64_MAX;
  for (ArrayRef<FunctionSymbol> Symbols : Lists) {
    const auto *Next =
        upper_bound(Symbols, Address, [](uint64_t A, const FunctionSymbol &S) {
          return A < S.Address;
        });
    if (Next != Symbols.end())
      End = std::min(End, Next->Address);
  }
  return End;
}

/// Adds the code that the symbols name. A kind names only what those before it
/// do not cover. \p Sizeless is the origin of names of size 0.
static void addRanges(UnitRanges &Unit, const SymbolLists &Lists,
                      const CodeMap &Code, bool Files, NameOrigin Sizeless,
                      NameBudget &Names, StringPool &Strings) {
  std::vector<Interval> Claims;
  std::vector<const FunctionSymbol *> Symbols;
  uint64_t Rank = 0;
  for (auto Kind : {FunctionSymbol::Function, FunctionSymbol::Label,
                    FunctionSymbol::LocalCode})
    // The one that starts later is better.
    for (const FunctionSymbol &S : reverse(Lists[Kind])) {
      uint64_t Start = S.Address;
      uint64_t End = S.Size ? Start + std::min(S.Size, UINT64_MAX - Start)
                            : openEnd(S.Address, Lists);
      if (Code.clip(Start, End)) {
        Claims.push_back({Start, End, Rank++, Symbols.size()});
        Symbols.push_back(&S);
      }
    }
  RangeTrees &Functions = Unit.Functions;
  for (const Interval &I : resolveOverlaps(std::move(Claims))) {
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
/// Among several symbols at one address, these criteria decide in order: the
/// greater size; not local; fewer leading underscores; global before weak; the
/// shorter name; alphabetical order. So the order of the table does not matter.
/// A symbol of size 0 reaches to the next symbol or to the end of its section.
/// Where symbols overlap, the one that starts later wins.
///
/// Global symbols without a type, as in assembly, name code that no function
/// symbol of the table covers; local ones that have a size name the rest.
///
/// A local symbol has the file that STT_FILE names, if \p C wants files. Names
/// point into \p File, which must live as long as \p C. The names of all
/// symbols go to \p C, if it wants aliases.
static Expected<SourceRanges> readSymbols(Conversion &C, SourceKind Kind,
                                          Binary &File, SymbolTable Table) {
  const CodeMap &Code = C.Files.code();
  NameBudget Aliases(File);
  SymbolLists Lists;
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
