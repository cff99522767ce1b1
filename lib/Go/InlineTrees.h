//===- InlineTrees.h - Calls that Go's compiler inlined ---------*- C++ -*-===//
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

/// A call that was inlined into a function, directly or through others.
struct InlinedCall {
  llvm::StringRef Name;
  /// Where it stands in the source. From Go 1.20 on, that and what it was
  /// inlined into are what the tables of values say of the code at
  /// ParentOffset; before, they are given here.
  bool HasPosition = false;
  int32_t Parent = -1;
  int32_t File = -1;
  int32_t Line = -1;
  uint32_t ParentOffset = 0;
};

/// The inline trees (FUNCDATA_InlTree) of all functions of one table.
///
/// Which of a function's tables and data they are, and how a call is laid out,
/// depends on the version of Go, of which the table's magic number tells too
/// little. So every way that some version had is tried on a sample of
/// functions, and the one taken that makes sense of them.
class InlineTrees {
public:
  /// \p DataStarts are where data of functions may begin (see ModuleData). None
  /// when the program has no inlined calls; an error when it has some and they
  /// make no sense.
  static llvm::Expected<std::optional<InlineTrees>>
  open(const FunctionTable &Table, llvm::ArrayRef<uint64_t> DataStarts);

  /// Which call, by index in the tree, each piece of \p F belongs to; -1 is
  /// the function itself. False when the table is broken.
  bool readIndices(const Function &F, std::vector<ValueRun> &Indices) const {
    return Table->readFurtherValues(F, Way.ValueTable, Indices);
  }

  /// None when the call is broken.
  std::optional<InlinedCall> call(const Function &F, int32_t Index) const;

private:
  enum class Entry : uint8_t { Go19, Go112, Go120 };
  /// How to find and read a tree.
  struct Form {
    unsigned ValueTable;
    unsigned Data;
    Entry Calls;
    uint64_t DataStart;
  };
  /// How many functions of a sample make sense.
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
