//===- FunctionNaming.cpp - Names the functions of a unit -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionNaming.h"

using namespace llvm;

namespace lidia {

void FunctionNaming::enter(const dwarf::Unit &U,
                           dwarf::FunctionNames &NamesOfUnit, UnitRanges &To) {
  Unit = &U;
  Names = &NamesOfUnit;
  Result = &To;
  NameCache.clear();
  CalleeNames.clear();
  LinkageOf.clear();
}

/// The linkage name of the subprogram \p Node, if only its symbol has it. An
/// inlined call has no symbol, so it keeps the name that debug information has.
StringRef FunctionNaming::linkageName(const dwarf::FunctionNode &Node,
                                      const dwarf::FunctionIdentity &F) {
  if (Node.Depth || !F.NameDIE)
    return StringRef();
  uint64_t Entry = Node.Entry - Node.Entry % Options.InstructionAlignment;
  StringRef Name = Options.Linkage.find(Entry, F.Name, F.Unscoped, Budget);
  if (!Name.empty())
    LinkageOf.try_emplace(F.NameDIE, Name);
  return Name;
}

FunctionName FunctionNaming::nameOf(const dwarf::FunctionNode &Node) {
  auto [It, New] = NameCache.try_emplace(Node.DIE);
  FunctionName &Found = It->second;
  if (New && !Budget.exhausted()) {
    bool KeepsDeclaration = Options.Statements && Options.Lines;
    using dwarf::IdentityParts;
    IdentityParts Parts = !KeepsDeclaration ? IdentityParts::Name
                          : Node.Depth      ? IdentityParts::Declaration
                                            : IdentityParts::LastDeclaration;
    dwarf::FunctionIdentity F = Names->identify(Node.DIE, NameStorage, Parts);
    if (Budget.exhausted())
      return FunctionName();
    StringRef Linkage = linkageName(Node, F);
    if (!Linkage.empty())
      F.Name = Linkage;
    // Symbol tables stay open, unlike what was decompressed.
    Found.Name = Linkage.empty() ? intern(F.Name)
                                 : Strings.intern(F.Name, /*Stable=*/true);
    if (KeepsDeclaration) {
      addPlainName(F, Found.Name);
      addDeclaration(F, Found);
      if (Node.Depth == 0)
        addLastDeclaration(F, Found);
    }
  }
  return Found;
}

/// The ID of \p Name, which may be in a section. Linkers keep each string of
/// .debug_str once, so most names of a unit are known by their place there.
StringID FunctionNaming::intern(StringRef Name) {
  if (Name.begin() < S.Str.begin() || Name.begin() >= S.Str.end())
    return Strings.intern(Name, /*Stable=*/false);
  auto [It, New] = InternedNames.try_emplace(Name.data());
  if (New)
    It->second = Strings.intern(Name, /*Stable=*/false);
  return It->second;
}

void FunctionNaming::addPlainName(const dwarf::FunctionIdentity &F,
                                  StringID Name) {
  if (F.Plain.empty() || F.Plain == F.Name || dwarf::isMangled(F.Name))
    return;
  StringID Plain = intern(F.Plain);
  Result->PlainNames.push_back({Name, Plain});
}

void FunctionNaming::addDeclaration(const dwarf::FunctionIdentity &F,
                                    FunctionName &Found) {
  if (!F.DeclLine || !F.DeclFile)
    return;
  Found.DeclFile = fileOf(F.DeclFileDIE, *F.DeclFile);
  if (Found.DeclFile)
    Found.DeclLine = F.DeclLine;
}

void FunctionNaming::addLastDeclaration(const dwarf::FunctionIdentity &F,
                                        const FunctionName &Found) {
  bool IsFirst = F.LastDeclFileDIE == F.DeclFileDIE &&
                 F.LastDeclFile == F.DeclFile && F.LastDeclLine == F.DeclLine;
  if (IsFirst || !Found.Name || !F.LastDeclLine || !F.LastDeclFile)
    return;
  StringID File = fileOf(F.LastDeclFileDIE, *F.LastDeclFile);
  if (File && (File != Found.DeclFile || F.LastDeclLine != Found.DeclLine))
    Result->LastDeclarations.push_back({Found.Name, File, F.LastDeclLine});
}

/// The file with the number \p Number in the unit of \p DIE; zero if there is
/// none.
StringID FunctionNaming::fileOf(uint64_t DIE, uint64_t Number) {
  const dwarf::Unit *U = Names->unitOf(DIE);
  if (!U)
    return 0;
  return U == Unit ? Lines.file(Number) : Lines.fileOf(*U, Number);
}

/// The name of a function that may not be in this unit. Faster than nameOf(),
/// which also finds the declaration.
StringID FunctionNaming::calleeName(uint64_t DIE) {
  if (auto Known = NameCache.find(DIE); Known != NameCache.end())
    return Known->second.Name;
  auto [It, New] = CalleeNames.try_emplace(DIE, 0);
  if (!New || Budget.exhausted())
    return It->second;
  dwarf::FunctionIdentity F =
      Names->identify(DIE, NameStorage, dwarf::IdentityParts::Name);
  StringRef Linkage = LinkageOf.lookup(F.NameDIE);
  if (!Budget.exhausted())
    It->second = Linkage.empty() ? intern(F.Name)
                                 : Strings.intern(Linkage, /*Stable=*/true);
  return It->second;
}

} // namespace lidia
