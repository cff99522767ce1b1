//===- GoTreeBuilder.h - Builds the tree of one Go function -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_GOTREEBUILDER_H
#define LIDIA_LIB_EXTRACT_GOTREEBUILDER_H

#include "lidia/Extract/GoSource.h"
#include "lidia/Go/InlineTrees.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace lidia {

/// Builds the trees of ranges of Go functions.
///
/// Go's tables say of each piece of a function's code its file, its line and
/// the innermost call that it was inlined from; and of each call what it was
/// inlined into. Ranges are the runs of pieces along which a call stays open.
class GoTreeBuilder {
public:
  /// \p Trees may be null.
  GoTreeBuilder(const go::FunctionTable &Table, const go::InlineTrees *Trees,
                const CodeMap &Code, const GoSourceOptions &Options,
                StringPool &Strings, Forest &Out)
      : Table(Table), Trees(Trees), Code(Code), Options(Options),
        Strings(Strings), Out(Out) {}

  /// Appends the tree of \p F. False when its tables are broken; then it has
  /// its name and nothing else.
  bool add(const go::Function &F);

private:
  /// An inlined call, ready to become ranges.
  struct Call {
    StringID Name = 0;
    StringID CallFile = 0;
    uint32_t CallLine = 0;
    int32_t Parent = -1;
  };
  /// A range whose end is not yet reached.
  struct OpenRange {
    Call Of;
    size_t Index = 0;
    StringID FirstCallFile = 0;
    std::vector<Row> Rows;
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
  void open(const Call &C, uint64_t Start);
  void close(size_t Depth, uint64_t End);
  void addRow(const go::Function &F, const Piece &P);

  const go::FunctionTable &Table;
  const go::InlineTrees *Trees;
  const CodeMap &Code;
  const GoSourceOptions &Options;
  StringPool &Strings;
  Forest &Out;
  /// What the tables of the function at hand say.
  std::vector<go::ValueRun> Stack, Files, Lines, Indices;
  llvm::DenseMap<int32_t, Call> Calls;
  llvm::DenseMap<int32_t, StringID> FileNames;
  /// The function and the calls that a piece is in, outermost first.
  llvm::SmallVector<Call, 16> Path;
  /// By depth; the first OpenCount are open, the others keep their memory.
  std::vector<OpenRange> Open;
  size_t OpenCount = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_GOTREEBUILDER_H
