//===- TreeBuilder.h - Builds the tree of one function ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_TREEBUILDER_H
#define LIDIA_LIB_EXTRACT_TREEBUILDER_H

#include "CallNotes.h"
#include "DWARF/Functions.h"
#include "DWARFSourceOptions.h"
#include "RangeTreeBuilder.h"
#include "UnitLines.h"

namespace lidia {

/// A function's name and its declaration; zero if unknown.
struct FunctionName {
  StringID Name = 0;
  StringID DeclFile = 0;
  uint32_t DeclLine = 0;
};

/// Builds the trees of ranges of one unit's functions.
///
/// In DWARF, each subprogram and each inlined call has a list of addresses, and
/// nothing guarantees that these nest. This class assigns each address of a
/// subprogram to one node: the last one in the order of DIEs that contains the
/// address (so a child wins over its parent, as in llvm-symbolizer). The chain
/// of frames at the address is that node and its ancestors, and a range is a
/// run of addresses along which an ancestor stays the same. So the result
/// nests, whatever the input.
class TreeBuilder {
public:
  /// \p NameOf gives the name of a node.
  TreeBuilder(
      const CodeMap &Code, const DWARFSourceOptions &Options,
      const StringPool &Strings, UnitLines &Lines,
      llvm::function_ref<FunctionName(const dwarf::FunctionNode &)> NameOf,
      RangeTrees &Out, dwarf::WorkBudget &Budget)
      : Code(Code), Options(Options), Strings(Strings), Lines(Lines),
        NameOf(NameOf), Out(Out), Trees(Out, Options.Lines), Budget(Budget) {}

  /// Appends the trees of the subprogram at \p Nodes[0], where \p Nodes are
  /// indices of \p Functions.Nodes: the subprogram and the calls inlined into
  /// it, in their order. The error says that there would be too many ranges.
  llvm::Error add(const dwarf::UnitFunctions &Functions,
                  llvm::ArrayRef<uint32_t> Nodes);

  /// Appends a range without a name that begins at the first row in
  /// [Start, End), if there is one.
  void addLineOnly(uint64_t Start, uint64_t End);

  /// The addresses of the subprograms added.
  std::vector<Interval> takeCovered() { return std::move(Covered); }

  /// Ranges that reach past the end of their section and were left out.
  uint64_t outsideSection() const { return OutsideSection; }

private:
  dwarf::AddressRange withoutISABit(dwarf::AddressRange R) const;
  bool isAtZero(const dwarf::FunctionNode &Subprogram);
  llvm::Expected<std::vector<Interval>>
  claims(const dwarf::UnitFunctions &Functions, llvm::ArrayRef<uint32_t> Nodes);
  void addPiece(const dwarf::UnitFunctions &Functions, const Interval &Piece);
  void switchTo(const dwarf::UnitFunctions &Functions, const Interval &Piece);
  Range callOf(const dwarf::FunctionNode &N);
  bool continues(size_t Depth, const dwarf::UnitFunctions &Functions,
                 uint32_t Node);
  void open(const dwarf::FunctionNode &N, uint32_t Node, uint64_t Start);
  void addRows(uint64_t Start, uint64_t End, bool KeepRepeated = false);

  const CodeMap &Code;
  const DWARFSourceOptions &Options;
  const StringPool &Strings;
  UnitLines &Lines;
  llvm::function_ref<FunctionName(const dwarf::FunctionNode &)> NameOf;
  RangeTrees &Out;
  /// The items are node indices.
  RangeTreeBuilder Trees;
  dwarf::WorkBudget &Budget;
  std::vector<Interval> Covered;
  uint64_t OutsideSection = 0;
  uint64_t LastEnd = 0;
  /// The entry of the function whose ranges are being built.
  uint64_t Entry = 0;
  llvm::SmallVector<uint32_t, 32> Path;
  /// The first range of the trees that are being built, and the node of each
  /// range from there on.
  size_t FirstRange = 0;
  std::vector<uint32_t> NodeOf;
  /// Calls that have code in ranges of other calls.
  std::vector<SharedRange> Shared;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_TREEBUILDER_H
