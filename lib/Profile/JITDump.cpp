//===- JITDump.cpp - Dumps of just-in-time compiled code ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JITDump.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace llvm;

namespace lidia {

// tools/perf/Documentation/jitdump-specification.txt.
constexpr uint32_t Magic = 0x4a695444;
constexpr uint64_t HeaderSize = 40, PrefixSize = 16;
constexpr uint32_t CodeLoad = 0, CodeMove = 1;
/// What both records of code begin with after their prefix.
constexpr uint64_t LoadSize = 40, MoveSize = 48;

/// Longer names are cut.
constexpr size_t LongestName = 4096;
/// As of a map of code.
constexpr size_t MostText = size_t(256) << 20;

bool isJITDump(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name.consume_front("jit-") && Name.consume_back(".dump") &&
         !Name.empty() && all_of(Name, isDigit);
}

namespace {
class DumpReader {
public:
  DumpReader(const ByteReader &File, uint64_t Size) : File(File), Size(Size) {}

  /// Appends lines of a map of code. False if it is no dump.
  bool read(std::string &Lines);
  /// How many bytes were not read because a record makes no sense.
  uint64_t left() const { return Size - At; }

private:
  uint64_t number(ArrayRef<uint8_t> Bytes, size_t Offset,
                  unsigned Width) const {
    if (Width == 4)
      return support::endian::read<uint32_t>(&Bytes[Offset], Order);
    return support::endian::read<uint64_t>(&Bytes[Offset], Order);
  }
  bool readRecord(std::string &Lines);
  void readLoad(uint64_t Begin, uint64_t RecordSize, std::string &Lines);
  void readMove(uint64_t Begin, std::string &Lines);
  void addLine(uint64_t Address, uint64_t CodeSize, StringRef Name,
               std::string &Lines) const;

  const ByteReader &File;
  const uint64_t Size;
  endianness Order = endianness::little;
  uint64_t At = 0;
  /// Of code that may be moved, by its index: where its name is.
  std::map<uint64_t, std::string> Names;
};
} // namespace

bool DumpReader::read(std::string &Lines) {
  uint8_t Header[HeaderSize];
  if (Size < HeaderSize || !File.readAll(0, Header))
    return false;
  if (support::endian::read32be(Header) == Magic)
    Order = endianness::big;
  else if (support::endian::read32le(Header) != Magic)
    return false;
  At = std::max(number(Header, 8, 4), HeaderSize);
  while (At < Size && Lines.size() < MostText && readRecord(Lines))
    ;
  At = std::min(At, Size);
  return true;
}

bool DumpReader::readRecord(std::string &Lines) {
  uint8_t Prefix[PrefixSize];
  if (Size - At < PrefixSize || !File.readAll(At, Prefix))
    return false;
  uint32_t Kind = uint32_t(number(Prefix, 0, 4));
  uint64_t RecordSize = number(Prefix, 4, 4);
  if (RecordSize < PrefixSize || RecordSize > Size - At)
    return false;
  if (Kind == CodeLoad && RecordSize >= PrefixSize + LoadSize)
    readLoad(At + PrefixSize, RecordSize - PrefixSize, Lines);
  else if (Kind == CodeMove && RecordSize >= PrefixSize + MoveSize)
    readMove(At + PrefixSize, Lines);
  At += RecordSize;
  return true;
}

void DumpReader::readLoad(uint64_t Begin, uint64_t RecordSize,
                          std::string &Lines) {
  uint8_t Load[LoadSize];
  if (!File.readAll(Begin, Load))
    return;
  std::vector<uint8_t> Text(
      std::min<uint64_t>(RecordSize - LoadSize, LongestName));
  Text.resize(File.read(Begin + LoadSize, Text));
  StringRef Name = toStringRef(ArrayRef(Text)).split('\0').first;
  addLine(number(Load, 16, 8), number(Load, 24, 8), Name, Lines);
  Names[number(Load, 32, 8)] = Name.str();
}

void DumpReader::readMove(uint64_t Begin, std::string &Lines) {
  uint8_t Move[MoveSize];
  if (!File.readAll(Begin, Move))
    return;
  auto Known = Names.find(number(Move, 40, 8));
  if (Known != Names.end())
    addLine(number(Move, 24, 8), number(Move, 32, 8), Known->second, Lines);
}

void DumpReader::addLine(uint64_t Address, uint64_t CodeSize, StringRef Name,
                         std::string &Lines) const {
  std::string Text = Name.str();
  // It has to be one line.
  std::replace(Text.begin(), Text.end(), '\n', ' ');
  Lines += utohexstr(Address) + " " + utohexstr(CodeSize) + " " + Text + "\n";
}

std::unique_ptr<PerfMap> readJITDump(const OpenedFile &File, StringRef Name,
                                     WarningFunction Warn) {
  std::string Lines;
  DumpReader Reader(File, File.size());
  if (!Reader.read(Lines)) {
    Warn(Name + ": is no dump of compiled code");
    return nullptr;
  }
  if (Reader.left() != 0)
    Warn(Name + ": " + Twine(Reader.left()) +
         " bytes at its end are no records that can be read");
  return std::make_unique<PerfMap>(MemoryBuffer::getMemBufferCopy(Lines, Name),
                                   Warn);
}

} // namespace lidia
