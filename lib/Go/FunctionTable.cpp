//===- FunctionTable.cpp - Go's table of functions ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionTable.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace lidia::go {

static constexpr std::pair<uint32_t, Layout> Magics[] = {
    {0xfffffffb, Layout::Go12},
    {0xfffffffa, Layout::Go116},
    {0xfffffff0, Layout::Go118},
    {0xfffffff1, Layout::Go120},
};

/// The maximum length of a name. Go does not create longer ones.
static constexpr size_t LongestText = 1 << 16;

int32_t valueAt(ArrayRef<ValueRun> Runs, uint64_t Offset) {
  const ValueRun *It = std::upper_bound(
      Runs.begin(), Runs.end(), Offset,
      [](uint64_t Offset, const ValueRun &R) { return Offset < R.End; });
  return It == Runs.end() ? -1 : It->Value;
}

Error FunctionTable::error(const Twine &Message) const {
  return addWhere(formatv("Go's function table at {0:x}", Address).str(),
                  make_error<DamagedError>("", Message));
}

/// The number with index \p Index in the header, counted after its first eight
/// bytes.
std::optional<uint64_t> FunctionTable::header(unsigned Index) const {
  return Memory->pointer(Address + 8 + Index * Memory->pointerSize());
}

Expected<FunctionTable> FunctionTable::create(const Image &Memory,
                                              uint64_t Address) {
  FunctionTable T(Memory, Address);
  if (Error E = T.readHeader())
    return E;
  return T;
}

Error FunctionTable::readHeader() {
  StringRef Bytes = Memory->bytes(Address);
  uint32_t Magic = Memory->word(Address).value_or(0);
  const auto *Known =
      find_if(Magics, [&](auto &M) { return M.first == Magic; });
  if (Known == std::end(Magics))
    return error("the magic number is not known");
  if (Bytes.size() < 8 || Bytes[4] || Bytes[5])
    return error("the header is broken");
  Version = Known->second;
  Quantum = uint8_t(Bytes[6]);
  if ((Quantum != 1 && Quantum != 2 && Quantum != 4) ||
      uint8_t(Bytes[7]) != Memory->pointerSize())
    return error("is for another machine");
  uint64_t FileBytes = 0;
  for (const Image::Part &P : Memory->parts())
    FileBytes += P.Bytes.size();
  WorkLimit = FileBytes * 4 + (1 << 20);

  if (Error E = Version == Layout::Go12 ? readHeader12() : readHeader116())
    return E;
  uint64_t EntrySize = is118() ? 8 : 2 * Memory->pointerSize();
  if (FunctionCount == 0 ||
      FunctionCount > Memory->bytes(Functions).size() / EntrySize)
    return error("it has fewer functions than it says");
  if (!entryMatches(0))
    return error("its functions do not have the addresses that it says");
  if (Version == Layout::Go12)
    detectCount();
  return Error::success();
}

/// Determines whether the number of data items is a byte, as from Go 1.12 on,
/// or a word that ends at the same offset. Some of the first functions have
/// data items, so that byte is nonzero, while the last byte of a small
/// little-endian word is zero.
void FunctionTable::detectCount() {
  if (Memory->order() == endianness::big)
    return;
  CountIsByte = false;
  for (uint64_t I = 0; I < std::min<uint64_t>(FunctionCount, 64); ++I) {
    uint64_t Last = Records + recordOffset(I).value_or(0) +
                    Memory->pointerSize() + 7 * 4 + 3;
    CountIsByte |= Memory->byte(Last).value_or(0) != 0;
  }
}

/// Reads a header whose offsets are relative to the table's start.
Error FunctionTable::readHeader12() {
  FunctionCount = header(0).value_or(0);
  Names = Values = Records = Address;
  Functions = Address + 8 + Memory->pointerSize();
  uint64_t Width = 2 * Memory->pointerSize();
  if (FunctionCount > Memory->bytes(Functions).size() / Width)
    return error("it has fewer functions than it says");
  // The end of the last function and the offset of the file table follow it.
  std::optional<uint32_t> FilesOffset =
      Memory->word(Functions + FunctionCount * Width + Memory->pointerSize());
  if (!FilesOffset)
    return error("is cut short");
  Files = Address + *FilesOffset;
  FileCount = Memory->word(Files).value_or(0);
  return Error::success();
}

