//===- CallNotes.cpp - What ranges do not tell of calls -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallNotes.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace lidia {

/// Finds where each node begins in each tree: debuggers take the lowest of its
/// addresses, including those without code.
void CallNoter::findBeginnings() {
  std::vector<uint32_t> Roots;
  for (size_t I = FirstRange; I < Out.Ranges.size(); ++I)
    if (!Out.Ranges[I].Depth)
      Roots.push_back(I);
  auto Add = [&](uint32_t Node, uint64_t Address) {
    auto It = partition_point(
        Roots, [&](uint32_t I) { return Out.Ranges[I].End <= Address; });
    if (It != Roots.end() && Out.Ranges[*It].Start <= Address)
      Beginnings.push_back({*It, Node, Address});
  };
  for (uint32_t Node : Nodes.drop_front()) {
    const dwarf::FunctionNode &N = Functions.Nodes[Node];
    for (const dwarf::AddressRange &R : Functions.ranges(N))
      Add(Node, R.Start);
    for (uint64_t Address : Functions.emptyRanges(N))
      Add(Node, Address);
  }
  sort(Beginnings, [](const Beginning &A, const Beginning &B) {
    return std::tie(A.Root, A.Node, A.Address) <
           std::tie(B.Root, B.Node, B.Address);
  });
  Beginnings.erase(std::unique(Beginnings.begin(), Beginnings.end(),
                               [](const Beginning &A, const Beginning &B) {
                                 return A.Root == B.Root && A.Node == B.Node;
                               }),
                   Beginnings.end());
}

/// Notes which ranges readers would take for parts of an earlier call with the
/// same function and site.
void CallNoter::noteParts(size_t Root, size_t End) {
  // Calls are named by their first ranges.
  using Key = std::tuple<uint32_t, StringID, StringID, uint32_t, uint32_t>;
  DenseMap<Key, uint32_t> Known;
  SmallVector<uint32_t, 16> Open;
  for (size_t I = Root + 1; I < End; ++I) {
    const Range &R = Out.Ranges[I];
    uint32_t Number = I - Root;
    Open.truncate(R.Depth - 1);
    uint32_t First = FirstOf.try_emplace(node(I), Number).first->second;
    auto [It, IsNew] =
        Known.try_emplace({Open.empty() ? 0 : Open.back(), R.Name, R.CallFile,
                           R.CallLine, R.CallColumn},
                          Number);
    if (!IsNew && It->second != First) {
      CallNote N;
      N.Kind = CallNote::Part;
      N.Range = Number;
      N.First = First;
      Notes.push_back(N);
    }
    Open.push_back(IsNew ? Number : First);
  }
}

void CallNoter::noteBeginning(size_t Root, const Beginning &B) {
  CallNote N;
  N.Address = B.Address;
  if (auto First = FirstOf.find(B.Node); First != FirstOf.end()) {
    N.Kind = CallNote::Start;
    N.Range = First->second;
    if (B.Address < Out.Ranges[Root + N.Range].Start)
      Notes.push_back(N);
    return;
  }
  const dwarf::FunctionNode &Node = Functions.Nodes[B.Node];
  uint32_t Parent = Node.Parent;
  while (Parent != Node.Subprogram && !FirstOf.count(Parent))
    Parent = Functions.Nodes[Parent].Parent;
  Range Call = CallOf(Node);
  // C++ programs have very many calls of accessors and the like without code.
  // In ceph-osd they would take 8 % of the archive, most of it for names that
  // nothing else has.
  if (isMangled(Strings[Call.Name]) ||
      ++CallsWithoutCode > format::MaxCallsWithoutCode)
    return;
  N.Kind = CallNote::Empty;
  N.Range = FirstOf.lookup(Parent);
  N.Function = Call.Name;
  N.CallFile = Call.CallFile;
  N.CallLine = Call.CallLine;
  N.CallColumn = Call.CallColumn;
  Notes.push_back(N);
}

void CallNoter::noteTree(size_t Root, size_t End) {
  FirstOf.clear();
  Notes.clear();
  CallsWithoutCode = 0;
  noteParts(Root, End);
  auto Of = make_range(std::equal_range(
      Beginnings.begin(), Beginnings.end(), Beginning{uint32_t(Root), 0, 0},
      [](const Beginning &A, const Beginning &B) { return A.Root < B.Root; }));
  for (const Beginning &B : Of)
    noteBeginning(Root, B);
  sort(Notes, [](const CallNote &A, const CallNote &B) {
    return std::tie(A.Range, A.Kind, A.Address) <
           std::tie(B.Range, B.Kind, B.Address);
  });
  for (const CallNote &N : Notes)
    Out.CallNotes.push_back({uint32_t(Root), N});
  Budget.charge(Notes.size() * sizeof(CallNote));
}

void CallNoter::run() {
  if (Nodes.size() < 2)
    return;
  findBeginnings();
  for (size_t Root = FirstRange; Root < Out.Ranges.size();) {
    size_t End = Out.treeEnd(Root);
    noteTree(Root, End);
    Root = End;
  }
}

} // namespace lidia
