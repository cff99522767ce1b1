//===- JITDump.cpp - Dumps of just-in-time compiled code ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JITDump.h"
#include "Support/StableSort.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace lidia {

// tools/perf/Documentation/jitdump-specification.txt.
constexpr uint32_t JITMagic = 0x4a695444;
constexpr uint64_t JITHeaderSize = 40, PrefixSize = 16;
constexpr uint32_t CodeLoad = 0, CodeMove = 1, DebugInformation = 2,
                   UnwindInformation = 4;
/// Whether times are those of the processor's own counter.
constexpr uint64_t ArchTimestamp = 1;
/// Sizes of the records' fixed parts after their prefix, and of an entry of
/// debug information without its name.
constexpr uint64_t LoadSize = 40, MoveSize = 48, DebugSize = 16, EntrySize = 16,
                   UnwindSize = 24;

/// Longer names are truncated.
constexpr size_t LongestName = 4096;
/// The same limits as for a map of code.
constexpr size_t MaxText = size_t(256) << 20, MaxCodes = size_t(4) << 20;
/// Larger records are not kept.
constexpr uint64_t MaxOfRecord = 64 << 20;

bool isJITDump(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name.consume_front("jit-") && Name.consume_back(".dump") &&
         !Name.empty() && all_of(Name, isDigit);
}

class DumpReader {
public:
  DumpReader(const ByteReader &File, uint64_t Size, JITDump &Dump)
      : File(File), Size(Size), Dump(Dump) {}

  /// Reads all records. Returns false if the file is not a dump.
  bool read();
  /// The number of bytes that were not read because of an invalid record.
  uint64_t left() const { return Size - At; }

private:
  uint64_t number(ArrayRef<uint8_t> Bytes, size_t Offset,
                  unsigned Width) const {
    if (Width == 4)
      return support::endian::read<uint32_t>(&Bytes[Offset], Order);
    return support::endian::read<uint64_t>(&Bytes[Offset], Order);
  }
  bool readRecord();
  void readLoad(uint64_t Begin, uint64_t RecordSize, uint64_t Time);
  void readMove(uint64_t Begin, uint64_t Time);
  void readDebugInformation(uint64_t Begin, uint64_t RecordSize);
  void readUnwindInformation(uint64_t Begin, uint64_t RecordSize);
  void readRows(JITDump::Code &C, uint64_t CodeSize, StringRef Name);
  uint32_t fileNumber(StringRef Path);
  uint32_t framesOf(uint64_t CodeSize);
  void addCode(const JITDump::Code &C);

  const ByteReader &File;
  const uint64_t Size;
  JITDump &Dump;
  endianness Order = endianness::little;
  uint64_t At = 0;
  /// Code that a later record may move, by code index.
  std::map<uint64_t, JITDump::Code> Known;
  /// The debug and unwind information that was read last. It belongs to the
  /// code that is loaded next.
  std::vector<uint8_t> Described;
  std::vector<uint8_t> EHFrame;
  StringMap<uint32_t> FileNumbers;
  /// Indices in Frames by contents and size of the code: many functions have
  /// the same.
  std::map<std::pair<StringRef, uint64_t>, uint32_t> FrameNumbers;
  uint64_t TextSize = 0;
};

bool DumpReader::read() {
  uint8_t Header[JITHeaderSize];
  if (Size < JITHeaderSize || !File.readAll(0, Header))
    return false;
  if (support::endian::read32be(Header) == JITMagic)
    Order = endianness::big;
  else if (support::endian::read32le(Header) != JITMagic)
    return false;
  At = std::max(number(Header, 8, 4), JITHeaderSize);
  Dump.HasOwnClock = number(Header, 32, 8) & ArchTimestamp;
  while (At < Size && TextSize < MaxText && Dump.Codes.size() < MaxCodes &&
         readRecord())
    ;
  At = std::min(At, Size);
  return true;
}

bool DumpReader::readRecord() {
  uint8_t Prefix[PrefixSize];
  if (Size - At < PrefixSize || !File.readAll(At, Prefix))
    return false;
  uint32_t Kind = uint32_t(number(Prefix, 0, 4));
  uint64_t RecordSize = number(Prefix, 4, 4);
  if (RecordSize < PrefixSize || RecordSize > Size - At)
    return false;
  uint64_t Time = number(Prefix, 8, 8);
  if (Kind == CodeLoad && RecordSize >= PrefixSize + LoadSize)
    readLoad(At + PrefixSize, RecordSize - PrefixSize, Time);
  else if (Kind == CodeMove && RecordSize >= PrefixSize + MoveSize)
    readMove(At + PrefixSize, Time);
  else if (Kind == DebugInformation && RecordSize >= PrefixSize + DebugSize)
    readDebugInformation(At + PrefixSize, RecordSize - PrefixSize);
  else if (Kind == UnwindInformation && RecordSize >= PrefixSize + UnwindSize)
    readUnwindInformation(At + PrefixSize, RecordSize - PrefixSize);
  At += RecordSize;
  return true;
}

