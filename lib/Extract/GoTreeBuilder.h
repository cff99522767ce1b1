//===- GoTreeBuilder.h - Builds the tree of one Go function -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_GOTREEBUILDER_H
#define LIDIA_LIB_EXTRACT_GOTREEBUILDER_H

#include "Go/InlineTrees.h"
#include "GoSource.h"
#include "RangeTreeBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace lidia {

/// Builds the trees of ranges of Go functions.
///
/// For each piece of a function's code, Go's tables have the file, the line and
/// the innermost inlined call, and for each inlined call its parent. A range is
/// a run of pieces along which a call stays open.
class GoTreeBuilder {
public:
  /// \p Trees may be null.
  GoTreeBuilder(const go::FunctionTable &Table, const go::InlineTrees *Trees,
                const CodeMap &Code, const GoSourceOptions &Options,
                StringPool &Strings, RangeTrees &Out)
      : Table(Table), Trees(Trees), Code(Code), Options(Options),
        Strings(Strings), Out(Out, Options.Lines) {}

  /// Appends the tree of \p F. Returns false if its tables are malformed; the
  /// tree then only has the function's name.
  bool add(const go::Function &F);

private:
  /// An inlined call.
  struct Call {
    /// Without addresses.
    Range Of;
    int32_t Parent = -1;
  };
  struct Piece {
    uint64_t Start = 0;
    uint64_t End = 0;
    int32_t File = -1;
    int32_t Line = -1;
    int32_t Index = -1;
  };

  bool readTables(const go::Function &F);
  uint64_t endOf(const go::Function &F) const;
  bool addTree(const go::Function &F, uint64_t Size);
  bool findPath(const go::Function &F, int32_t Index);
  const Call *call(const go::Function &F, int32_t Index);
  StringID file(const go::Function &F, int32_t Index);
  void switchTo(uint64_t Address);
  void addRow(const go::Function &F, const Piece &P);

  const go::FunctionTable &Table;
  const go::InlineTrees *Trees;
  const CodeMap &Code;
  const GoSourceOptions &Options;
  StringPool &Strings;
  RangeTreeBuilder Out;
  /// The tables of the current function.
  std::vector<go::ValueRun> Stack, Files, Lines, Indices;
  /// By numbers of 32 bits from the file, two of which a map with such keys
  /// could not have.
  llvm::DenseMap<int64_t, Call> Calls;
  llvm::DenseMap<int64_t, StringID> FileNames;
  /// The function and the inlined calls that contain a piece, outermost first.
  llvm::SmallVector<Range, 16> Path;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_GOTREEBUILDER_H
