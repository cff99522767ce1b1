//===- SymbfileRecords.cpp - Reads the records of a symbfile --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbfileRecords.h"
#include "Object/SymbfileFormat.h"
#include "Support/ProtoFields.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace lidia::symbfile {

namespace {

using Column = SmallVector<uint64_t, 32>;

class RecordReader {
public:
  explicit RecordReader(Records &Result) : Result(Result) {}

  /// Returns false if the message is a broken record.
  bool readMessage(uint64_t Type, StringRef Message);

private:
  bool readStrings(StringRef Message);
  bool readRange(StringRef Message);
  bool readField(const ProtoField &F, Range &R);
  bool readRows(StringRef Table, Range &R);
  bool readPad(StringRef Message);
  bool addFrames(ArrayRef<uint64_t> Names, ArrayRef<uint64_t> Files,
                 ArrayRef<uint64_t> Lines);
  std::optional<StringRef> string(uint64_t Index) const {
    return Index < Strings.size() ? std::optional(Strings[Index])
                                  : std::nullopt;
  }

  Records &Result;
  /// The last string table.
  std::vector<StringRef> Strings;
  /// The address of the record before.
  uint64_t Address = 0;
};

} // namespace

bool RecordReader::readStrings(StringRef Message) {
  Strings.clear();
  return forEachField(Message, [this](const ProtoField &F) {
    if (F.isMessage(symbfile::Strings))
      Strings.push_back(F.Bytes);
  });
}

/// Appends the numbers of \p F to \p To. Returns false if they are malformed.
static bool addTo(Column &To, const ProtoField &F) {
  return forEachNumber(F, [&](uint64_t Number) { To.push_back(Number); });
}

/// Reads \p Table, the line table of \p R. Rows outside of the range have no
/// code, and are left out. Returns false if the table is malformed.
bool RecordReader::readRows(StringRef Table, Range &R) {
  Column Offsets, Lines;
  bool IsSound = true;
  IsSound &= forEachField(Table, [&](const ProtoField &F) {
    if (F.Tag == RowOffset)
      IsSound &= addTo(Offsets, F);
    else if (F.Tag == RowLine)
      IsSound &= addTo(Lines, F);
  });
  if (!IsSound || Offsets.size() != Lines.size())
    return false;
  uint64_t Offset = 0;
  for (auto [Step, Line] : zip_equal(Offsets, Lines)) {
    Offset += uint32_t(Step);
    if (Offset >= R.End - R.Start)
      break;
    Result.Rows.push_back({R.Start + Offset, uint32_t(Line)});
  }
  return true;
}

/// Stores \p F, a field of a RangeV1. \p R.End is the length. Returns false if
/// the field refers to no string.
bool RecordReader::readField(const ProtoField &F, Range &R) {
  auto Set = [&](auto &To) {
    if (std::optional<StringRef> Text = string(F.Number))
      To = *Text;
    return F.Number < Strings.size();
  };
  switch (F.Tag) {
  case RangeDelta:
    R.Start = Address + uint64_t(F.signedNumber());
    return true;
  case RangeAddress:
    R.Start = F.Number;
    return true;
  case Length:
    R.End = F.Number;
    return true;
  case FunctionText:
    R.Name = F.Bytes;
    return true;
  case FileText:
    R.File = F.Bytes;
    return true;
  case CallFileText:
    R.CallFile = F.Bytes;
    return true;
  case CallLine:
    R.CallLine = uint32_t(F.Number);
    return true;
  case Depth:
    R.Depth = uint32_t(F.Number);
    return true;
  case FunctionIndex:
    return Set(R.Name);
  case FileIndex:
    return Set(R.File);
  case CallFileIndex:
    return Set(R.CallFile);
  default:
    return true;
  }
}

bool RecordReader::readRange(StringRef Message) {
  Range R;
  R.Start = Address;
  StringRef Table;
  bool HasName = false, IsSound = true;
  IsSound &= forEachField(Message, [&](const ProtoField &F) {
    HasName |= F.Tag == FunctionText || F.Tag == FunctionIndex;
    if (F.isMessage(LineTable))
      Table = F.Bytes;
    IsSound &= readField(F, R);
  });
  // Whatever else is wrong, the next address is relative to this one.
  Address = R.Start;
  if (!IsSound || !HasName || R.End > UINT64_MAX - R.Start)
    return false;
  R.End += R.Start;
  R.FirstRow = Result.Rows.size();
  IsSound = readRows(Table, R);
  R.EndRow = Result.Rows.size();
  Result.Ranges.push_back(R);
  return IsSound;
}

/// Adds the frames of a return pad. Returns false if they are not sound.
bool RecordReader::addFrames(ArrayRef<uint64_t> Names, ArrayRef<uint64_t> Files,
                             ArrayRef<uint64_t> Lines) {
  if (Names.size() != Files.size() || Names.size() != Lines.size())
    return false;
  for (auto [Name, File, Line] : zip_equal(Names, Files, Lines)) {
    std::optional<StringRef> Text = string(Name), Path = string(File);
    if (!Text || !Path)
      return false;
    Result.Frames.push_back({*Text, *Path, uint32_t(Line)});
  }
  return !Names.empty();
}

bool RecordReader::readPad(StringRef Message) {
  Column Names, Files, Lines;
  bool IsSound = true;
  IsSound &= forEachField(Message, [&](const ProtoField &F) {
    if (F.Tag == PadDelta)
      Address += uint64_t(F.signedNumber());
    else if (F.Tag == PadAddress)
      Address = F.Number;
    else if (F.Tag == PadFunction)
      IsSound &= addTo(Names, F);
    else if (F.Tag == PadFile)
      IsSound &= addTo(Files, F);
    else if (F.Tag == PadLine)
      IsSound &= addTo(Lines, F);
  });
  size_t First = Result.Frames.size();
  if (!IsSound || Address == UINT64_MAX || !addFrames(Names, Files, Lines)) {
    Result.Frames.resize(First);
    return false;
  }
  Result.Pads.push_back({Address, First, Result.Frames.size()});
  return true;
}

bool RecordReader::readMessage(uint64_t Type, StringRef Message) {
  switch (Type) {
  case StringTableV1:
    return readStrings(Message);
  case RangeV1:
    return readRange(Message);
  case ReturnPadV1:
    return readPad(Message);
  default:
    // Of a later version.
    return true;
  }
}

Error readRecords(const SymbolFile &File, Records &Result) {
  RecordReader Reader(Result);
  StringRef Rest = File.bytes().drop_front(Magic.size());
  while (!Rest.empty()) {
    std::optional<uint64_t> Size = takeULEB(Rest), Type = takeULEB(Rest);
    if (!Size || !Type || *Size > Rest.size())
      return make_error<DamagedError>(File.path(), "ends within a message");
    Result.Broken += !Reader.readMessage(*Type, Rest.take_front(*Size));
    Rest = Rest.drop_front(*Size);
  }
  return Error::success();
}

} // namespace lidia::symbfile
