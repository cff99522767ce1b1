//===- CallNotes.h - What ranges do not tell of calls -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_CALLNOTES_H
#define LIDIA_LIB_EXTRACT_CALLNOTES_H

#include "DWARF/Functions.h"
#include "Range.h"
#include <tuple>

namespace lidia {

/// Code of a call in a range that began with the code of another call with the
/// same function and call site.
struct SharedRange {
  /// An index of RangeTrees::Ranges.
  size_t Range;
  /// The node of the call.
  uint32_t Node;
  /// The start of the call's code.
  uint64_t Address;
};

/// Compares the calls of one subprogram with the calls that readers of an
/// archive derive from ranges (inlinedCalls()), and adds notes about the
/// differences.
class CallNoter {
public:
  /// \p NodeOf is the node of each range of \p Out from \p FirstRange on, which
  /// are the trees of the subprogram at \p Nodes[0]. \p NextCalls, in any
  /// order, are the nodes that have no range or whose code is partly in ranges
  /// of others. \p CallOf makes a range for a call's node, with its name and
  /// call site.
  CallNoter(const dwarf::UnitFunctions &Functions,
            llvm::ArrayRef<uint32_t> Nodes, llvm::ArrayRef<uint32_t> NodeOf,
            llvm::MutableArrayRef<SharedRange> Shared, size_t FirstRange,
            const StringPool &Strings, RangeTrees &Out,
            dwarf::WorkBudget &Budget,
            llvm::function_ref<Range(const dwarf::FunctionNode &)> CallOf)
      : Functions(Functions), Nodes(Nodes), NodeOf(NodeOf), Shared(Shared),
        FirstRange(FirstRange), Strings(Strings), Out(Out), Budget(Budget),
        CallOf(CallOf) {}

  /// Appends the notes to \p Out.
  void run();

private:
  /// Where a node begins in the tree at Root.
  struct Beginning {
    uint32_t Root;
    uint32_t Node;
    uint64_t Address;
  };

  void findBeginnings();
  void noteTree(size_t Root, size_t End);
  void noteCode(size_t Root, size_t End);
  void noteCode(size_t Root, uint32_t Number, llvm::ArrayRef<SharedRange> Rest);
  uint32_t see(uint32_t Node, uint32_t Number, const Range &R);
  void noteBeginning(size_t Root, const Beginning &B);
  uint32_t node(size_t Range) const { return NodeOf[Range - FirstRange]; }

  const dwarf::UnitFunctions &Functions;
  llvm::ArrayRef<uint32_t> Nodes;
  llvm::ArrayRef<uint32_t> NodeOf;
  llvm::MutableArrayRef<SharedRange> Shared;
  const size_t FirstRange;
  const StringPool &Strings;
  RangeTrees &Out;
  dwarf::WorkBudget &Budget;
  llvm::function_ref<Range(const dwarf::FunctionNode &)> CallOf;
  std::vector<Beginning> Beginnings;
  /// A call that has code in the tree.
  struct SeenCall {
    /// Its first range, counted from the root.
    uint32_t FirstRange;
    /// Its number among those with the same parent, function and site.
    uint32_t Number;
  };
  /// By node.
  llvm::DenseMap<uint32_t, SeenCall> Seen;
  /// The number of calls by parent, name, file, line and column.
  using Site = std::tuple<uint32_t, StringID, StringID, uint32_t, uint32_t>;
  llvm::DenseMap<Site, uint32_t> CallCounts;
  std::vector<CallNote> Notes;
  /// The number of calls without code to note in the current tree.
  unsigned CallsWithoutCode = 0;
  unsigned Cuts = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CALLNOTES_H
