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
static constexpr unsigned MostSteps = 4096, LongestWay = 64;

/// The index of the range of depth 0 at \p Address.
static std::optional<uint64_t> rootAt(const Archive &A, uint64_t Address) {
  SmallVector<Frame, 8> Frames;
  A.lookup(Address, Frames);
  if (Frames.empty())
    return std::nullopt;
  return Frames.back().Range;
}

std::optional<StringOffset>
TailCallFinder::calleeBefore(uint64_t ReturnAddress) const {
  std::optional<StringOffset> Callee;
  if (ReturnAddress == 0)
    return Callee;
  visitCalls(A, ReturnAddress - 1, ReturnAddress, [&](const FunctionCall &C) {
    if (!C.isTail() && !C.hasTarget() && C.returnAddress() == ReturnAddress)
      Callee = C.Callee;
  });
  return Callee;
}

bool TailCallFinder::hasCall(uint64_t ReturnAddress) const {
  return calleeBefore(ReturnAddress).has_value();
}

/// The other names of the function at the range \p Root of depth 0.
std::vector<std::string> TailCallFinder::aliases(uint64_t Root) const {
  std::vector<std::string> Names;
  // Damage is reported by Archive::damage().
  consumeError(visitAliases(A, [&](const FunctionAlias &Alias) {
    if (Alias.Root == Root)
      Names.push_back(Alias.Name.str());
  }));
  return Names;
}

/// Only functions with tail calls become nodes.
void TailCallFinder::readGraph() {
  visitCalls(A, 0, UINT64_MAX, [&](const FunctionCall &C) {
    std::optional<uint64_t> Root =
        C.isTail() ? rootAt(A, C.Address) : std::nullopt;
    if (!Root)
      return;
    uint64_t Entry = A.range(A.entry(*Root).value_or(*Root)).VA;
    Node &N = Nodes[A.function(*Root)];
    N.IsAmbiguous |= !N.Edges.empty() && N.Entry != Entry;
    N.Entry = Entry;
    std::optional<uint64_t> Return = C.returnAddress();
    N.Edges.push_back({{Return.value_or(C.Address), Return.has_value()},
                       C.hasTarget() ? 0 : C.Callee});
  });
}

/// One search.
class TailCallFinder::Search {
public:
  /// Finds ways to the function that has each of \p Names.
  Search(const TailCallFinder &F, ArrayRef<std::string> Names)
      : F(F), Names(Names) {}

  /// Follows the tail calls of \p Function. Returns false if it may also have
  /// led to functions that are not known.
  bool follow(StringOffset Function);

  /// What all ways have in common; see find().
  void result(SmallVectorImpl<TailCall> &Calls) const;

private:
  void addWay();
  static bool isSame(const TailCall &X, const TailCall &Y) {
    return X.Address == Y.Address;
  }

  const TailCallFinder &F;
  ArrayRef<std::string> Names;
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
  if (is_contained(Names, F.A.string(Function))) {
    addWay();
    return true;
  }
  auto Found = F.Nodes.find(Function);
  if (Found == F.Nodes.end())
    return true;
  const Node &N = Found->second;
  if (N.IsAmbiguous)
    return false;
  for (const Edge &E : N.Edges) {
    if (!E.Callee || ++Steps > MostSteps || Way.size() == LongestWay)
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

void TailCallFinder::find(uint64_t ReturnAddress, const TailCallFinder &Callee,
                          uint64_t Address, SmallVectorImpl<TailCall> &Calls) {
  Calls.clear();
  std::optional<StringOffset> Called = calleeBefore(ReturnAddress);
  std::optional<uint64_t> Root = rootAt(Callee.A, Address);
  if (!Called || !Root)
    return;
  StringRef Name = Callee.A.string(Callee.A.function(*Root));
  // Most calls have led directly to their callee.
  if (Name.empty() || Name == A.string(*Called))
    return;
  std::call_once(HasGraph, [&] { readGraph(); });
  if (!Nodes.count(*Called))
    return;
  std::vector<std::string> Names = Callee.aliases(*Root);
  Names.push_back(Name.str());
  Search S(*this, Names);
  if (S.follow(*Called))
    S.result(Calls);
}

} // namespace lidia