/// Reads a header with the offset of each part.
Error FunctionTable::readHeader116() {
  FunctionCount = header(0).value_or(0);
  FileCount = UINT32_MAX;
  unsigned Next = 2;
  if (is118())
    TextStart = header(Next++).value_or(0);
  for (uint64_t *Part : {&Names, &Units, &Files, &Values, &Functions}) {
    std::optional<uint64_t> Offset = header(Next++);
    if (!Offset || *Offset >= Memory->bytes(Address).size())
      return error("the header refers to missing parts");
    *Part = Address + *Offset;
  }
  Records = Functions;
  return Error::success();
}

void FunctionTable::find(const Image &Memory,
                         function_ref<bool(uint64_t)> Visit) {
  for (const Image::Part &P : Memory.parts()) {
    uint64_t Skip = -P.Address % Memory.pointerSize();
    for (uint64_t At = Skip; At + 16 <= P.Bytes.size();
         At += Memory.pointerSize()) {
      uint32_t Magic =
          support::endian::read<uint32_t>(P.Bytes.data() + At, Memory.order());
      if ((Magic | 0xf) != UINT32_MAX || P.Bytes[At + 4] || P.Bytes[At + 5])
        continue;
      Expected<FunctionTable> T = create(Memory, P.Address + At);
      if (!T)
        consumeError(T.takeError());
      else if (Visit(P.Address + At))
        return;
    }
  }
}

/// The start of function \p Index: an offset or, before Go 1.18, an address.
std::optional<uint64_t> FunctionTable::position(uint64_t Index) const {
  if (!is118())
    return Memory->pointer(Functions + Index * 2 * Memory->pointerSize());
  return Memory->word(Functions + Index * 8);
}

uint64_t FunctionTable::codeAddress(uint64_t Position) const {
  if (!is118())
    return Position;
  Work += TextSections.size();
  for (const TextSection &S : TextSections)
    if (Position >= S.Start && Position < S.End)
      return S.Address + (Position - S.Start);
  return TextStart + Position;
}

std::optional<uint64_t> FunctionTable::recordOffset(uint64_t Index) const {
  if (is118())
    return Memory->word(Functions + Index * 8 + 4);
  unsigned Width = Memory->pointerSize();
  return Memory->pointer(Functions + Index * 2 * Width + Width);
}

/// Whether the record of function \p Index has the same address as the list.
bool FunctionTable::entryMatches(uint64_t Index) const {
  std::optional<uint64_t> Start = position(Index), Offset = recordOffset(Index);
  if (!Start || !Offset || *Offset >= Memory->bytes(Records).size())
    return false;
  if (!is118())
    return Memory->pointer(Records + *Offset) == Start;
  return Memory->word(Records + *Offset) == Start;
}

Expected<std::optional<Function>>
FunctionTable::function(uint64_t Index) const {
  std::optional<uint64_t> Offset = recordOffset(Index);
  std::optional<uint64_t> Start = position(Index), End = position(Index + 1);
  if (!Offset || !Start || !End)
    return error("function " + Twine(Index) + " is cut short");
  // A record cannot be at the offset of the list.
  if (*Offset == 0 && Version != Layout::Go12)
    return std::nullopt;
  Function F;
  // The next function may be in another section.
  F.Entry = codeAddress(*Start);
  F.NextEntry = F.Entry + (*End - *Start);
  if (*Start > *End || F.NextEntry < F.Entry || !entryMatches(Index) ||
      !readRecord(Records + *Offset, F))
    return error("function " + Twine(Index) + " is broken");
  return F;
}

bool FunctionTable::readRecord(uint64_t Record, Function &F) const {
  uint64_t At = Record + (is118() ? 4 : Memory->pointerSize());
  uint32_t Skipped;
  SmallVector<uint32_t *, 10> Fields = {
      &F.Name,       &Skipped /* size of arguments */,
      &Skipped,      &F.StackTable,
      &F.FileTable,  &F.LineTable,
      &F.ValueTables};
  if (Version >= Layout::Go116)
    Fields.push_back(&F.Unit);
  if (Version >= Layout::Go120)
    Fields.push_back(&Skipped); // the line of the declaration
  for (uint32_t *Field : Fields) {
    std::optional<uint32_t> Value = Memory->word(At);
    if (!Value)
      return false;
    *Field = *Value;
    At += 4;
  }
  if (!Memory->word(At))
    return false;
  F.DataCount =
      CountIsByte ? *Memory->byte(At + 3) : std::min(*Memory->word(At), 255u);
  if (Version >= Layout::Go116)
    F.Flags = *Memory->byte(At + 1);
  F.Variable = At + 4;
  return F.ValueTables <= Memory->bytes(F.Variable).size() / 4;
}

