//===- CallEdges.cpp - Which calls an archive keeps -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallEdges.h"
#include "lidia/Archive/Format.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace lidia {

namespace {
/// The functions with tail calls by their aliases.
class AliasedFunctions {
public:
  AliasedFunctions(const StringPool &Strings, const BitVector &HasTailCall,
                   ArrayRef<std::pair<uint64_t, StringRef>> Aliases,
                   VisitFunctions Visit);

  /// The function's own name for the callee \p Name.
  StringID ownName(StringID Name);

private:
  const StringPool &Strings;
  /// Zero for an alias of several functions.
  StringMap<StringID> ByAlias;
  DenseMap<StringID, StringID> Known;
};
} // namespace

AliasedFunctions::AliasedFunctions(
    const StringPool &Strings, const BitVector &HasTailCall,
    ArrayRef<std::pair<uint64_t, StringRef>> Aliases, VisitFunctions Visit)
    : Strings(Strings) {
  if (Aliases.empty() || HasTailCall.none())
    return;
  DenseMap<uint64_t, StringID> At;
  // DenseMap reserves the two greatest numbers.
  Visit([&](uint64_t Start, StringID Name) {
    if (HasTailCall.test(Name) && Start < UINT64_MAX - 1)
      At.try_emplace(Start, Name);
  });
  for (const auto &[Address, Alias] : Aliases) {
    auto Found = Address < UINT64_MAX - 1 ? At.find(Address) : At.end();
    if (Found == At.end() || Alias == Strings[Found->second])
      continue;
    auto [Known, IsNew] = ByAlias.try_emplace(Alias, Found->second);
    if (!IsNew && Known->second != Found->second)
      Known->second = 0;
  }
  // A function may have the name of another one's alias.
  Visit([&](uint64_t, StringID Name) {
    if (ByAlias.empty())
      return;
    if (auto Found = ByAlias.find(Strings[Name]); Found != ByAlias.end())
      Found->second = 0;
  });
}

StringID AliasedFunctions::ownName(StringID Name) {
  if (ByAlias.empty())
    return Name;
  auto [Found, IsNew] = Known.try_emplace(Name, Name);
  if (IsNew)
    if (StringID Own = ByAlias.lookup(Strings[Name]))
      Found->second = Own;
  return Found->second;
}

/// Whether \p A and \p B differ only as the constructors of one body do (C1 and
/// C2), or its destructors.
static bool areVariants(StringRef A, StringRef B) {
  if (A.size() != B.size())
    return false;
  auto [X, Y] = std::mismatch(A.begin(), A.end(), B.begin());
  return X != A.end() && X != A.begin() && isDigit(*X) && isDigit(*Y) &&
         (X[-1] == 'C' || X[-1] == 'D') && std::equal(X + 1, A.end(), Y + 1);
}

/// The \p Aliases that are names of folded functions. Linkers also leave out
/// the debug information of these, so that nothing but their names tells. Those
/// of C are left out, because C libraries have aliases that mean the same.
static StringSet<>
foldedAliases(const StringPool &Strings,
              ArrayRef<std::pair<uint64_t, StringRef>> Aliases,
              VisitFunctions Visit) {
  StringSet<> Folded;
  DenseMap<uint64_t, StringID> At;
  auto IsMangled = [](StringRef Name) {
    return Name.starts_with("_Z") || Name.starts_with("_R");
  };
  if (any_of(Aliases, [&](const auto &A) { return IsMangled(A.second); }))
    // DenseMap reserves the two greatest numbers.
    Visit([&](uint64_t Start, StringID Name) {
      if (Start < UINT64_MAX - 1)
        At.try_emplace(Start, Name);
    });
  for (const auto &[Address, Alias] : Aliases) {
    auto Found = Address < UINT64_MAX - 1 ? At.find(Address) : At.end();
    if (Found == At.end() || !IsMangled(Alias))
      continue;
    StringRef Own = Strings[Found->second];
    if (Own != Alias && IsMangled(Own) && !areVariants(Own, Alias))
      Folded.insert(Alias);
  }
  return Folded;
}

void dropUselessCalls(std::vector<SourceRanges> &Sources,
                      const StringPool &Strings,
                      ArrayRef<std::pair<uint64_t, StringRef>> Aliases,
                      const DenseSet<StringID> &Folded, VisitFunctions Visit) {
  BitVector HasTailCall(Strings.idEnd());
  for (const SourceRanges &S : Sources)
    for (const UnitRanges &U : S.Units)
      for (StringID Name : U.TailCallers)
        HasTailCall.set(Name);
  AliasedFunctions Aliased(Strings, HasTailCall, Aliases, Visit);
  const StringSet<> FoldedNames = foldedAliases(Strings, Aliases, Visit);
  for (SourceRanges &S : Sources)
    for (UnitRanges &U : S.Units) {
      for (CallEdge &C : U.Calls)
        if (!(C.Flags & format::CF_Target))
          C.Callee = Aliased.ownName(C.Callee);
      erase_if(U.Calls, [&](const CallEdge &C) {
        return !(C.Flags & (format::CF_Tail | format::CF_Target)) &&
               !HasTailCall.test(C.Callee) && !Folded.contains(C.Callee) &&
               (FoldedNames.empty() ||
                !FoldedNames.contains(Strings[C.Callee]));
      });
      U.Calls.shrink_to_fit();
    }
}

void appendCalls(const UnitRanges &Unit, uint64_t Start, uint64_t End,
                 std::vector<CallEdge> &Out) {
  auto First = partition_point(
      Unit.Calls, [&](const CallEdge &C) { return C.Address < Start; });
  auto Last = std::find_if(First, Unit.Calls.end(),
                           [&](const CallEdge &C) { return C.Address >= End; });
  Out.insert(Out.end(), First, Last);
}

} // namespace lidia
