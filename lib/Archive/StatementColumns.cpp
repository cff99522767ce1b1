//===- StatementColumns.cpp - Statements as columns -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementColumns.h"
#include "StatementCodec.h"

using namespace lidia;
using namespace llvm;

namespace {

/// The byte of a statement: flags, and how its address and its line are given.
enum : uint8_t {
  FlagBits = 15,
  AddressBits = 3 << 4,
  /// The address of the statement before.
  SameAddress = 0 << 4,
  /// Where the line after the one in force begins.
  NextLine = 1 << 4,
  /// SC_Addresses.
  OtherAddress = 2 << 4,
  LineBits = 3 << 6,
  /// The line that the archive has at the address.
  LineInForce = 0 << 6,
  /// The line of the statement before.
  SameLine = 1 << 6,
  /// Another of the same file: SC_Lines, and SC_Columns if there are any.
  OtherLine = 2 << 6,
  /// SC_Files, too.
  OtherFile = 3 << 6,
};

constexpr uint64_t UsesLinesBit = 1, HasColumnsBit = 2;
constexpr unsigned HeadBits = 2;

} // namespace

static bool samePosition(const Statement &A, const Statement &B) {
  return A.Line == B.Line && A.File == B.File && A.Column == B.Column;
}

/// Removes \p Count numbers from the front of \p Bytes.
static bool skipNumbers(StringRef &Bytes, uint64_t Count) {
  size_t I = 0;
  for (; Count; --Count) {
    while (I != Bytes.size() && uint8_t(Bytes[I]) >= 0x80)
      ++I;
    if (I++ == Bytes.size())
      return false;
  }
  Bytes = Bytes.drop_front(I);
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FunctionHead::encode(std::string &Out) const {
  appendULEB(Out, Step);
  uint64_t Bits = UsesLines * UsesLinesBit + HasColumns * HasColumnsBit;
  appendULEB(Out, RowCount << HeadBits | Bits);
  appendULEB(Out, NoteCount);
}

bool FunctionHead::decode(StringRef &Bytes) {
  std::optional<uint64_t> Ranges = takeULEB(Bytes), Rows = takeULEB(Bytes),
                          Notes = takeULEB(Bytes);
  if (!Ranges || !Rows || !Notes)
    return false;
  Step = *Ranges;
  RowCount = *Rows >> HeadBits;
  UsesLines = *Rows & UsesLinesBit;
  HasColumns = *Rows & HasColumnsBit;
  NoteCount = *Notes;
  return true;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void StatementCoder::moveTo(uint64_t Address) {
  while (nextLine() && nextLine()->Address <= Address)
    ++At;
}

/// The line in force, as a statement; nothing is known without lines.
Statement StatementCoder::inForce() const {
  Statement S;
  if (At < Lines.size()) {
    S.Line = Lines[At].Line;
    S.File = Lines[At].File;
    S.Column = Lines[At].Column;
  }
  return S;
}

void StatementCoder::encode(const Statement &S,
                            function_ref<uint32_t(StringOffset)> Number,
                            StatementColumnBytes &Out) {
  uint8_t Code = S.Flags & FlagBits;
  if (S.Address == Before.Address) {
    Code |= SameAddress;
  } else if (nextLine() && nextLine()->Address == S.Address) {
    Code |= NextLine;
  } else {
    Code |= OtherAddress;
    appendULEB(Out[SC_Addresses], S.Address - Before.Address);
  }
  moveTo(S.Address);
  if (samePosition(S, inForce())) {
    Code |= LineInForce;
  } else if (samePosition(S, Before)) {
    Code |= SameLine;
  } else {
    Code |= S.File == Before.File ? OtherLine : OtherFile;
    appendSLEB(Out[SC_Lines], int64_t(S.Line) - int64_t(Before.Line));
    if (S.File != Before.File)
      appendULEB(Out[SC_Files], Number(S.File));
    if (HasColumns)
      appendULEB(Out[SC_Columns], S.Column);
  }
  Out[SC_Codes].push_back(char(Code));
  Before = S;
}

bool StatementCoder::decodeAddress(uint8_t Code, StatementColumnRefs &In) {
  switch (Code & AddressBits) {
  case SameAddress:
    return true;
  case NextLine:
    if (!nextLine())
      return false;
    Before.Address = nextLine()->Address;
    return true;
  case OtherAddress: {
    std::optional<uint64_t> Step = takeULEB(In[SC_Addresses]);
    if (!Step || *Step > UINT64_MAX - Before.Address)
      return false;
    Before.Address += *Step;
    return true;
  }
  }
  return false;
}

bool StatementCoder::decodeLine(uint8_t Code, StatementColumnRefs &In,
                                ArrayRef<StringOffset> Names) {
  if ((Code & LineBits) == SameLine)
    return true;
  if ((Code & LineBits) == LineInForce) {
    Statement S = inForce();
    S.Address = Before.Address;
    Before = S;
    return true;
  }
  std::optional<int64_t> Lines = takeSLEB(In[SC_Lines]);
  if (!Lines)
    return false;
  Before.Line += uint32_t(*Lines);
  if ((Code & LineBits) == OtherFile) {
    std::optional<uint64_t> File = takeULEB(In[SC_Files]);
    if (!File || *File >= Names.size())
      return false;
    Before.File = Names[*File];
  }
  std::optional<uint64_t> Column = 0;
  if (HasColumns)
    Column = takeULEB(In[SC_Columns]);
  Before.Column = uint32_t(Column.value_or(0));
  return Column.has_value();
}

bool StatementCoder::decode(StatementColumnRefs &In,
                            ArrayRef<StringOffset> Names, Statement &S) {
  if (In[SC_Codes].empty())
    return false;
  uint8_t Code = uint8_t(In[SC_Codes].front());
  In[SC_Codes] = In[SC_Codes].drop_front();
  if (!decodeAddress(Code, In))
    return false;
  moveTo(Before.Address);
  if (!decodeLine(Code, In, Names))
    return false;
  S = Before;
  S.Flags = Code & FlagBits;
  return true;
}

bool lidia::skipStatements(uint64_t Count, bool HasColumns,
                           StatementColumnRefs &In) {
  if (Count > In[SC_Codes].size())
    return false;
  uint64_t Addresses = 0, Lines = 0, Files = 0;
  for (uint8_t Code : In[SC_Codes].take_front(Count).bytes()) {
    Addresses += (Code & AddressBits) == OtherAddress;
    Lines += (Code & LineBits) >= OtherLine;
    Files += (Code & LineBits) == OtherFile;
  }
  In[SC_Codes] = In[SC_Codes].drop_front(Count);
  return skipNumbers(In[SC_Addresses], Addresses) &&
         skipNumbers(In[SC_Lines], Lines) && skipNumbers(In[SC_Files], Files) &&
         skipNumbers(In[SC_Columns], HasColumns ? Lines : 0);
}

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

/// How many numbers of SC_NoteNumbers a note of this kind has.
static std::optional<unsigned> numbersOf(unsigned Kind) {
  switch (Kind) {
  case CallNote::Start:
    return 0;
  case CallNote::Empty:
    return 4;
  case CallNote::Code:
    return 1;
  }
  return std::nullopt;
}

void lidia::encodeNotes(ArrayRef<CallNote> Notes,
                        function_ref<uint64_t(uint32_t)> StartOf,
                        function_ref<uint32_t(StringOffset)> Number,
                        StatementColumnBytes &Out) {
  uint32_t Range = 0;
  for (const CallNote &N : Notes) {
    appendULEB(Out[SC_Notes], uint64_t(N.Range - Range) * 4 + N.Kind);
    Range = N.Range;
    appendSLEB(Out[SC_NoteAddresses], int64_t(N.Address - StartOf(Range)));
    std::string &Numbers = Out[SC_NoteNumbers];
    if (N.Kind == CallNote::Code)
      appendULEB(Numbers, N.Call);
    if (N.Kind != CallNote::Empty)
      continue;
    appendULEB(Numbers, Number(N.Function));
    appendULEB(Numbers, Number(N.CallFile));
    appendULEB(Numbers, N.CallLine);
    appendULEB(Numbers, N.CallColumn);
  }
}

bool lidia::decodeNotes(uint64_t Count, uint64_t RangeCount,
                        function_ref<uint64_t(uint32_t)> StartOf,
                        ArrayRef<StringOffset> Names, StatementColumnRefs &In,
                        std::vector<CallNote> &Notes) {
  NoteOrder Order(RangeCount);
  for (; Count; --Count) {
    std::optional<uint64_t> Head = takeULEB(In[SC_Notes]);
    std::optional<int64_t> Address = takeSLEB(In[SC_NoteAddresses]);
    CallNote N;
    if (!Head || !Address || !Order.takeHead(*Head, N))
      return false;
    N.Address = StartOf(N.Range) + uint64_t(*Address);
    if (!takeNoteNumbers(In[SC_NoteNumbers], N) || !Order.accepts(N))
      return false;
    if (N.Kind == CallNote::Empty) {
      if (N.Function >= Names.size() || N.CallFile >= Names.size())
        return false;
      N.Function = Names[N.Function];
      N.CallFile = Names[N.CallFile];
    }
    Notes.push_back(N);
  }
  return true;
}

bool lidia::skipNotes(uint64_t Count, StatementColumnRefs &In) {
  uint64_t Numbers = 0;
  for (uint64_t I = 0; I != Count; ++I) {
    std::optional<uint64_t> Head = takeULEB(In[SC_Notes]);
    std::optional<unsigned> Size =
        Head ? numbersOf(*Head % 4) : std::optional<unsigned>();
    if (!Size)
      return false;
    Numbers += *Size;
  }
  return skipNumbers(In[SC_NoteAddresses], Count) &&
         skipNumbers(In[SC_NoteNumbers], Numbers);
}
