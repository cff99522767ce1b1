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
#include "Overlap.h"
#include "llvm/BinaryFormat/ELF.h"
#include <tuple>

using namespace llvm;

namespace lidia {

/// The name without the version that linkers append in .symtab
/// ("memcpy@@GLIBC_2.14").
static StringRef unversioned(StringRef Name) {
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

/// The preferred functions, or else labels, of \p Table, by address.
static Expected<std::vector<FunctionSymbol>> chooseSymbols(Binary &File,
                                                           SymbolTable Table,
                                                           const CodeMap &Code,
                                                           bool Labels) {
  std::vector<FunctionSymbol> Symbols;
  if (Error E = File.forEachFunctionSymbol(Table, [&](FunctionSymbol S) {
        if (S.IsLabel == Labels && Code.contains(S.Address))
          Symbols.push_back(S);
      }))
    return E;
  std::sort(Symbols.begin(), Symbols.end(), better);
  Symbols.erase(std::unique(Symbols.begin(), Symbols.end(),
                            [](const auto &A, const auto &B) {
                              return A.Address == B.Address;
                            }),
                Symbols.end());
  return Symbols;
}

/// The latest end of the symbol of size 0 at \p Symbols[I]: the start of the
/// next one, or of the next of \p Others.
static uint64_t openEnd(ArrayRef<FunctionSymbol> Symbols, size_t I,
                        ArrayRef<FunctionSymbol> Others) {
  uint64_t End = I + 1 < Symbols.size() ? Symbols[I + 1].Address : UINT64_MAX;
  auto *Other = std::upper_bound(
      Others.begin(), Others.end(), Symbols[I].Address,
      [](uint64_t A, const FunctionSymbol &S) { return A < S.Address; });
  return Other != Others.end() ? std::min(End, Other->Address) : End;
}

/// The code that \p Symbols name. Both \p Symbols and \p Others are sorted.
static RangeTrees rangesOf(ArrayRef<FunctionSymbol> Symbols,
                           ArrayRef<FunctionSymbol> Others, const CodeMap &Code,
                           bool Files, NameBudget &Names, StringPool &Strings) {
  std::vector<Interval> Claims;
  for (size_t I = 0; I < Symbols.size(); ++I) {
    const FunctionSymbol &S = Symbols[I];
    uint64_t Start = S.Address;
    uint64_t End = S.Size ? Start + std::min(S.Size, UINT64_MAX - Start)
                          : openEnd(Symbols, I, Others);
    if (Code.clip(Start, End))
      Claims.push_back({Start, End, Symbols.size() - I, I});
  }
  RangeTrees Functions;
  for (const Interval &I : resolveOverlaps(std::move(Claims))) {
    const FunctionSymbol &S = Symbols[I.Item];
    if (!Names.take(S.Name.size() + (Files ? S.SourceFile.size() : 0)))
      continue;
    Range R;
    R.Start = I.Start;
    R.End = I.End;
    R.Name = Strings.intern(unversioned(S.Name), /*Stable=*/true);
    if (Files)
      R.File = Strings.intern(S.SourceFile, /*Stable=*/true);
    if (I.Start != S.Address)
      Functions.Entries.emplace_back(Functions.Ranges.size(), S.Address);
    Functions.Ranges.push_back(R);
  }
  return Functions;
}

/// The functions that \p Table of \p File names, as ranges of depth 0 that are
/// sorted and do not overlap within a unit. Symbols outside \p Code are left
/// out.
///
/// Among several symbols at one address, these criteria decide in order: the
/// greater size; not local; fewer leading underscores; global before weak; the
/// shorter name; alphabetical order. So the order of the table does not matter.
/// A symbol of size 0 reaches to the next symbol or to the end of its section.
/// Where symbols overlap, the one that starts later wins.
///
/// Global symbols without a type, as in assembly, name code that no function
/// symbol of the table covers.
///
/// A local symbol has the file that STT_FILE names, if \p Files. Names point
/// into \p File, which must live as long as \p Strings.
static Expected<SourceRanges> readSymbols(Binary &File, SymbolTable Table,
                                          const CodeMap &Code, bool Files,
                                          StringPool &Strings) {
  std::vector<FunctionSymbol> Functions, Labels;
  if (Error E = chooseSymbols(File, Table, Code, /*Labels=*/false)
                    .moveInto(Functions))
    return E;
  if (Error E =
          chooseSymbols(File, Table, Code, /*Labels=*/true).moveInto(Labels))
    return E;
  SourceRanges Result;
  NameBudget Names(File);
  if (!Functions.empty())
    Result.Units.emplace_back().Functions =
        rangesOf(Functions, {}, Code, Files, Names, Strings);
  // A label does not name the padding between the functions after it.
  if (!Labels.empty())
    Result.Units.emplace_back().Functions =
        rangesOf(Labels, Functions, Code, Files, Names, Strings);
  if (!Result.Units.empty())
    Names.report("symbols", Result.Units.front().Warnings);
  return Result;
}

static void addSymbols(Conversion &C, SourceKind Kind, Binary &File,
                       SymbolTable Table) {
  if (!File.hasSymbolTable(Table))
    return;
  Expected<SourceRanges> Ranges =
      readSymbols(File, Table, C.Files.code(), C.wantFiles(), C.Strings);
  if (Ranges)
    C.addSource(Kind, File, std::move(*Ranges));
  else
    C.warn(toString(Ranges.takeError()));
}

Error readSymtabSource(Conversion &C) {
  for (Binary *File : {C.Files.Debug.get(), C.Files.Main.get()})
    if (File)
      addSymbols(C, SourceKind::Symtab, *File, SymbolTable::Symtab);
  C.endPhase(".symtab");
  return Error::success();
}

Error readDynsymSource(Conversion &C) {
  addSymbols(C, SourceKind::Dynsym, *C.Files.Main, SymbolTable::Dynsym);
  C.endPhase(".dynsym");
  return Error::success();
}

/// Reads .gnu_debugdata, an ELF file with symbols inside a section.
Error readDebugDataSource(Conversion &C) {
  std::unique_ptr<Binary> File;
  if (Error E = openDebugData(*C.Files.Main).moveInto(File))
    C.warn(toString(std::move(E)));
  if (!File)
    return Error::success();
  C.Statistics.Files.push_back({File->path().str(), "section"});
  addSymbols(C, SourceKind::DebugData, *File, SymbolTable::Symtab);
  C.Files.Others.push_back(std::move(File));
  C.endPhase(".gnu_debugdata");
  return Error::success();
}

} // namespace lidia
