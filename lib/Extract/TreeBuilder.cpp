//===- TreeBuilder.cpp - Builds the tree of one function ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TreeBuilder.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lidia {

/// Whether a subprogram that claims to be at 0 is really there.
bool TreeBuilder::isAtZero(const dwarf::FunctionNode &Subprogram) {
  return is_contained(Options.AtZero->Names, Strings[NameOf(Subprogram).Name]);
}

/// GNU as does not clear Arm's Thumb bit in DW_AT_low_pc.
dwarf::AddressRange TreeBuilder::withoutISABit(dwarf::AddressRange R) const {
  uint64_t Bit = R.Start % Options.InstructionAlignment;
  return {R.Start - Bit, R.End - Bit};
}

static Error doNotNest(const dwarf::UnitFunctions &Functions,
                       ArrayRef<uint32_t> Nodes) {
  return make_error<DamagedError>(
      "", formatv("the calls inlined into the function at {0:x} do not nest",
                  Functions.ranges(Functions.Nodes[Nodes[0]]).front().Start)
              .str());
}

/// The claims of all nodes on their addresses, cut to those of the subprogram.
Expected<std::vector<Interval>>
TreeBuilder::claims(const dwarf::UnitFunctions &Functions,
                    ArrayRef<uint32_t> Nodes) {
  std::vector<Interval> Own;
  const dwarf::FunctionNode &Subprogram = Functions.Nodes[Nodes[0]];
  for (dwarf::AddressRange R : Functions.ranges(Subprogram)) {
    if (R.Start == 0 && Options.AtZero && !isAtZero(Subprogram))
      continue;
    R = withoutISABit(R);
    const CodeMap::Area *Area = Code.find(R.Start);
    if (!Area)
      continue;
    // A range that extends beyond its section would take over the code that
    // follows.
    if (R.End > Area->End)
      ++OutsideSection;
    else
      Own.push_back({R.Start, R.End, 0, 0});
  }
  Own = resolveOverlaps(std::move(Own));

  // A few ranges that span many others would multiply the claims.
  size_t MaxClaims = Own.size() * 64 + 1000;
  for (uint32_t Node : Nodes)
    MaxClaims += Functions.Nodes[Node].RangeCount * 64;
  std::vector<Interval> Claims;
  for (uint32_t Node : Nodes)
    for (dwarf::AddressRange R : Functions.ranges(Functions.Nodes[Node])) {
      R = withoutISABit(R);
      auto It = std::upper_bound(
          Own.begin(), Own.end(), R.Start,
          [](uint64_t Start, const Interval &I) { return Start < I.End; });
      for (; It != Own.end() && It->Start < R.End; ++It) {
        Claims.push_back({std::max(It->Start, R.Start),
                          std::min(It->End, R.End), UINT64_MAX - Node, Node});
        Budget.charge(sizeof(Interval));
        if (Claims.size() > MaxClaims || Budget.exhausted())
          return doNotNest(Functions, Nodes);
      }
    }
  Covered.insert(Covered.end(), Own.begin(), Own.end());
  return Claims;
}

Error TreeBuilder::add(const dwarf::UnitFunctions &Functions,
                       ArrayRef<uint32_t> Nodes) {
  Expected<std::vector<Interval>> Claims = claims(Functions, Nodes);
  if (!Claims)
    return Claims.takeError();
  // Compilers split calls into a few pieces. Alternating pieces of deep chains
  // would multiply the ranges: 1000 levels for every few bytes of a range list.
  size_t MaxRanges = Out.Ranges.size() + Claims->size() * 64 + 1000;
  bool TooMany = false;
  FirstRange = Out.Ranges.size();
  NodeOf.clear();
  Shared.clear();
  uint64_t EntryPC = Functions.Nodes[Nodes[0]].Entry;
  Entry = withoutISABit({EntryPC, EntryPC}).Start;
  for (Interval Piece : resolveOverlaps(std::move(*Claims))) {
    TooMany = Out.Ranges.size() > MaxRanges;
    if (TooMany || Budget.exhausted())
      break;
    // A function's pieces may be adjacent, with the entry between them. A range
    // must begin at the entry.
    if (Piece.Start < Entry && Entry < Piece.End) {
      addPiece(Functions, {Piece.Start, Entry, Piece.Rank, Piece.Item});
      Piece.Start = Entry;
    }
    addPiece(Functions, Piece);
  }
  Trees.close(0, LastEnd);
  if (Options.Statements && Options.Lines)
    CallNoter(Functions, Nodes, NodeOf, Shared, FirstRange, Strings, Out,
              Budget, [&](const dwarf::FunctionNode &N) { return callOf(N); })
        .run();
  return TooMany ? doNotNest(Functions, Nodes) : Error::success();
}

