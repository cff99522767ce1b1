//===- SymbolSource.cpp - Ranges from symbol tables -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/SymbolSource.h"
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

/// Puts the symbol that is taken first among those at its address.
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

Expected<std::vector<SymbolRange>> readSymbols(Binary &File, SymbolTable Table,
                                               const CodeMap &Code,
                                               StringPool &Strings) {
  std::vector<FunctionSymbol> Symbols;
  if (Error E = File.forEachFunctionSymbol(Table, [&](FunctionSymbol S) {
        if (Code.contains(S.Address))
          Symbols.push_back(S);
      }))
    return E;
  std::sort(Symbols.begin(), Symbols.end(), better);
  Symbols.erase(std::unique(Symbols.begin(), Symbols.end(),
                            [](const auto &A, const auto &B) {
                              return A.Address == B.Address;
                            }),
                Symbols.end());

  std::vector<SymbolRange> Result;
  Result.reserve(Symbols.size());
  for (size_t I = 0; I < Symbols.size(); ++I) {
    const FunctionSymbol &S = Symbols[I];
    uint64_t Start = S.Address;
    uint64_t End = I + 1 < Symbols.size() ? Symbols[I + 1].Address : UINT64_MAX;
    if (S.Size)
      End = Start + std::min(S.Size, UINT64_MAX - Start);
    if (Code.clip(Start, End))
      Result.push_back({Start, End,
                        Strings.intern(unversioned(S.Name), /*Stable=*/true),
                        Strings.intern(S.SourceFile, /*Stable=*/true)});
  }
  return Result;
}

} // namespace lidia
