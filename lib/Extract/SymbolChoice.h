//===- SymbolChoice.h - Which symbols name which code -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules that decide between the symbols of one table, for FunctionSymbol
/// and for CodeSymbol, whose names are read only if nothing else decides.
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
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SYMBOLCHOICE_H
#define LIDIA_LIB_EXTRACT_SYMBOLCHOICE_H

#include "Object/Binary.h"
#include "Overlap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <array>
#include <tuple>

namespace lidia {

/// The symbols of one table, by FunctionSymbol::Kind; each list by address,
/// with one symbol for each.
template <typename Symbol>
using SymbolLists = std::array<std::vector<Symbol>, 3>;

/// Orders the preferred symbol first among those at the same address.
template <typename Symbol, typename NameOf>
bool isPreferred(const Symbol &A, const Symbol &B, NameOf Name) {
  if (A.Address != B.Address)
    return A.Address < B.Address;
  if (A.Size != B.Size)
    return A.Size > B.Size;
  auto Key = [&](const Symbol &S) {
    llvm::StringRef Text = Name(S);
    size_t Underscores = Text.find_first_not_of('_');
    return std::make_tuple(S.Binding == llvm::ELF::STB_LOCAL, Underscores,
                           S.Binding == llvm::ELF::STB_WEAK, Text.size(), Text);
  };
  return Key(A) < Key(B);
}

/// Sorts \p Lists, and keeps the preferred symbol of each address.
template <typename Symbol, typename NameOf>
void keepPreferred(SymbolLists<Symbol> &Lists, NameOf Name) {
  for (std::vector<Symbol> &Symbols : Lists) {
    // Sorting numbers is several times as fast as sorting symbols.
    std::vector<std::pair<uint64_t, size_t>> Order;
    Order.reserve(Symbols.size());
    for (const Symbol &S : Symbols)
      Order.emplace_back(S.Address, Order.size());
    llvm::sort(Order);
    std::vector<Symbol> Kept;
    Kept.reserve(Symbols.size());
    for (auto [Address, Index] : Order) {
      const Symbol &S = Symbols[Index];
      if (Kept.empty() || Kept.back().Address != Address)
        Kept.push_back(S);
      else if (isPreferred(S, Kept.back(), Name))
        Kept.back() = S;
    }
    Symbols = std::move(Kept);
  }
}

/// The latest end of a symbol of size 0 at \p Address: the start of the next
/// symbol, whatever its kind.
template <typename Symbol>
uint64_t openEnd(uint64_t Address, const SymbolLists<Symbol> &Lists) {
  uint64_t End = UINT64_MAX;
  for (const std::vector<Symbol> &Symbols : Lists) {
    auto Next =
        llvm::upper_bound(Symbols, Address, [](uint64_t A, const Symbol &S) {
          return A < S.Address;
        });
    if (Next != Symbols.end())
      End = std::min(End, Next->Address);
  }
  return End;
}

/// The code that the symbols name. A kind names only what those before it do
/// not cover. Interval::Item is an index in \p Symbols.
template <typename Symbol>
std::vector<Interval> codeOf(const SymbolLists<Symbol> &Lists,
                             const CodeMap &Code,
                             std::vector<const Symbol *> &Symbols) {
  size_t Count = Lists[0].size() + Lists[1].size() + Lists[2].size();
  std::vector<Interval> Claims;
  Claims.reserve(Count);
  Symbols.reserve(Count);
  uint64_t Rank = 0;
  for (auto Kind : {FunctionSymbol::Function, FunctionSymbol::Label,
                    FunctionSymbol::LocalCode})
    // The one that starts later is better.
    for (const Symbol &S : llvm::reverse(Lists[Kind])) {
      uint64_t Start = S.Address;
      uint64_t End = S.Size ? Start + std::min(S.Size, UINT64_MAX - Start)
                            : openEnd(S.Address, Lists);
      if (Code.clip(Start, End)) {
        Claims.push_back({Start, End, Rank++, Symbols.size()});
        Symbols.push_back(&S);
      }
    }
  // Nearly sorted by start now.
  std::reverse(Claims.begin(), Claims.end());
  return resolveOverlaps(std::move(Claims));
}

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SYMBOLCHOICE_H