void TreeBuilder::addPiece(const dwarf::UnitFunctions &Functions,
                           const Interval &Piece) {
  switchTo(Functions, Piece);
  addRows(Piece.Start, Piece.End);
  LastEnd = Piece.End;
}

void TreeBuilder::addLineOnly(uint64_t Start, uint64_t End) {
  // The row in force at a function's end does not apply to the code after it.
  Start = Lines.firstRow(Start, End);
  if (Start >= End)
    return;
  Entry = Start;
  open(dwarf::FunctionNode(), 0, Start);
  // Symbols without rows of their own do not inherit an earlier row.
  addRows(Start, End, /*KeepRepeated=*/true);
  Trees.close(0, End);
}

/// The range of a call of \p N, without its addresses.
Range TreeBuilder::callOf(const dwarf::FunctionNode &N) {
  Range R;
  R.Depth = N.Depth;
  FunctionName Name = NameOf(N);
  R.Name = Name.Name;
  R.DeclFile = Name.DeclFile;
  R.DeclLine = Name.DeclLine;
  if (N.Depth && Options.Files)
    R.CallFile = Lines.file(N.CallFile);
  if (N.Depth && Options.Lines)
    R.CallLine = N.CallLine;
  if (N.Depth && Options.Columns)
    R.CallColumn = N.CallColumn;
  return R;
}

/// Whether an open range can continue as a call of \p Node: it is the same
/// call, or one that no answer can tell apart, such as the next call of the
/// same function on the same line.
bool TreeBuilder::continues(size_t Depth, const dwarf::UnitFunctions &Functions,
                            uint32_t Node) {
  return Trees.item(Depth) == Node ||
         (Depth && sameCall(callOf(Functions.Nodes[Node]), Trees.range(Depth)));
}

/// Closes and opens ranges until the open ones are the piece's node and its
/// ancestors.
void TreeBuilder::switchTo(const dwarf::UnitFunctions &Functions,
                           const Interval &Piece) {
  Path.clear();
  for (uint32_t N = Piece.Item; N != dwarf::FunctionNode::None;
       N = Functions.Nodes[N].Parent)
    Path.push_back(N);
  std::reverse(Path.begin(), Path.end());
  Budget.charge(Path.size());

  size_t Common = 0;
  if (LastEnd == Piece.Start && Piece.Start != Entry)
    while (Common < Trees.depth() && Common < Path.size() &&
           continues(Common, Functions, Path[Common])) {
      if (Trees.item(Common) != Path[Common]) {
        Shared.push_back({Trees.index(Common), Path[Common], Piece.Start});
        Budget.charge(sizeof(SharedRange));
        Trees.item(Common) = Path[Common];
      }
      ++Common;
    }
  Trees.close(Common, LastEnd);
  for (uint32_t N : ArrayRef(Path).drop_front(Common))
    open(Functions.Nodes[N], N, Piece.Start);
}

void TreeBuilder::open(const dwarf::FunctionNode &N, uint32_t Node,
                       uint64_t Start) {
  Range R = callOf(N);
  R.Start = Start;
  if (!R.Depth && Start != Entry)
    Out.Entries.emplace_back(Out.Ranges.size(), Entry);
  Trees.open(R, Node);
  NodeOf.push_back(Node);
  Budget.charge(sizeof(Range));
}

void TreeBuilder::addRows(uint64_t Start, uint64_t End, bool KeepRepeated) {
  if (!Options.Files)
    return;
  Lines.visit(Start, End, [&](const LinePosition &P) {
    Budget.charge(sizeof(Row));
    Row New;
    New.Line = P.Line;
    New.File = P.File;
    New.Column = Options.Columns ? P.Column : 0;
    Trees.addRow(P.Address, New, KeepRepeated);
  });
}

} // namespace lidia
