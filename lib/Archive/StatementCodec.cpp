//===- StatementCodec.cpp - Statements as bytes ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementCodec.h"
#include <utility>

using namespace lidia;
using namespace llvm;

// Most numbers take one byte.

static uint8_t *putULEB(uint64_t Value, uint8_t *To) {
  if (Value >= 0x80)
    return To + encodeULEB128(Value, To);
  *To = uint8_t(Value);
  return To + 1;
}

static uint8_t *putSLEB(int64_t Value, uint8_t *To) {
  if (!isInt<7>(Value))
    return To + encodeSLEB128(Value, To);
  *To = uint8_t(Value) & 0x7f;
  return To + 1;
}

void StatementCodec::encode(const Statement &S, SmallVectorImpl<char> &Out) {
  constexpr size_t MaxBytes = 1 + 4 * 10;
  size_t Size = Out.size();
  Out.resize_for_overwrite(Size + MaxBytes);
  uint8_t *First = reinterpret_cast<uint8_t *>(Out.data()) + Size;
  uint8_t *P = First + 1;
  *First = S.Flags;
  P = putULEB(S.Address - Before.Address, P);
  P = putSLEB(int64_t(S.Line) - int64_t(Before.Line), P);
  if (S.File != Before.File) {
    *First |= HasFile;
    P = putULEB(S.File, P);
  }
  if (S.Column != Before.Column) {
    *First |= HasColumn;
    P = putULEB(S.Column, P);
  }
  Out.truncate(Size + (P - First));
  Before = S;
}

bool StatementCodec::decode(StringRef &Bytes, Statement &S) {
  if (Bytes.empty())
    return false;
  uint8_t Flags = uint8_t(Bytes.front());
  Bytes = Bytes.drop_front();
  std::optional<uint64_t> Code = takeULEB(Bytes);
  std::optional<int64_t> Lines = takeSLEB(Bytes);
  if (!Code || !Lines || *Code > UINT64_MAX - Before.Address)
    return false;
  Before.Flags = Flags & AllFlags;
  Before.Address += *Code;
  Before.Line += uint32_t(*Lines);
  if (Flags & HasFile) {
    std::optional<uint64_t> File = takeULEB(Bytes);
    if (!File)
      return false;
    Before.File = *File;
  }
  if (Flags & HasColumn) {
    std::optional<uint64_t> Column = takeULEB(Bytes);
    if (!Column)
      return false;
    Before.Column = uint32_t(*Column);
  }
  S = Before;
  return (Flags & ~(AllFlags | HasFile | HasColumn)) == 0;
}

bool lidia::takeNoteNumbers(StringRef &Bytes, CallNote &N) {
  if (N.Kind == CallNote::Code) {
    std::optional<uint64_t> Call = takeULEB(Bytes);
    N.Call = uint32_t(Call.value_or(0));
    return Call.has_value();
  }
  if (N.Kind != CallNote::Empty)
    return N.Kind == CallNote::Start;
  std::optional<uint64_t> Function = takeULEB(Bytes), File = takeULEB(Bytes),
                          Line = takeULEB(Bytes), Column = takeULEB(Bytes);
  if (!Column)
    return false;
  N.Function = *Function;
  N.CallFile = *File;
  N.CallLine = uint32_t(*Line);
  N.CallColumn = uint32_t(*Column);
  return true;
}

bool NoteOrder::takeHead(uint64_t Head, CallNote &N) {
  if (Head / 4 > UINT32_MAX - Range || Head / 4 >= RangeCount - Range)
    return false;
  Range += Head / 4;
  N.Range = uint32_t(Range);
  N.Kind = CallNote::KindType(Head % 4);
  return true;
}

bool NoteOrder::accepts(const CallNote &N) {
  if (Last && Last->Range == N.Range) {
    if (std::tie(N.Kind, N.Address) < std::tie(Last->Kind, Last->Address))
      return false;
    if (Last->Kind == N.Kind &&
        (N.Kind == CallNote::Start ||
         (N.Kind == CallNote::Code && ++Cuts > format::MaxCuts)))
      return false;
  }
  Last = N;
  return N.Kind != CallNote::Empty ||
         ++CallsWithoutCode <= format::MaxCallsWithoutCode;
}

bool lidia::decodeCallNotes(StringRef Bytes, uint64_t Start,
                            uint64_t RangeCount, std::vector<CallNote> &Notes) {
  NoteOrder Order(RangeCount);
  while (!Bytes.empty()) {
    std::optional<uint64_t> Head = takeULEB(Bytes), Value = takeULEB(Bytes);
    CallNote N;
    if (!Head || !Value || !Order.takeHead(*Head, N))
      return false;
    N.Address = Start + *Value;
    if (!takeNoteNumbers(Bytes, N) || !Order.accepts(N))
      return false;
    Notes.push_back(N);
  }
  return true;
}
