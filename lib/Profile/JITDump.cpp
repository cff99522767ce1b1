//===- JITDump.cpp - Dumps of just-in-time compiled code ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JITDump.h"
#include "ADT/StableSort.h"
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
constexpr uint32_t CodeLoad = 0, CodeMove = 1, DebugInformation = 2;
/// Sizes of the records' fixed parts after their prefix, and of an entry of
/// debug information without its name.
constexpr uint64_t LoadSize = 40, MoveSize = 48, DebugSize = 16, EntrySize = 16;

/// Longer names are truncated.
constexpr size_t LongestName = 4096;
/// The same limit as for a map of code.
constexpr size_t MostText = size_t(256) << 20;

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
  /// The text of a map of code, for JITDump's names.
  std::string Lines;

private:
  uint64_t number(ArrayRef<uint8_t> Bytes, size_t Offset,
                  unsigned Width) const {
    if (Width == 4)
      return support::endian::read<uint32_t>(&Bytes[Offset], Order);
    return support::endian::read<uint64_t>(&Bytes[Offset], Order);
  }
  bool readRecord();
  void readLoad(uint64_t Begin, uint64_t RecordSize);
  void readMove(uint64_t Begin);
  void readDebugInformation(uint64_t Begin, uint64_t RecordSize);
  void readRows(JITDump::Code &C, uint64_t CodeSize, StringRef Name);
  uint32_t fileNumber(StringRef Path);
  void addCode(const JITDump::Code &C, uint64_t CodeSize, StringRef Name);

  /// Code that a later record may move.
  struct Loaded {
    std::string Name;
    JITDump::Code Code;
  };

  const ByteReader &File;
  const uint64_t Size;
  JITDump &Dump;
  endianness Order = endianness::little;
  uint64_t At = 0;
  /// By code index.
  std::map<uint64_t, Loaded> Known;
  /// The debug information that was read last. It belongs to the code that is
  /// loaded next.
  std::vector<uint8_t> Described;
  StringMap<uint32_t> FileNumbers;
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
  while (At < Size && Lines.size() < MostText && readRecord())
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
  if (Kind == CodeLoad && RecordSize >= PrefixSize + LoadSize)
    readLoad(At + PrefixSize, RecordSize - PrefixSize);
  else if (Kind == CodeMove && RecordSize >= PrefixSize + MoveSize)
    readMove(At + PrefixSize);
  else if (Kind == DebugInformation && RecordSize >= PrefixSize + DebugSize)
    readDebugInformation(At + PrefixSize, RecordSize - PrefixSize);
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

void DumpReader::readLoad(uint64_t Begin, uint64_t RecordSize) {
  uint8_t Load[LoadSize];
  if (!File.readAll(Begin, Load))
    return;
  std::vector<uint8_t> Text(
      std::min<uint64_t>(RecordSize - LoadSize, LongestName));
  Text.resize(File.read(Begin + LoadSize, Text));
  StringRef Name = toStringRef(ArrayRef(Text)).split('\0').first;
  JITDump::Code C;
  C.Begin = number(Load, 16, 8);
  uint64_t CodeSize = number(Load, 24, 8);
  if (Described.size() >= DebugSize && number(Described, 0, 8) == C.Begin)
    readRows(C, CodeSize, Name);
  Described.clear();
  addCode(C, CodeSize, Name);
  Known[number(Load, 32, 8)] = {Name.str(), C};
}

void DumpReader::readMove(uint64_t Begin) {
  uint8_t Move[MoveSize];
  if (!File.readAll(Begin, Move))
    return;
  auto Found = Known.find(number(Move, 40, 8));
  if (Found == Known.end())
    return;
  Found->second.Code.Begin = number(Move, 24, 8);
  addCode(Found->second.Code, number(Move, 32, 8), Found->second.Name);
}

uint32_t DumpReader::fileNumber(StringRef Path) {
  auto [It, IsNew] = FileNumbers.try_emplace(Path, uint32_t(Dump.Files.size()));
  if (IsNew)
    Dump.Files.push_back(Path.str());
  return It->second;
}

void DumpReader::readDebugInformation(uint64_t Begin, uint64_t RecordSize) {
  constexpr uint64_t MostOfRecord = 64 << 20;
  Described.resize(std::min(RecordSize, MostOfRecord));
  if (!File.readAll(Begin, Described))
    Described.clear();
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
  constexpr size_t MostRows = 16 << 20;
  constexpr uint64_t ELFHeaderSize = 0x40;
  std::optional<StringRef> V8Path = pathOfV8(Name);
  uint64_t First = C.Begin + (V8Path ? ELFHeaderSize : 0);
  C.FirstRow = Dump.Rows.size();
  StringRef Bytes = toStringRef(ArrayRef(Described));
  StringRef Path;
  uint64_t Place = DebugSize, Count = number(Described, 8, 8);
  for (uint64_t I = 0; I != Count && Dump.Rows.size() != MostRows; ++I) {
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

void DumpReader::addCode(const JITDump::Code &C, uint64_t CodeSize,
                         StringRef Name) {
  std::string Text = Name.str();
  // The text must be one line.
  std::replace(Text.begin(), Text.end(), '\n', ' ');
  Lines += utohexstr(C.Begin) + " " + utohexstr(CodeSize) + " " +
           utostr(Dump.Codes.size()) + " " + Text + "\n";
  Dump.Codes.push_back(C);
}

CompiledCode JITDump::find(uint64_t Address) const {
  const NamedRange *R = Names->find(Address);
  CompiledCode Result;
  size_t Index = 0;
  Result.Name = R ? R->Name : "";
  if (Result.Name.consumeInteger(10, Index) || Index >= Codes.size())
    return {};
  Result.Name.consume_front(" ");
  const Code &C = Codes[Index];
  ArrayRef<Row> Its = ArrayRef(Rows).slice(C.FirstRow, C.RowCount);
  const Row *Next = partition_point(
      Its, [&](const Row &R) { return R.Offset <= Address - C.Begin; });
  if (Next == Its.begin())
    return Result;
  Result.File = Files[std::prev(Next)->File];
  Result.Line = std::prev(Next)->Line;
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
  Dump->Names = std::make_unique<PerfMap>(
      MemoryBuffer::getMemBufferCopy(Reader.Lines, Name), Warn);
  return Dump;
}

} // namespace lidia
