//===- StatementTable.h - Statements of a new archive -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_STATEMENTTABLE_H
#define LIDIA_LIB_ARCHIVE_STATEMENTTABLE_H

#include "lidia/Archive/Statements.h"
#include "llvm/ADT/DenseMap.h"

namespace lidia {

/// Builds the sections STMT and BLCK. A block of STMT is compressed when it is
/// full, so that little memory is needed.
class StatementTable {
public:
  /// Adds the statements of range \p Root, which begins at \p Start, and the
  /// notes on the calls inlined into it. Ranges ascend.
  void add(uint64_t Root, uint64_t Start, llvm::ArrayRef<Statement> Statements,
           llvm::ArrayRef<CallNote> Notes);

  /// The number of functions whose statements were left out because they are
  /// too large.
  uint64_t leftOut() const { return LeftOut; }

  bool empty() const { return Directory.empty() && Records.empty(); }

  /// The contents of STMT. Call this after all statements were added.
  std::string bytes();

  /// The contents of BLCK.
  llvm::StringRef otherBlocks() const { return OtherBlocks; }

private:
  void endBlock();
  void addOtherBlocks(llvm::ArrayRef<Statement> Statements);
  uint32_t number(StringOffset Name);

  std::vector<format::StatementBlock> Directory;
  std::string Blocks;
  std::string OtherBlocks;
  uint64_t LastOtherBlock = 0;
  // The state of the block that is being filled.
  uint64_t FirstRoot = 0;
  uint64_t LastRoot = 0;
  std::string Records;
  /// The bytes of the function that is being added; kept to reuse the memory.
  llvm::SmallVector<char, 0> Bytes;
  llvm::DenseMap<StringOffset, uint32_t> Numbers;
  std::vector<StringOffset> Names;
  uint64_t LeftOut = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_STATEMENTTABLE_H
