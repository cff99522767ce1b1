//===- LinkageNames.cpp - Linkage names that DWARF lacks ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkageNames.h"
#include "DWARF/FunctionNames.h"
#include "NameBudget.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

LinkageNames::LinkageNames(const InputFiles &Files) {
  Files.forEachSymbolTable([&](Binary &File, SymbolTable Table) {
    NameBudget Budget(File);
    auto Visit = [&](const FunctionSymbol &S) {
      if (S.Kind == FunctionSymbol::Function && dwarf::isMangled(S.Name) &&
          Budget.take(S.Name.size()))
        // Linkers append versions.
        Symbols.emplace_back(S.Address,
                             withoutCloneSuffix(S.Name.split('@').first));
    };
    // Errors, and names that are too long, are reported when the table is read
    // for its names.
    consumeError(File.forEachFunctionSymbol(Table, Visit));
  });
  llvm::sort(Symbols);
  Symbols.erase(llvm::unique(Symbols), Symbols.end());
}

/// The short name without template arguments, which demanglers and compilers
/// write differently.
static std::string baseName(StringRef Name) {
  std::string Short = shortName(Name, OlderRust::AsCXX);
  size_t Arguments = StringRef(Short).starts_with("operator")
                         ? std::string::npos
                         : Short.find('<');
  return Short.substr(0, Arguments);
}

namespace {

/// The first of the symbols that may be the function's. Symbols with the same
/// demangled name (the constructors C1 and C2) count as one.
struct Candidate {
  StringRef Symbol;
  std::string Demangled;
  bool IsUnique = true;

  void add(StringRef Other, StringRef OtherDemangled) {
    if (Symbol.empty()) {
      Symbol = Other;
      Demangled = OtherDemangled.str();
    }
    IsUnique &= Demangled == OtherDemangled;
  }
  StringRef unique() const { return IsUnique ? Symbol : StringRef(); }
};

} // namespace

StringRef LinkageNames::find(uint64_t Entry, StringRef Name, StringRef Unscoped,
                             dwarf::WorkBudget &Budget) const {
  size_t First =
      partition_point(
          Symbols, [&](const auto &Symbol) { return Symbol.first < Entry; }) -
      Symbols.begin();
  auto Rest = ArrayRef(Symbols).drop_front(First);
  std::string Base;
  Candidate Any, InScope;
  for (const auto &[Address, Symbol] :
       Rest.take_front(std::min(Rest.size(), MaxAliases))) {
    if (Address != Entry || Budget.exhausted())
      break;
    if (Base.empty())
      Base = baseName(Unscoped);
    std::string Demangled = demangleName(Symbol, OlderRust::AsCXX);
    Budget.charge(Symbol.size() + Demangled.size());
    // DW_AT_name is better than a name that nobody can read.
    bool IsUnreadable = Symbol.starts_with("_Z") && Demangled == Symbol;
    if (IsUnreadable || baseName(Symbol) != Base)
      continue;
    Any.add(Symbol, Demangled);
    // If functions were folded, prefer the one whose scopes also agree.
    if (StringRef(Demangled).contains(Name))
      InScope.add(Symbol, Demangled);
  }
  return InScope.Symbol.empty() ? Any.unique() : InScope.unique();
}

} // namespace lidia