StringRef FunctionTable::text(uint64_t TextAddress) const {
  StringRef Bytes = Memory->bytes(TextAddress).take_front(LongestText);
  size_t End = exhausted() ? StringRef::npos : Bytes.find('\0');
  if (End == StringRef::npos) {
    Work += Bytes.size();
    return {};
  }
  Work += End;
  return Bytes.take_front(End);
}

StringRef FunctionTable::name(uint32_t Offset) const {
  return text(Names + Offset);
}

StringRef FunctionTable::file(const Function &F, int32_t Index) const {
  if (Index < 0 || uint32_t(Index) >= FileCount)
    return {};
  // Before Go 1.16 there is no file 0: its slot holds the number of files.
  if (Version == Layout::Go12 && Index == 0)
    return {};
  uint64_t Slot = Version == Layout::Go12
                      ? Files + uint64_t(Index) * 4
                      : Units + (uint64_t(F.Unit) + uint32_t(Index)) * 4;
  std::optional<uint32_t> Offset = Memory->word(Slot);
  if (!Offset || *Offset == UINT32_MAX)
    return {};
  return text((Version == Layout::Go12 ? Address : Files) + *Offset);
}

/// Removes a number with seven bits per byte from the front of \p Bytes.
/// Returns false if it is truncated or too large.
static bool takeNumber(StringRef &Bytes, uint32_t &Value) {
  Value = 0;
  for (unsigned Shift = 0; Shift < 35 && !Bytes.empty(); Shift += 7) {
    uint8_t Byte = Bytes.front();
    Bytes = Bytes.drop_front();
    Value |= uint32_t(Byte & 0x7f) << Shift;
    if (!(Byte & 0x80))
      return true;
  }
  return false;
}

bool FunctionTable::readValues(const Function &F, uint32_t Offset,
                               std::vector<ValueRun> &Runs) const {
  Runs.clear();
  if (Offset == 0)
    return true;
  StringRef Bytes = Memory->bytes(Values + Offset);
  uint64_t Size = F.NextEntry - F.Entry, End = 0;
  uint32_t Value = -1;
  while (End < Size) {
    // The change of the value (zero at the end; the lowest bit is the sign) and
    // the length of the code with that value.
    uint32_t Change, Length;
    if (exhausted() || !takeNumber(Bytes, Change))
      return false;
    if (Change == 0 && !Runs.empty())
      return true;
    if (!takeNumber(Bytes, Length) || Length == 0)
      return false;
    Value += Change & 1 ? ~(Change >> 1) : Change >> 1;
    End += uint64_t(Length) * Quantum;
    Runs.push_back({End, int32_t(Value)});
    Work += 2;
  }
  return true;
}

bool FunctionTable::readFurtherValues(const Function &F, uint32_t Index,
                                      std::vector<ValueRun> &Runs) const {
  Runs.clear();
  if (Index >= F.ValueTables)
    return true;
  std::optional<uint32_t> Offset = Memory->word(F.Variable + Index * 4);
  return Offset && readValues(F, *Offset, Runs);
}

uint64_t FunctionTable::dataAddress(const Function &F, uint32_t Index,
                                    uint64_t DataStart) const {
  if (Index >= F.DataCount)
    return 0;
  uint64_t Data = F.Variable + uint64_t(F.ValueTables) * 4;
  if (is118()) {
    uint32_t Offset = Memory->word(Data + Index * 4).value_or(UINT32_MAX);
    return Offset == UINT32_MAX ? 0 : DataStart + Offset;
  }
  unsigned Width = Memory->pointerSize();
  Data = (Data + Width - 1) / Width * Width;
  return Memory->pointer(Data + Index * Width).value_or(0);
}

} // namespace lidia::go
