//===- Statements.h - Rows that debuggers need ------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A lookup needs one line for an address. A debugger also asks which of a
/// function's addresses are good to stop at, and for that it needs the line
/// table as the compiler wrote it: several rows at one address, rows that
/// repeat the line in force, is_stmt, prologue_end and epilogue_begin (DWARF 5,
/// section 6.2.2). The section STMC (docs/Format.md) has these rows,
/// compressed, by the functions that they belong to.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_STATEMENTS_H
#define LIDIA_ARCHIVE_STATEMENTS_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace lidia {

struct FunctionRecord;
struct OpenStatementBlock;

/// Bits of Statement::Flags.
enum StatementFlag : uint8_t {
  /// is_stmt, prologue_end and epilogue_begin.
  SF_IsStmt = 1,
  SF_PrologueEnd = 2,
  SF_EpilogueBegin = 4,
  /// No line table covers the code from here on.
  SF_Unknown = 8,
  /// The code is in another block of the source than the earlier rows of this
  /// line in the same function or inlined call, and this is the line's first
  /// row in that block. LLDB and gdb set a breakpoint by line in each block. Of
  /// several rows at one address, StatementReader sets it for the last.
  SF_OtherBlock = 64,
};

/// Calls \p Visit with the address of each row that has SF_OtherBlock,
/// ascending. The error says that the section is damaged; addresses before the
/// damage have been visited.
llvm::Error visitOtherBlocks(const Archive &A,
                             llvm::function_ref<void(uint64_t)> Visit);

/// A row of a line table.
struct Statement {
  uint64_t Address = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  StringOffset File = 0;
  /// StatementFlag bits.
  uint8_t Flags = 0;
};

/// Reads the statements of an archive. Unpacks a block of functions at a time
/// and keeps the last few. Not thread-safe: give each thread one.
class StatementReader {
public:
  /// \p A must outlive the reader.
  explicit StatementReader(const Archive &A);
  StatementReader(StatementReader &&);
  ~StatementReader();

  /// Sets \p Out to the statements of the range of depth 0 at \p Root, in the
  /// order of the line table: addresses never descend, lie in the range, and
  /// the first is its start. Empty when there are none. The error says that the
  /// block is damaged, in which case all functions in it are lost, or that the
  /// blocks are too large to be unpacked repeatedly.
  ///
  /// If \p Calls is not null, sets it to the notes on the calls inlined into
  /// the range, in the order of their ranges.
  llvm::Error read(uint64_t Root, std::vector<Statement> &Out,
                   std::vector<CallNote> *Calls = nullptr);

  /// Sets \p Out to the rows of the function at \p Root for a debugger: its
  /// statements or, if there are none or they are damaged, its lines, each as a
  /// statement. The last row has SF_Unknown and is at the end of the function.
  /// \p Calls is as in read(), empty if damaged. The error says what is
  /// damaged.
  llvm::Error readForDebugger(uint64_t Root, std::vector<Statement> &Out,
                              std::vector<CallNote> *Calls = nullptr);

  /// Calls \p Visit with each range that has statements or notes, ascending.
  /// Reports a damaged block to \p Report and skips it.
  void forEach(llvm::function_ref<void(uint64_t Root, llvm::ArrayRef<Statement>,
                                       llvm::ArrayRef<CallNote>)>
                   Visit,
               llvm::function_ref<void(llvm::Error)> Report);

private:
  llvm::Error openBlock(uint64_t Block);
  bool isOpen(uint64_t Block) const;
  llvm::Error payFor(uint64_t Block);
  llvm::Error readBlock(uint64_t Block);
  llvm::Error checkOrder(uint64_t Block, uint64_t &Taken) const;
  llvm::Expected<llvm::StringRef>
  packedBlock(uint64_t Block, llvm::SmallVectorImpl<char> &Copy) const;
  llvm::Error unpack(uint64_t Block);
  llvm::Error unpackColumns(uint64_t Block, llvm::StringRef Packed);
  llvm::Error parse(uint64_t Block);
  llvm::Error parseColumns(uint64_t Block);
  bool parseNames();
  llvm::Expected<const FunctionRecord *> find(uint64_t Root);
  llvm::Error decode(const FunctionRecord &R, std::vector<Statement> &Out,
                     std::vector<CallNote> &Notes);
  bool decodeRecord(const FunctionRecord &R, std::vector<Statement> &Out,
                    std::vector<CallNote> &Notes) const;
  bool decodeColumns(const FunctionRecord &R, std::vector<Statement> &Out,
                     std::vector<CallNote> &Notes);
  bool findLines(const FunctionRecord &R);
  bool decodeRows(const FunctionRecord &R, llvm::StringRef &Rest,
                  std::vector<Statement> &Out) const;
  bool decodeNotes(const FunctionRecord &R, llvm::StringRef Bytes,
                   std::vector<CallNote> &Notes) const;
  void markOtherBlocks(const FunctionRecord &R,
                       std::vector<Statement> &Out) const;
  llvm::Error damaged(uint64_t Block, const llvm::Twine &Why) const;
  /// Entry \p Block of the section's directory, which has one more entry than
  /// there are blocks.
  format::StatementBlock blockAt(uint64_t Block) const;
  uint64_t firstRange(uint64_t Block) const;

  const Archive &A;
  llvm::StringRef Section;
  /// STMC, or STMT in older archives.
  bool HasColumns = false;
  uint64_t BlockCount = 0;
  /// How many bytes read() may still unpack: enough to unpack each block once,
  /// plus the size of an ordinary block for each call. Without this limit,
  /// reading functions alternately from a few large crafted blocks would unpack
  /// 4 MiB for each function.
  uint64_t Credit = 0;
  /// The addresses of rows with SF_OtherBlock, ascending; none until a block
  /// has been read.
  std::optional<std::vector<uint64_t>> OtherBlocks;
  /// The blocks used last, the newest first. A unit has its functions in two or
  /// three places.
  std::vector<std::unique_ptr<OpenStatementBlock>> Open;
  /// The lines of the function that is decoded; kept to reuse the memory.
  std::vector<FunctionLine> Lines;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_STATEMENTS_H
