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
#include "Overlap.h"
#include "lidia/Archive/Statements.h"
#include "llvm/ADT/DenseSet.h"

namespace lidia {

/// Finds the rows that have SF_OtherBlock in the functions of one unit.
class BlockFinder {
public:
  /// Addresses of code are multiples of \p InstructionAlignment.
  BlockFinder(const dwarf::UnitFunctions &Functions,
              uint8_t InstructionAlignment, dwarf::WorkBudget &Budget);

  /// Continues with the subprogram at \p Nodes[0], where \p Nodes are as in
  /// TreeBuilder::add().
  void enter(llvm::ArrayRef<uint32_t> Nodes);

  /// Whether \p S, a row in the range of depth 0 at \p Root, has
  /// SF_OtherBlock. All rows of the subprogram must be asked for, in order of
  /// \p Root and address, but of several at one address only the last.
  bool isInOtherBlock(uint32_t Root, const Statement &S);

private:
  uint32_t subprogramOf(uint32_t Block) const;
  std::vector<Interval> innermost(llvm::ArrayRef<uint32_t> Nodes) const;
  uint32_t nodeOf(uint64_t Number) const;

  const dwarf::UnitFunctions &Functions;
  const uint8_t InstructionAlignment;
  dwarf::WorkBudget &Budget;
  /// The unit's blocks, sorted by subprogram, then by DIE.
  std::vector<uint32_t> Order;
  /// The innermost DIEs of the current subprogram, from that of the last row
  /// on. Empty if it has no blocks.
  std::vector<Interval> Innermost;
  std::vector<Interval>::const_iterator At;
  /// The lines of the current subprogram that were seen in each block, and
  /// outside of the blocks found so far in each node and tree.
  using LineAndPlace = std::pair<uint64_t, uint64_t>;
  llvm::DenseSet<LineAndPlace> SeenInBlock, SeenInNode;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_BLOCKFINDER_H