/// The path in \p Name ("JS:*f /a/b.js:1:13"), if it is a name of V8. V8 adds
/// the size of the ELF header that perf will write to the addresses of lines,
/// and in Node 20 the first 16 bytes of paths are overwritten.
static std::optional<StringRef> pathOfV8(StringRef Name) {
  constexpr StringRef Kinds[] = {
      "JS:", "LazyCompile:", "Function:", "Script:", "Eval:", "Builtin:"};
  if (none_of(Kinds, [&](StringRef K) { return Name.starts_with(K); }))
    return std::nullopt;
  StringRef Place = Name.substr(Name.rfind(' ') + 1);
  return Place.rsplit(':').first.rsplit(':').first;
}

void DumpReader::readLoad(uint64_t Begin, uint64_t RecordSize, uint64_t Time) {
  uint8_t Load[LoadSize];
  if (!File.readAll(Begin, Load))
    return;
  std::vector<uint8_t> Text(
      std::min<uint64_t>(RecordSize - LoadSize, LongestName));
  Text.resize(File.read(Begin + LoadSize, Text));
  // Names must be one line, as in a map of code.
  std::replace(Text.begin(), Text.end(), '\n', ' ');
  StringRef Name = toStringRef(ArrayRef(Text)).split('\0').first;
  JITDump::Code C;
  C.Name = Dump.Texts.save(Name);
  TextSize += Name.size();
  C.Begin = number(Load, 16, 8);
  C.Size = number(Load, 24, 8);
  C.Time = Time;
  if (Described.size() >= DebugSize && number(Described, 0, 8) == C.Begin)
    readRows(C, C.Size, Name);
  Described.clear();
  C.Frames = framesOf(C.Size);
  EHFrame.clear();
  addCode(C);
  Known[number(Load, 32, 8)] = C;
}

void DumpReader::readMove(uint64_t Begin, uint64_t Time) {
  uint8_t Move[MoveSize];
  if (!File.readAll(Begin, Move))
    return;
  auto Found = Known.find(number(Move, 40, 8));
  if (Found == Known.end())
    return;
  JITDump::Code &C = Found->second;
  C.Begin = number(Move, 24, 8);
  C.Size = number(Move, 32, 8);
  C.Time = Time;
  addCode(C);
}

uint32_t DumpReader::fileNumber(StringRef Path) {
  auto [It, IsNew] = FileNumbers.try_emplace(Path, uint32_t(Dump.Files.size()));
  if (IsNew)
    Dump.Files.push_back(Path.str());
  return It->second;
}

void DumpReader::readDebugInformation(uint64_t Begin, uint64_t RecordSize) {
  Described.resize(std::min(RecordSize, MaxOfRecord));
  if (!File.readAll(Begin, Described))
    Described.clear();
}

/// Reads .eh_frame, which .eh_frame_hdr follows. V8 writes the latter alone for
/// code without rows.
void DumpReader::readUnwindInformation(uint64_t Begin, uint64_t RecordSize) {
  EHFrame.clear();
  uint8_t Sizes[UnwindSize];
  if (!File.readAll(Begin, Sizes))
    return;
  uint64_t Both = number(Sizes, 0, 8), Index = number(Sizes, 8, 8);
  if (Both > RecordSize - UnwindSize || Index > Both ||
      Both - Index > MaxOfRecord)
    return;
  EHFrame.resize(Both - Index);
  if (!File.readAll(Begin + UnwindSize, EHFrame))
    EHFrame.clear();
}

/// The path at the beginning of \p Bytes, up to its NUL byte; none if the NUL
/// is missing. \p V8Path is the expected path, or empty.
static std::optional<StringRef> pathAt(StringRef Bytes, StringRef V8Path) {
  constexpr size_t Overwritten = 16;
  StringRef Rest = V8Path.drop_front(std::min(Overwritten, V8Path.size()));
  StringRef Its = Bytes.take_front(V8Path.size());
  bool IsV8Path = !Rest.empty() && Its.ends_with(Rest) &&
                  Bytes.drop_front(Its.size()).starts_with(StringRef("", 1));
  if (IsV8Path)
    return Its;
  size_t End = Bytes.find('\0');
  return End == StringRef::npos ? std::nullopt
                                : std::optional(Bytes.take_front(End));
}

