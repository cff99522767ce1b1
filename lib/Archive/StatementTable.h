//===- StatementTable.h - Statements of a new archive -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_STATEMENTTABLE_H
#define LIDIA_LIB_ARCHIVE_STATEMENTTABLE_H

#include "StatementColumns.h"
#include "lidia/Archive/Fields.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <zstd.h>

namespace lidia {

/// Builds the sections STMC and BLCK. A block of STMC is compressed when it is
/// full, so that little memory is needed.
class StatementTable {
public:
  /// Adds the statements of range \p Root, and the notes on the calls inlined
  /// into it. \p Lines are those that the archive has of the range, or empty.
  /// \p VAs has the start of \p Root and all ranges inside. Ranges ascend.
  void add(uint64_t Root, const FieldArray &VAs,
           llvm::ArrayRef<Statement> Statements, llvm::ArrayRef<CallNote> Notes,
           llvm::ArrayRef<FunctionLine> Lines);

  /// The number of functions whose statements were left out because they are
  /// too large.
  uint64_t leftOut() const { return LeftOut; }

  bool empty() const { return Directory.empty() && FunctionCount == 0; }

  /// The contents of STMC. Call this after all statements were added.
  std::string bytes();

  /// The contents of BLCK.
  llvm::StringRef otherBlocks() const { return OtherBlocks; }

private:
  void endBlock();
  llvm::StringRef pack(llvm::StringRef Column);
  std::string blockOfColumns(bool MayPack);
  void addOtherBlocks(llvm::ArrayRef<Statement> Statements);
  uint32_t number(StringOffset Name);
  void leaveOut(const std::array<size_t, SC_Count> &Sizes, size_t NameCount);
  void encode(uint64_t Root, const FunctionHead &Head, const FieldArray &VAs,
              llvm::ArrayRef<Statement> Statements,
              llvm::ArrayRef<CallNote> Notes,
              llvm::ArrayRef<FunctionLine> Lines);

  std::vector<format::StatementBlock> Directory;
  std::string Blocks;
  std::string OtherBlocks;
  uint64_t LastOtherBlock = 0;
  // The state of the block that is being filled.
  uint64_t FirstRoot = 0;
  uint64_t LastRoot = 0;
  uint64_t FunctionCount = 0;
  StatementColumnBytes Columns;
  llvm::DenseMap<StringOffset, uint32_t> Numbers;
  std::vector<StringOffset> Names;
  uint64_t LeftOut = 0;
  // Made once: zstd clears its tables when it starts.
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> Context{nullptr,
                                                              ZSTD_freeCCtx};
  llvm::SmallVector<char, 0> Packed;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_STATEMENTTABLE_H
