//===- LineTable.h - The rows of one line table -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_LINETABLE_H
#define LIDIA_LIB_DWARF_LINETABLE_H

#include "Unit.h"
#include "llvm/ADT/SmallString.h"

namespace lidia {
namespace dwarf {

/// The registers of the line number state machine that say where to stop (DWARF
/// 5, section 6.2.2).
enum LineFlag : uint8_t { // as StatementFlag
  LF_IsStmt = 1,
  LF_PrologueEnd = 2,
  LF_EpilogueBegin = 4,
};

/// A row of the line number matrix (DWARF 5, section 6.2.2).
struct LineRow {
  uint64_t Address = 0;
  /// Zero if the code belongs to no line.
  uint32_t Line = 0;
  /// Index into the table's files, numbered as in the line program.
  uint32_t File = 0;
  uint32_t Column = 0;
  /// LineFlag bits.
  uint8_t Flags = 0;
};

/// A contiguous run of code and its rows. Addresses never descend; of several
/// rows at one address the last is in force.
struct LineSequence {
  uint64_t Start = 0;
  /// The address of the end_sequence row, which is not among the rows.
  uint64_t End = 0;
  uint32_t FirstRow = 0;
  uint32_t RowCount = 0;
};

/// Whether \p Path is absolute on any system that debug information may come
/// from.
bool isAbsolutePath(llvm::StringRef Path);

/// A path, and the length of the compilation directory in it.
struct LineTablePath {
  llvm::SmallString<128> Path;
  /// Leading bytes, with the separator; zero if the path does not include the
  /// directory.
  size_t DirectoryLength = 0;
};

/// One line table of .debug_line: its files, and its rows by sequence.
///
/// Reuse the object for several tables: parse() keeps the memory of the
/// previous one.
class LineTable {
public:
  /// Reads the table that \p U refers to. Sequences are in the order of the
  /// program; empty ones are left out. A header that cannot be read is an
  /// error; if the program ends prematurely, the sequences before are kept and
  /// \p Report is called.
  llvm::Error parse(const Unit &U, uint64_t Offset, WorkBudget &Budget,
                    llvm::function_ref<void(llvm::Error)> Report);

  /// Like parse(), but without rows: only path() and fileEnd() can be used.
  llvm::Error parseFiles(const Unit &U, uint64_t Offset, WorkBudget &Budget);

  llvm::ArrayRef<LineSequence> sequences() const { return Sequences; }
  llvm::ArrayRef<LineRow> rows(const LineSequence &S) const {
    return llvm::ArrayRef(Rows).slice(S.FirstRow, S.RowCount);
  }

  /// The path of file \p Index, joined with its directory and the compilation
  /// directory in the same way as llvm-symbolizer. False if there is none.
  bool path(uint64_t Index, LineTablePath &Out) const;
  /// The section from the source code of file \p Index on; the code ends at a
  /// zero byte. Empty if there is none.
  llvm::StringRef sourceAndRest(uint64_t Index) const;
  /// One more than the greatest index valid for path().
  uint64_t fileEnd() const { return Files.size() + (Version < 5 ? 1 : 0); }

private:
  struct FileEntry {
    llvm::StringRef Name;
    uint64_t Directory = 0;
    /// The result of sourceAndRest().
    llvm::StringRef Source;
  };
  struct State;

  llvm::Expected<Cursor> open(const Unit &U, uint64_t Offset,
                              WorkBudget &Budget);
  llvm::Error parseHeader(Cursor &C, const Unit &U);
  llvm::Error parseFilesV2(Cursor &C);
  llvm::Error parseFilesV5(Cursor &C, const Unit &U);
  llvm::Error parseEntriesV5(Cursor &C, const Unit &U,
                             llvm::function_ref<void(FileEntry)> Add);
  llvm::Error runProgram(Cursor &C);
  bool runExtended(Cursor &C, State &S, llvm::Error &E);
  void runStandard(Cursor &C, State &S, uint8_t Opcode);
  void advance(State &S, uint64_t Operations) const;
  void emitRow(State &S);
  void sortRows(size_t First);
  void endSequence(State &S);

  /// The budget of the unit that the table was parsed for.
  WorkBudget *Budget = nullptr;
  uint16_t Version = 0;
  FormSizes Sizes;
  uint8_t MinInstLength = 1;
  uint8_t MaxOps = 1;
  int8_t LineBase = 0;
  uint8_t LineRange = 1;
  uint8_t OpcodeBase = 1;
  uint8_t DefaultFlags = 0;
  llvm::StringRef CompDir;
  llvm::SmallVector<uint8_t, 16> OperandCounts;
  std::vector<llvm::StringRef> Directories;
  std::vector<FileEntry> Files;
  std::vector<LineSequence> Sequences;
  std::vector<LineRow> Rows;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_LINETABLE_H