/// Reads the rows of \p C. Each has the address, a line, a discriminator and
/// the path, where 0xff stands for the previous path. Stops at a row outside of
/// the code.
void DumpReader::readRows(JITDump::Code &C, uint64_t CodeSize, StringRef Name) {
  constexpr size_t MaxRows = 16 << 20;
  constexpr uint64_t ELFHeaderSize = 0x40;
  std::optional<StringRef> V8Path = pathOfV8(Name);
  uint64_t First = C.Begin + (V8Path ? ELFHeaderSize : 0);
  C.FirstRow = Dump.Rows.size();
  StringRef Bytes = toStringRef(ArrayRef(Described));
  StringRef Path;
  uint64_t Place = DebugSize, Count = number(Described, 8, 8);
  for (uint64_t I = 0; I != Count && Dump.Rows.size() != MaxRows; ++I) {
    if (Bytes.size() - Place < EntrySize)
      break;
    uint64_t Offset = number(Described, Place, 8) - First;
    uint32_t Line = uint32_t(number(Described, Place + 8, 4));
    std::optional<StringRef> Its =
        pathAt(Bytes.drop_front(Place + EntrySize), V8Path.value_or(""));
    if (!Its || Offset > CodeSize)
      break;
    Place += EntrySize + Its->size() + 1;
    if (*Its != "\xff")
      Path = V8Path && Its->size() == V8Path->size()
                 ? *V8Path
                 : Its->take_front(LongestName);
    Dump.Rows.push_back({Offset, fileNumber(Path), Line});
  }
  C.RowCount = Dump.Rows.size() - C.FirstRow;
  stableSort(MutableArrayRef(Dump.Rows).drop_front(C.FirstRow),
             [](const JITDump::Row &R) { return R.Offset; });
}

/// The index of the frames that were read last.
uint32_t DumpReader::framesOf(uint64_t CodeSize) {
  if (EHFrame.empty())
    return Profile::None;
  auto [It, IsNew] = FrameNumbers.try_emplace(
      {toStringRef(ArrayRef(EHFrame)), CodeSize}, uint32_t(Dump.Frames.size()));
  if (!IsNew)
    return It->second;
  uint32_t Number = It->second;
  JITDump::CodeFrames &F = Dump.Frames.emplace_back();
  F.EHFrame = Dump.Texts.save(It->first.first);
  F.CodeSize = CodeSize;
  // The key must not refer to bytes that are overwritten.
  FrameNumbers.erase(It);
  FrameNumbers[{F.EHFrame, CodeSize}] = Number;
  return Number;
}

void DumpReader::addCode(const JITDump::Code &C) {
  if (C.Size == 0 || C.Size > UINT64_MAX - C.Begin)
    return;
  Dump.HasRows |= C.Frames != Profile::None;
  Dump.InTheEnd.add(C.Begin, C.Begin + C.Size, uint32_t(Dump.Codes.size()));
  Dump.Codes.push_back(C);
}

void JITDump::advance(uint64_t Time) {
  for (; !HasOwnClock && Loaded != Codes.size() && Codes[Loaded].Time <= Time;
       ++Loaded) {
    const Code &C = Codes[Loaded];
    Now.add(C.Begin, C.Begin + C.Size, uint32_t(Loaded));
  }
}

/// Null if there is none.
const JITDump::Code *JITDump::codeAt(uint64_t Address) const {
  uint32_t Index = Now.find(Address);
  if (Index == Profile::None)
    Index = InTheEnd.find(Address);
  return Index == Profile::None ? nullptr : &Codes[Index];
}

CompiledCode JITDump::find(uint64_t Address) const {
  CompiledCode Result;
  const Code *Found = codeAt(Address);
  if (!Found)
    return Result;
  const Code &C = *Found;
  Result.Name = C.Name;
  ArrayRef<Row> Its = ArrayRef(Rows).slice(C.FirstRow, C.RowCount);
  const Row *Next = partition_point(
      Its, [&](const Row &R) { return R.Offset <= Address - C.Begin; });
  if (Next == Its.begin())
    return Result;
  Result.File = Files[std::prev(Next)->File];
  Result.Line = std::prev(Next)->Line;
  return Result;
}

UnwindModules::Place JITDump::findRows(uint64_t Address,
                                       const UnwindMachine &Machine) {
  UnwindModules::Place Result;
  const Code *C = codeAt(Address);
  if (!C || C->Frames == Profile::None)
    return Result;
  CodeFrames &F = Frames[C->Frames];
  if (!F.Machine) {
    F.Machine = &Machine;
    F.Rows = readCodeRows(F.EHFrame, F.CodeSize, Machine);
    // This is as good as no rows.
    if (Error E = UnwindTable::open(F.Rows.Section).moveInto(F.Table))
      consumeError(std::move(E));
  }
  if (F.Machine != &Machine || F.Table.empty())
    return Result;
  Result.Table = &F.Table;
  Result.Bias = C->Begin - F.Rows.Begin;
  Result.IsCode = true;
  return Result;
}

std::unique_ptr<JITDump> JITDump::read(const OpenedFile &File, StringRef Name,
                                       WarningFunction Warn) {
  auto Dump = std::make_unique<JITDump>();
  DumpReader Reader(File, File.size(), *Dump);
  if (!Reader.read()) {
    Warn(Name + ": not a jitdump file");
    return nullptr;
  }
  if (Reader.left() != 0)
    Warn(Name + ": " + Twine(Reader.left()) +
         " bytes at its end cannot be read as records");
  return Dump;
}

} // namespace lidia
