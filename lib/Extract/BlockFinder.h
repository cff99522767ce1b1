//===- BlockFinder.h - Blocks that breakpoints depend on --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_BLOCKFINDER_H
#define LIDIA_LIB_EXTRACT_BLOCKFINDER_H

#include "DWARF/Functions.h"
#include "Range.h"
#include "UnitLines.h"
#include "llvm/ADT/DenseSet.h"

namespace lidia {

/// Finds the rows that have SF_OtherBlock in the functions of one unit.
class BlockFinder {
public:
  /// Addresses of code are multiples of \p InstructionAlignment.
  BlockFinder(const dwarf::UnitFunctions &Functions, UnitLines &Lines,
              uint8_t InstructionAlignment, dwarf::WorkBudget &Budget);

  /// Visits the rows of the subprogram at \p Nodes[0], where \p Nodes are as
  /// in TreeBuilder::add(). Its trees are those of \p Trees from range
  /// \p FirstRange on.
  void add(llvm::ArrayRef<uint32_t> Nodes, const RangeTrees &Trees,
           size_t FirstRange);

  /// The addresses of the rows in the range of depth 0 at \p Root, ascending.
  llvm::ArrayRef<std::pair<uint32_t, uint64_t>> rows(uint32_t Root) const;

private:
  uint32_t subprogramOf(uint32_t Block) const;
  std::vector<Interval> innermost(llvm::ArrayRef<uint32_t> Nodes) const;
  void visitRow(uint32_t Root, const Statement &S, const Interval &Innermost);
  uint32_t nodeOf(uint64_t Number) const;

  const dwarf::UnitFunctions &Functions;
  UnitLines &Lines;
  const uint8_t InstructionAlignment;
  dwarf::WorkBudget &Budget;
  /// The unit's blocks, sorted by subprogram, then by DIE.
  std::vector<uint32_t> Order;
  /// The ranges of depth 0 and the addresses that were found, ascending.
  std::vector<std::pair<uint32_t, uint64_t>> Found;
  /// The lines of the current subprogram that were seen in each block, and
  /// outside of the blocks found so far in each node and tree.
  using LineAndPlace = std::pair<uint64_t, uint64_t>;
  llvm::DenseSet<LineAndPlace> SeenInBlock, SeenInNode;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_BLOCKFINDER_H
