//===- BlockFinder.cpp - Blocks that breakpoints depend on ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockFinder.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace llvm;

namespace lidia {

BlockFinder::BlockFinder(const dwarf::UnitFunctions &Functions,
                         uint8_t InstructionAlignment,
                         dwarf::WorkBudget &Budget)
    : Functions(Functions), InstructionAlignment(InstructionAlignment),
      Budget(Budget), Order(Functions.Blocks.size()) {
  std::iota(Order.begin(), Order.end(), 0);
  // The blocks of nested subprograms come between those of the outer one.
  llvm::sort(Order, [&](uint32_t A, uint32_t B) {
    return std::make_pair(subprogramOf(A), A) <
           std::make_pair(subprogramOf(B), B);
  });
}

uint32_t BlockFinder::subprogramOf(uint32_t Block) const {
  return Functions.Nodes[Functions.Blocks[Block].Node].Subprogram;
}

// Numbers of DIEs, ascending in their order: the high half is one more than the
// index of the last node up to there, the low half one more than that of the
// block, or zero for the node itself.

static uint64_t numberOfNode(uint32_t Node) {
  return (uint64_t(Node) + 1) << 32;
}

static uint64_t numberOfBlock(const dwarf::LexicalBlock &B, uint32_t Index) {
  return uint64_t(B.NodesBefore) << 32 | (Index + 1);
}

/// The innermost node of the DIE with the number \p Number.
uint32_t BlockFinder::nodeOf(uint64_t Number) const {
  if (uint32_t Block = uint32_t(Number))
    return Functions.Blocks[Block - 1].Node;
  return uint32_t((Number >> 32) - 1);
}

/// For each address of the subprogram at \p Nodes[0], the innermost DIE: Item
/// is its number. Empty if the subprogram has no blocks.
std::vector<Interval> BlockFinder::innermost(ArrayRef<uint32_t> Nodes) const {
  uint32_t Subprogram = Nodes[0];
  auto Precedes = [&](uint32_t B) { return subprogramOf(B) < Subprogram; };
  auto IsInside = [&](uint32_t B) { return subprogramOf(B) == Subprogram; };
  size_t First = partition_point(Order, Precedes) - Order.begin();
  ArrayRef<uint32_t> Blocks =
      ArrayRef(Order).drop_front(First).take_while(IsInside);
  std::vector<Interval> Claims;
  auto Add = [&](ArrayRef<dwarf::AddressRange> Ranges, uint64_t Number) {
    for (dwarf::AddressRange R : Ranges) {
      uint64_t Bit = R.Start % InstructionAlignment;
      Claims.push_back(
          {R.Start - Bit, R.End - Bit, UINT64_MAX - Number, Number});
    }
    Budget.charge(Ranges.size() * sizeof(Interval));
  };
  if (Blocks.empty())
    return Claims;
  auto AddNodesBefore = [&](uint64_t Number) {
    while (!Nodes.empty() && numberOfNode(Nodes.front()) < Number) {
      Add(Functions.ranges(Functions.Nodes[Nodes.front()]),
          numberOfNode(Nodes.front()));
      Nodes = Nodes.drop_front();
    }
  };
  // In the order of DIEs, which resolveOverlaps() sorts faster.
  for (uint32_t Block : Blocks) {
    const dwarf::LexicalBlock &B = Functions.Blocks[Block];
    AddNodesBefore(numberOfBlock(B, Block));
    Add(Functions.ranges(B), numberOfBlock(B, Block));
  }
  AddNodesBefore(UINT64_MAX);
  return resolveOverlaps(std::move(Claims));
}

void BlockFinder::enter(ArrayRef<uint32_t> Nodes) {
  Innermost = innermost(Nodes);
  At = Innermost.begin();
  if (Innermost.empty())
    return;
  SeenInBlock.clear();
  SeenInNode.clear();
}

/// LLDB sets a breakpoint at the first row of a line in each block. Without
/// blocks, this is the first row in each function and each inlined call.
bool BlockFinder::isInOtherBlock(uint32_t Root, const Statement &S) {
  if (Innermost.empty())
    return false;
  Budget.charge(1);
  while (At != Innermost.end() && At->End <= S.Address)
    ++At;
  if (!S.Line || At == Innermost.end() || At->Start > S.Address)
    return false;
  uint64_t Line = uint64_t(S.File) << 32 | S.Line;
  bool IsFirstInBlock = SeenInBlock.insert({Line, At->Item}).second;
  uint64_t Node = uint64_t(Root) << 32 | nodeOf(At->Item);
  bool IsFirstInNode = SeenInNode.insert({Line, Node}).second;
  return IsFirstInBlock && !IsFirstInNode;
}

} // namespace lidia
