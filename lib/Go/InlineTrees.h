//===- InlineTrees.h - Calls inlined by Go's compiler -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_GO_INLINETREES_H
#define LIDIA_LIB_GO_INLINETREES_H

#include "FunctionTable.h"

namespace lidia::go {

/// A call inlined into a function, directly or through other calls.
struct InlinedCall {
  llvm::StringRef Name;
  /// Whether the members below have its source position. From Go 1.20 on, its
  /// position and its parent are the values at ParentOffset in the function's
  /// tables; before, they are stored here.
  bool HasPosition = false;
  int32_t Parent = -1;
  int32_t File = -1;
  int32_t Line = -1;
  uint32_t ParentOffset = 0;
};

/// The inline trees (FUNCDATA_InlTree) of all functions of one table.
///
/// The location of the trees and the layout of a call depend on the version of
/// Go, which the table's magic number does not fully identify. So every known
/// layout is tried on a sample of functions, and the one with the most
/// plausible result is used.
class InlineTrees {
public:
  /// \p DataStarts are possible bases of function data (see ModuleData). None
  /// if the program has no inlined calls. Fails if it has inlined calls that no
  /// layout decodes.
  static llvm::Expected<std::optional<InlineTrees>>
  open(const FunctionTable &Table, llvm::ArrayRef<uint64_t> DataStarts);

  /// Reads the call of each piece of \p F, as an index in the tree; -1 is the
  /// function itself. Returns false if the table is malformed.
  bool readIndices(const Function &F, std::vector<ValueRun> &Indices) const {
    return Table->readFurtherValues(F, Way.ValueTable, Indices);
  }

  /// None if the call is malformed.
  std::optional<InlinedCall> call(const Function &F, int32_t Index) const;

private:
  enum class Entry : uint8_t { Go19, Go112, Go120 };
  /// The location and layout of a tree.
  struct Form {
    unsigned ValueTable;
    unsigned Data;
    Entry Calls;
    uint64_t DataStart;
  };
  /// The number of functions in a sample that decode plausibly (Good) or not
  /// (Bad).
  struct Score {
    unsigned Good = 0;
    unsigned Bad = 0;
  };

  InlineTrees(const FunctionTable &Table, Form Way) : Table(&Table), Way(Way) {}
  static std::vector<Form> forms(const FunctionTable &Table,
                                 llvm::ArrayRef<uint64_t> DataStarts);
  Score score() const;
  bool makesSense(const Function &F, llvm::ArrayRef<ValueRun> Indices) const;

  const FunctionTable *Table;
  Form Way;
};

} // namespace lidia::go

#endif // LIDIA_LIB_GO_INLINETREES_H
