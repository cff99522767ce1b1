//===- CallNotes.cpp - What ranges do not tell of calls -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallNotes.h"
#include "DWARF/FunctionNames.h"
#include "Support/StableSort.h"
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
  if (Roots.empty())
    return;
  // Most functions have one or two trees, so the root is mostly that of the
  // address before.
  auto It = Roots.begin();
  auto Contains = [&](uint64_t Address) {
    return It != Roots.end() && Out.Ranges[*It].Start <= Address &&
           Address < Out.Ranges[*It].End;
  };
  auto Add = [&](uint32_t Node, uint64_t Address) {
    if (!Contains(Address))
      It = partition_point(
          Roots, [&](uint32_t I) { return Out.Ranges[I].End <= Address; });
    if (!Contains(Address))
      return;
    if (!Beginnings.empty() && Beginnings.back().Node == Node &&
        Beginnings.back().Root == *It)
      Beginnings.back().Address = std::min(Beginnings.back().Address, Address);
    else
      Beginnings.push_back({*It, Node, Address});
  };
  for (uint32_t Node : Nodes.drop_front()) {
    const dwarf::FunctionNode &N = Functions.Nodes[Node];
    for (const dwarf::AddressRange &R : Functions.ranges(N))
      Add(Node, R.Start);
    for (uint64_t Address : Functions.emptyRanges(N))
      Add(Node, Address);
  }
  // Nodes ascend.
  if (Roots.size() == 1)
    return;
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

/// Records code of the call \p Node in the range \p R with the number
/// \p Number. Returns the call's number.
uint32_t CallNoter::see(uint32_t Node, uint32_t Number, const Range &R) {
  auto [It, IsNew] = Seen.try_emplace(Node, SeenCall{Number, 0});
  if (IsNew)
    It->second.Number = CallCounts[{Functions.Nodes[Node].Parent, R.Name,
                                    R.CallFile, R.CallLine, R.CallColumn}]++;
  return It->second.Number;
}

/// Adds notes about the calls that the code of the range \p Number belongs to,
/// where readers would assume something else. \p Rest is the code of other
/// calls in the range.
void CallNoter::noteCode(size_t Root, uint32_t Number,
                         ArrayRef<SharedRange> Rest) {
  const Range &R = Out.Ranges[Root + Number];
  SharedRange Piece = {Root + Number, node(Root + Number), R.Start};
  uint32_t Expected = 0;
  while (true) {
    uint32_t Call = see(Piece.Node, Number, R);
    if (Call != Expected && ++Cuts <= format::MaxCuts) {
      CallNote N;
      N.Kind = CallNote::Code;
      N.Range = Number;
      N.Call = Call;
      N.Address = Piece.Address;
      Notes.push_back(N);
    }
    if (Rest.empty())
      return;
    // Readers start with number 0 in each of the enclosing calls.
    bool SameParent = Functions.Nodes[Piece.Node].Parent ==
                      Functions.Nodes[Rest.front().Node].Parent;
    Expected = SameParent ? Call : 0;
    Piece = Rest.front();
    Rest = Rest.drop_front();
  }
}

void CallNoter::noteCode(size_t Root, size_t End) {
  for (size_t I = Root + 1; I < End; ++I) {
    const SharedRange *Begin = partition_point(
        Shared, [&](const SharedRange &S) { return S.Range < I; });
    noteCode(
        Root, uint32_t(I - Root),
        ArrayRef<SharedRange>(Begin, Shared.end())
            .take_while([&](const SharedRange &S) { return S.Range == I; }));
  }
}

void CallNoter::noteBeginning(size_t Root, const Beginning &B) {
  CallNote N;
  N.Address = B.Address;
  if (auto First = Seen.find(B.Node); First != Seen.end()) {
    N.Kind = CallNote::Start;
    N.Range = First->second.FirstRange;
    // The start of a range is that of the first call in it.
    if (B.Address < Out.Ranges[Root + N.Range].Start &&
        node(Root + N.Range) == B.Node)
      Notes.push_back(N);
    return;
  }
  const dwarf::FunctionNode &Node = Functions.Nodes[B.Node];
  Range Call = CallOf(Node);
  // C++ programs have very many calls without code, for example of accessors.
  // In ceph-osd they would take 8 % of the archive, mostly for names that are
  // not used otherwise.
  if (dwarf::isMangled(Strings[Call.Name]) ||
      ++CallsWithoutCode > format::MaxCallsWithoutCode)
    return;
  uint32_t Parent = Node.Parent;
  while (Parent != Node.Subprogram && !Seen.count(Parent))
    Parent = Functions.Nodes[Parent].Parent;
  N.Kind = CallNote::Empty;
  N.Range = Seen.lookup(Parent).FirstRange;
  N.Function = Call.Name;
  N.CallFile = Call.CallFile;
  N.CallLine = Call.CallLine;
  N.CallColumn = Call.CallColumn;
  Notes.push_back(N);
}

void CallNoter::noteTree(size_t Root, size_t End) {
  Seen.clear();
  Notes.clear();
  CallCounts.clear();
  CallsWithoutCode = Cuts = 0;
  noteCode(Root, End);
  auto Of = make_range(std::equal_range(
      Beginnings.begin(), Beginnings.end(), Beginning{uint32_t(Root), 0, 0},
      [](const Beginning &A, const Beginning &B) { return A.Root < B.Root; }));
  for (const Beginning &B : Of)
    noteBeginning(Root, B);
  // Calls at one address keep the order of their DIEs.
  stableSort(Notes, [](const CallNote &N) {
    return std::make_tuple(N.Range, N.Kind, N.Address);
  });
  for (const CallNote &N : Notes)
    Out.CallNotes.push_back({uint32_t(Root), N});
  Budget.charge(Notes.size() * sizeof(CallNote));
}

void CallNoter::run() {
  if (Nodes.size() < 2)
    return;
  findBeginnings();
  sort(Shared, [](const SharedRange &A, const SharedRange &B) {
    return std::tie(A.Range, A.Address, A.Node) <
           std::tie(B.Range, B.Address, B.Node);
  });
  for (size_t Root = FirstRange; Root < Out.Ranges.size();) {
    size_t End = Out.treeEnd(Root);
    noteTree(Root, End);
    Root = End;
  }
}

} // namespace lidia
