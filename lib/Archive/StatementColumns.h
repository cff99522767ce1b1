//===- StatementColumns.h - Statements as columns ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Three of four statements have the line of the row before, or the line that
/// the archive has at their address anyway. So a statement is one byte, which
/// says what it has in common with these, and the rest is in columns, which
/// compress better than records.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_STATEMENTCOLUMNS_H
#define LIDIA_LIB_ARCHIVE_STATEMENTCOLUMNS_H

#include "lidia/Archive/FunctionLines.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/Statements.h"
#include <array>
#include <string>

namespace lidia {

/// The columns of a block, in their order in the archive. All but SC_Codes are
/// LEB128 numbers.
enum StatementColumn : unsigned {
  /// The strings of the block: signed, from the one before.
  SC_Names,
  /// Three numbers for each function: FunctionHead.
  SC_Functions,
  /// A byte for each statement.
  SC_Codes,
  /// Bytes of code since the statement before.
  SC_Addresses,
  /// Signed: lines since the statement before.
  SC_Lines,
  /// Indices among the block's strings.
  SC_Files,
  /// Columns of the source.
  SC_Columns,
  /// The ranges since that of the note before, times four, plus the kind.
  SC_Notes,
  /// Signed: from the start of the note's range.
  SC_NoteAddresses,
  /// The other numbers of a note, by its kind.
  SC_NoteNumbers,
  SC_Count
};

using StatementColumnBytes = std::array<std::string, SC_Count>;
using StatementColumnRefs = std::array<llvm::StringRef, SC_Count>;

/// What SC_Functions has of a function.
struct FunctionHead {
  /// Ranges since the function before.
  uint64_t Step = 0;
  uint64_t RowCount = 0;
  /// Whether statements refer to the lines that the archive has.
  bool UsesLines = false;
  bool HasColumns = false;
  uint64_t NoteCount = 0;

  void encode(std::string &Out) const;
  /// Removes the head at the front of \p Bytes; false if it is damaged.
  bool decode(llvm::StringRef &Bytes);
};

/// How many rows and lines of an archive may be read to encode or decode
/// \p StatementCount statements of one function. Compilers give ranges fewer
/// rows than they write; in a damaged archive ranges share many.
inline uint64_t lineBudget(uint64_t StatementCount) {
  return 64 + 4 * StatementCount;
}

/// Encodes or decodes the statements of one function.
class StatementCoder {
public:
  /// The function begins at \p Start. \p Lines is empty unless
  /// FunctionHead::UsesLines.
  StatementCoder(uint64_t Start, llvm::ArrayRef<FunctionLine> Lines,
                 bool HasColumns)
      : Lines(Lines), HasColumns(HasColumns) {
    Before.Address = Start;
  }

  /// Appends \p S to \p Out. \p Number gives the index of a string.
  void encode(const Statement &S,
              llvm::function_ref<uint32_t(StringOffset)> Number,
              StatementColumnBytes &Out);

  /// Removes the next statement, whose file is one of \p Names, from the front
  /// of \p In; false if it is damaged.
  bool decode(StatementColumnRefs &In, llvm::ArrayRef<StringOffset> Names,
              Statement &S);

private:
  bool decodeAddress(uint8_t Code, StatementColumnRefs &In);
  bool decodeLine(uint8_t Code, StatementColumnRefs &In,
                  llvm::ArrayRef<StringOffset> Names);
  const FunctionLine *nextLine() const {
    return At + 1 < Lines.size() ? &Lines[At + 1] : nullptr;
  }
  void moveTo(uint64_t Address);
  Statement inForce() const;

  llvm::ArrayRef<FunctionLine> Lines;
  bool HasColumns;
  /// The line in force at the statement before.
  size_t At = 0;
  Statement Before;
};

/// Removes \p Count statements from the front of \p In; false if there are not
/// as many.
bool skipStatements(uint64_t Count, bool HasColumns, StatementColumnRefs &In);

/// Appends \p Notes, which ascend by range, on the calls of a function.
/// \p StartOf gives the VA of a range, counted from the function's.
void encodeNotes(llvm::ArrayRef<CallNote> Notes,
                 llvm::function_ref<uint64_t(uint32_t)> StartOf,
                 llvm::function_ref<uint32_t(StringOffset)> Number,
                 StatementColumnBytes &Out);

/// Removes the \p Count notes of a function of \p RangeCount ranges from the
/// front of \p In, and appends them to \p Notes. Returns false if they are
/// damaged.
bool decodeNotes(uint64_t Count, uint64_t RangeCount,
                 llvm::function_ref<uint64_t(uint32_t)> StartOf,
                 llvm::ArrayRef<StringOffset> Names, StatementColumnRefs &In,
                 std::vector<CallNote> &Notes);

/// Removes \p Count notes from the front of \p In.
bool skipNotes(uint64_t Count, StatementColumnRefs &In);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_STATEMENTCOLUMNS_H
