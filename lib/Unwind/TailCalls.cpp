//===- TailCalls.cpp - Functions that tail calls replaced -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Unwind/TailCalls.h"
#include "lidia/Archive/Aliases.h"
#include "lidia/Archive/Calls.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

/// The maximum number of tail calls that one search follows, and the number of
/// them in one way. Programs have few ways between two functions.
static constexpr unsigned MaxSteps = 4096, LongestWay = 64;

/// The index of the range of depth 0 at \p Address.
static std::optional<uint64_t> rootAt(const Archive &A, uint64_t Address) {
  SmallVector<Frame, 8> Frames;
  A.lookup(Address, Frames);
  if (Frames.empty())
    return std::nullopt;
  return Frames.back().Range;
}

uint64_t TailCallFinder::functionEnd(uint64_t Address) const {
  std::optional<uint64_t> Root = rootAt(A, Address);
  if (!Root)
    return UINT64_MAX;
  RangeEntry Range = A.range(*Root);
  return Range.VA + Range.Length;
}

/// The function name at \p Name; empty if there is no string there. Archives
/// are not trusted, so an offset is used as a key only if it has a string.
StringRef TailCallFinder::text(StringOffset Name) const {
  return A.string(Name);
}

/// The callee of the first call that ends with the byte before
/// \p ReturnAddress. A valid archive has no other one there.
std::optional<StringOffset>
TailCallFinder::calleeBefore(uint64_t ReturnAddress) const {
  if (ReturnAddress == 0 || !A.rangeCount())
    return std::nullopt;
  uint64_t First = lowerBound(A.callCount(), [&](uint64_t Index) {
    return A.call(Index).Address < ReturnAddress - 1;
  });
  if (First >= A.callCount())
    return std::nullopt;
  FunctionCall C = A.call(First);
  if (C.isTail() || C.hasTarget() || C.returnAddress() != ReturnAddress ||
      text(C.Callee).empty())
    return std::nullopt;
  return C.Callee;
}

bool TailCallFinder::hasCall(uint64_t ReturnAddress) const {
  return calleeBefore(ReturnAddress).has_value();
}

std::string TailCallFinder::calledAs(uint64_t ReturnAddress,
                                     TailCallFinder &Callee, uint64_t Address) {
  std::optional<StringOffset> Name = calleeBefore(ReturnAddress);
  if (!Name)
    return "";
  Callee.read();
  auto Found = Callee.Aliases.find(text(*Name));
  if (Found == Callee.Aliases.end() || !Found->second ||
      Found->second != rootAt(Callee.A, Address))
    return "";
  return text(*Name).str();
}

/// The address at which the function of the range \p Root is entered.
uint64_t TailCallFinder::entryOf(uint64_t Root) const {
  return A.range(A.entry(Root).value_or(Root)).VA;
}

/// Of a function without lines, the calls are not known either.
void TailCallFinder::readFunctions() {
  for (uint64_t I = 0, E = A.rangeCount(); I != E; ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth != 0 || R.RowCount == 0 || text(R.Function).empty())
      continue;
    uint64_t Entry = entryOf(I);
    auto [Known, IsNew] = Nodes.try_emplace(R.Function);
    Known->second.IsAmbiguous |= !IsNew && Known->second.Entry != Entry;
    Known->second.Entry = Entry;
  }
}

void TailCallFinder::readTailCalls() {
  visitCalls(A, 0, UINT64_MAX, [&](const FunctionCall &C) {
    std::optional<uint64_t> Root =
        C.isTail() ? rootAt(A, C.Address) : std::nullopt;
    if (!Root)
      return;
    if (!Nodes.count(A.function(*Root)))
      return;
    bool IsKnown = !C.hasTarget() && !text(C.Callee).empty();
    std::optional<uint64_t> Return = C.returnAddress();
    Edges[entryOf(*Root)].push_back(
        {{Return.value_or(C.Address), Return.has_value()},
         IsKnown ? C.Callee : 0});
  });
}

void TailCallFinder::readAliases() {
  // Damage is reported by Archive::damage().
  consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    auto [Known, IsNew] = Aliases.try_emplace(Alias.Name, Alias.Root);
    if (!IsNew && Known->second != Alias.Root)
      Known->second.reset();
  }));
}

void TailCallFinder::read() {
  std::call_once(IsRead, [&] {
    readFunctions();
    readTailCalls();
    readAliases();
  });
}

/// One search.
class TailCallFinder::Search {
public:
  /// Finds ways to the function \p Root of \p Callee.
  Search(const TailCallFinder &F, const TailCallFinder &Callee, uint64_t Root)
      : F(F), Callee(Callee), Root(Root),
        Name(Callee.text(Callee.A.function(Root))) {}

