//===- StatementCodec.h - Statements as bytes -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_STATEMENTCODEC_H
#define LIDIA_LIB_ARCHIVE_STATEMENTCODEC_H

#include "Support/LEB128.h"
#include "lidia/Archive/InlinedCalls.h"
#include "lidia/Archive/Statements.h"

namespace lidia {

/// Appends \p Value to \p Out.
inline void appendULEB(std::string &Out, uint64_t Value) {
  // Most numbers are small.
  if (Value < 0x80)
    return Out.push_back(char(Value));
  uint8_t Buffer[LongestLEB];
  Out.append(reinterpret_cast<char *>(Buffer),
             llvm::encodeULEB128(Value, Buffer));
}

/// The same for a signed number.
inline void appendSLEB(std::string &Out, int64_t Value) {
  if (llvm::isInt<7>(Value))
    return Out.push_back(char(Value & 0x7f));
  uint8_t Buffer[LongestLEB];
  Out.append(reinterpret_cast<char *>(Buffer),
             llvm::encodeSLEB128(Value, Buffer));
}

/// Encodes the statements of a function as bytes. Each statement is stored as
/// its differences to the previous one:
///
///   byte      StatementFlag bits, HasFile, HasColumn
///   ULEB128   bytes of code
///   SLEB128   lines
///   ULEB128   file, if HasFile
///   ULEB128   column, if HasColumn
///
/// The first statement is relative to the function's start, line 0, column 0
/// and file 0. Files are any numbers that encoder and decoder agree on.
class StatementCodec {
public:
  explicit StatementCodec(uint64_t Start) { Before.Address = Start; }

  /// Appends \p S to \p Out.
  void encode(const Statement &S, llvm::SmallVectorImpl<char> &Out);

  /// Removes the next statement from the front of \p Bytes. Returns false if
  /// the bytes are invalid.
  bool decode(llvm::StringRef &Bytes, Statement &S);

private:
  enum : uint8_t {
    AllFlags = 15 | SF_OtherBlock,
    HasFile = 16,
    HasColumn = 32
  };

  Statement Before;
};

/// Checks the notes of a function, one by one. A short note takes two bytes,
/// and a CallNote takes 48. Allowing one note of each kind for each range, and
/// a few more, limits them to what the archive's size justifies.
class NoteOrder {
public:
  explicit NoteOrder(uint64_t RangeCount) : RangeCount(RangeCount) {}

  /// Sets the range and the kind of \p N. \p Head is the number of ranges
  /// since the note before, times four, plus the kind. Returns false if the
  /// function has no such range.
  bool takeHead(uint64_t Head, CallNote &N);

  /// Whether \p N may follow the note before.
  bool accepts(const CallNote &N);

private:
  uint64_t RangeCount;
  uint64_t Range = 0;
  std::optional<CallNote> Last;
  unsigned CallsWithoutCode = 0;
  unsigned Cuts = 0;
};

/// Removes the numbers that a note of the kind of \p N has beside its range and
/// its address from the front of \p Bytes: all ULEB128.
///
///   Code    number of the call
///   Empty   function; file, line and column of the call
bool takeNoteNumbers(llvm::StringRef &Bytes, CallNote &N);

// The rest is for the section STMT of older archives (docs/Format.md).

/// The byte between a function's statements and its notes on calls. No
/// statement begins with it.
inline constexpr uint8_t CallNotesFollow = 128;

/// Appends the notes in \p Bytes, on a function that begins at \p Start and has
/// at most \p RangeCount ranges, to \p Notes. Returns false if the bytes are
/// invalid.
bool decodeCallNotes(llvm::StringRef Bytes, uint64_t Start, uint64_t RangeCount,
                     std::vector<CallNote> &Notes);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_STATEMENTCODEC_H