  /// Follows the tail calls of \p Function. Returns false if it may also have
  /// led to functions that are not known.
  bool follow(StringOffset Function);
  /// The same for the function that is entered at \p Entry.
  bool followFrom(uint64_t Entry);

  /// What all ways have in common; see find().
  void result(SmallVectorImpl<TailCall> &Calls) const;

private:
  void addWay();
  static bool isSame(const TailCall &X, const TailCall &Y) {
    return X.Address == Y.Address;
  }

  bool isCallee(StringRef Called) const {
    if (Called == Name)
      return true;
    auto Found = Callee.Aliases.find(Called);
    return Found != Callee.Aliases.end() && Found->second == Root;
  }

  const TailCallFinder &F;
  const TailCallFinder &Callee;
  const uint64_t Root;
  const StringRef Name;
  /// The way to the current function, from the outermost one.
  SmallVector<TailCall, 8> Way;
  /// The first way that was found, and how much of its beginning and of its
  /// end it has in common with the others.
  std::optional<SmallVector<TailCall, 8>> First;
  size_t Beginning = 0, End = 0;
  unsigned Steps = 0;
};

void TailCallFinder::Search::addWay() {
  if (!First) {
    First = Way;
    Beginning = End = Way.size();
    return;
  }
  auto Common = [&](auto X, auto EndX, auto Y, auto EndY) {
    return size_t(std::mismatch(X, EndX, Y, EndY, isSame).first - X);
  };
  Beginning = std::min(
      Beginning, Common(First->begin(), First->end(), Way.begin(), Way.end()));
  End = std::min(
      End, Common(First->rbegin(), First->rend(), Way.rbegin(), Way.rend()));
}

bool TailCallFinder::Search::follow(StringOffset Function) {
  auto Found = F.Nodes.find(Function);
  if (Found != F.Nodes.end() && Found->second.IsAmbiguous)
    return false;
  if (isCallee(F.text(Function))) {
    addWay();
    return true;
  }
  // A function that is called by its alias makes no tail calls: those that do
  // have their own names in calls.
  if (Found == F.Nodes.end())
    return F.Aliases.count(F.text(Function));
  return followFrom(Found->second.Entry);
}

bool TailCallFinder::Search::followFrom(uint64_t Entry) {
  auto Found = F.Edges.find(Entry);
  if (Found == F.Edges.end())
    return true;
  for (const Edge &E : Found->second) {
    if (!E.Callee || ++Steps > MaxSteps || Way.size() == LongestWay)
      return false;
    if (any_of(Way, [&](const TailCall &C) { return isSame(C, E.Call); }))
      continue;
    Way.push_back(E.Call);
    bool IsKnown = follow(E.Callee);
    Way.pop_back();
    if (!IsKnown)
      return false;
  }
  return true;
}

void TailCallFinder::Search::result(SmallVectorImpl<TailCall> &Calls) const {
  if (!First)
    return;
  size_t FromEnd = std::min(End, First->size());
  size_t FromBeginning = std::min(Beginning, First->size() - FromEnd);
  for (size_t I = 0; I != First->size(); ++I)
    if (I < FromEnd || I >= First->size() - FromBeginning)
      Calls.push_back((*First)[First->size() - 1 - I]);
}

void TailCallFinder::find(uint64_t ReturnAddress,
                          std::optional<uint64_t> Target,
                          TailCallFinder &Callee, uint64_t Address,
                          SmallVectorImpl<TailCall> &Calls) {
  Calls.clear();
  std::optional<StringOffset> Called = calleeBefore(ReturnAddress);
  std::optional<uint64_t> Root = rootAt(Callee.A, Address);
  if (!Called || !Root)
    return;
  StringRef Name = Callee.text(Callee.A.function(*Root));
  // Most calls have led directly to their callee.
  if (Name.empty() || Name == text(*Called))
    return;
  read();
  Callee.read();
  auto First = Nodes.find(*Called);
  if (First == Nodes.end() || (First->second.IsAmbiguous && !Target))
    return;
  // Of several functions with one name, the instruction says which it is.
  uint64_t Entry = First->second.Entry;
  if (Target && First->second.IsAmbiguous) {
    std::optional<uint64_t> Its = rootAt(A, *Target);
    if (!Its || A.function(*Its) != *Called)
      return;
    Entry = entryOf(*Its);
  }
  if (Target && *Target != Entry)
    return;
  Search S(*this, Callee, *Root);
  if (S.followFrom(Entry))
    S.result(Calls);
}

} // namespace lidia
