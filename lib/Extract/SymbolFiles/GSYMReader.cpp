//===- GSYMReader.cpp - Functions of a GSYM file --------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM's GsymReader is made for files that gsymutil wrote: it trusts that
/// strings end, calls itself for each level of inlining, and loops as often as
/// the file says. The format is small (llvm/DebugInfo/GSYM/FunctionInfo.h,
/// LineTable.h and InlineInfo.h define it), so this project has its own reader.
/// Version 2 differs in where the tables are (GSYMSections.h) and in offsets of
/// strings and functions, which have 64 bits.
///
//===----------------------------------------------------------------------===//

#include "Object/FileBytes.h"
#include "Object/GSYMSections.h"
#include "SymbolFileReader.h"
#include "lidia/Error.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/DebugInfo/GSYM/Header.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <vector>

using namespace llvm;

namespace lidia {

namespace {

/// The kinds of a function's parts that are read, as in gsym::FunctionInfo.
/// LLVM 20 and later also write call sites, and the other functions that the
/// linker merged with this one (identical code folding). An address has one
/// function here: the one that llvm-gsymutil names unless it is asked for all.
enum PartType : uint32_t { EndOfList = 0, LineTablePart = 1, InlinePart = 2 };

/// The operations of a line table, as in gsym::LineTable.
enum LineTableOp : uint8_t {
  EndSequence = 0,
  SetFile = 1,
  AdvancePC = 2,
  AdvanceLine = 3,
  FirstSpecial = 4,
};

class GSYMReader final : public RangeExtractor {
public:
  explicit GSYMReader(const SymbolFile &File)
      : File(File), Data(File.bytes(), !File.isBigEndian(), /*AddressSize=*/8),
        Names(File.size()), Work(File.size()) {}

  StringRef name() const override { return "GSYM"; }
  uint64_t inputSize() const override { return File.size(); }
  Error extract(RangeVisitor &Visitor) override;

private:
  /// A file of the file table.
  struct TableFile {
    bool Read = false;
    std::string Path;
  };

  /// Whether the calls inside it follow, or whether it has no ranges, which
  /// ends the calls of its parent.
  enum class InlineInfoKind : uint8_t { Broken, End, Leaf, Parent };

  Error damaged(const Twine &What) const;
  Error readTables();
  Error findTables();
  Error findSections();
  uint64_t start(uint64_t Index) const;
  uint64_t endOfEmpty(uint64_t Index) const;
  bool readFunction(uint64_t Index);
  bool readParts(uint64_t Offset);
  bool readLines(StringRef Part);
  InlineInfoKind readCall(const DataExtractor &Tree, DataExtractor::Cursor &C,
                          uint64_t Base, uint32_t Depth);
  bool readCalls(StringRef Part);
  StringRef string(uint64_t Offset);
  StringRef path(uint64_t Index);

  const SymbolFile &File;
  DataExtractor Data;
  NameReader Names;
  WorkLimit Work;

  uint64_t BaseAddress = 0;
  uint8_t OffsetSize = 0;
  uint64_t Count = 0;
  uint64_t AddressOffsets = 0;
  uint64_t InfoOffsets = 0;
  /// What InfoOffsets count from.
  uint64_t FirstInfo = 0;
  uint64_t FileTable = 0;
  uint64_t FirstFile = 0;
  /// The size of an offset of a string or a function.
  uint8_t RefSize = 0;
  StringRef StringTable;
  /// By offset.
  DenseMap<uint64_t, StringRef> KnownStrings;
  std::vector<TableFile> Files;

  /// The current function.
  FunctionRange Function;
  std::vector<SourceRow> Rows;
  std::vector<InlinedRange> Calls;
};

} // namespace

Error GSYMReader::damaged(const Twine &What) const {
  return make_error<DamagedError>(File.path(), What);
}

/// Finds the tables of a file of version 1, which follow the header.
Error GSYMReader::findTables() {
  uint64_t Offset = offsetof(gsym::Header, StrtabOffset);
  uint64_t StringsOffset = Data.getU32(&Offset);
  uint64_t StringsSize = Data.getU32(&Offset);
  RefSize = 4;
  AddressOffsets = alignTo(sizeof(gsym::Header), OffsetSize);
  InfoOffsets = alignTo(AddressOffsets + Count * OffsetSize, 4);
  FileTable = InfoOffsets + Count * RefSize;
  std::optional<StringRef> Strings =
      bytesAt(File.bytes(), StringsOffset, StringsSize);
  if (!Strings)
    return damaged("ends within the strings");
  StringTable = *Strings;
  return Error::success();
}

/// Finds the same tables in the sections of a file of version 2.
Error GSYMReader::findSections() {
  Expected<gsymv2::Sections> Sections =
      gsymv2::readSections(File.bytes(), File.path(), File.isBigEndian());
  if (!Sections)
    return Sections.takeError();
  RefSize = 8;
  bool IsWhole =
      (*Sections)[gsymv2::AddressOffsets].size() >= Count * OffsetSize &&
      (*Sections)[gsymv2::InfoOffsets].size() >= Count * RefSize;
  for (auto Type : {gsymv2::AddressOffsets, gsymv2::InfoOffsets, gsymv2::Files,
                    gsymv2::Functions})
    IsWhole &= !(*Sections)[Type].empty();
  if (!IsWhole)
    return damaged("lacks tables of its functions");
  auto Find = [&](gsymv2::SectionType Type) -> uint64_t {
    return (*Sections)[Type].data() - File.bytes().data();
  };
  AddressOffsets = Find(gsymv2::AddressOffsets);
  InfoOffsets = Find(gsymv2::InfoOffsets);
  FirstInfo = Find(gsymv2::Functions);
  FileTable = Find(gsymv2::Files);
  StringTable = (*Sections)[gsymv2::Strings];
  return Error::success();
}

/// Finds the tables, all of which are in the file.
Error GSYMReader::readTables() {
  uint64_t Offset = offsetof(gsym::Header, Version);
  bool IsFirst = Data.getU16(&Offset) == gsym::GSYM_VERSION;
  OffsetSize = Data.getU8(&Offset);
  Offset = offsetof(gsym::Header, BaseAddress);
  BaseAddress = Data.getU64(&Offset);
  Count = Data.getU32(&Offset);
  if (!isPowerOf2_32(OffsetSize) || OffsetSize > 8)
    return damaged("addresses of " + Twine(unsigned(OffsetSize)) + " bytes");
  if (Error E = IsFirst ? findTables() : findSections())
    return E;
  if (!Data.isValidOffsetForDataOfSize(FileTable, sizeof(uint32_t)))
    return damaged("ends within the tables of its functions");
  FirstFile = FileTable;
  uint64_t FileCount = Data.getU32(&FirstFile);
  if (FileCount * 2 * RefSize > File.size() - FirstFile)
    return damaged("ends within the table of files");
  Files.resize(FileCount);
  return Error::success();
}

/// Where the function \p Index begins.
uint64_t GSYMReader::start(uint64_t Index) const {
  uint64_t Offset = AddressOffsets + Index * OffsetSize;
  return BaseAddress + Data.getUnsigned(&Offset, OffsetSize);
}

/// The end of the function \p Index of size 0: the start of the next function,
/// as in LLVM.
uint64_t GSYMReader::endOfEmpty(uint64_t Index) const {
  uint64_t Start = start(Index);
  for (uint64_t Next = Index + 1; Next < Count && Next <= Index + 16; ++Next)
    if (start(Next) != Start)
      return start(Next);
  return Start + 1;
}

StringRef GSYMReader::string(uint64_t Offset) {
  // The map reserves the largest keys.
  if (Offset >= StringTable.size())
    return {};
  auto [Known, IsNew] = KnownStrings.try_emplace(Offset);
  if (IsNew)
    Known->second = Names.at(StringTable, Offset);
  return Known->second;
}

/// The path of the file \p Index; empty for the first, which means none.
StringRef GSYMReader::path(uint64_t Index) {
  if (Index == 0 || Index >= Files.size())
    return {};
  TableFile &F = Files[Index];
  if (F.Read)
    return F.Path;
  F.Read = true;
  uint64_t Offset = FirstFile + Index * 2 * RefSize;
  StringRef Folder = string(Data.getUnsigned(&Offset, RefSize));
  StringRef Name = string(Data.getUnsigned(&Offset, RefSize));
  // Many files may share one long folder.
  if (Work.take(Folder.size() + Name.size()))
    F.Path = joinPath(Folder, Name);
  return F.Path;
}

/// Fills Rows. Returns false if the table is broken; the rows before the error
/// are kept.
bool GSYMReader::readLines(StringRef Part) {
  DataExtractor Table(Part, Data.isLittleEndian(), 8);
  DataExtractor::Cursor C(0);
  int64_t Least = Table.getSLEB128(C), Max = Table.getSLEB128(C);
  uint32_t Line = Table.getULEB128(C);
  // Unsigned, so that nothing overflows.
  uint64_t LineRange = uint64_t(Max) - uint64_t(Least) + 1;
  bool IsSound = bool(C) && Max >= Least && LineRange != 0;
  uint64_t Address = Function.Start;
  uint64_t FileIndex = 1;
  while (IsSound && !Table.eof(C)) {
    uint8_t Op = Table.getU8(C);
    if (Op == EndSequence)
      break;
    switch (Op) {
    case SetFile:
      FileIndex = Table.getULEB128(C);
      continue;
    case AdvanceLine:
      Line += Table.getSLEB128(C);
      continue;
    case AdvancePC:
      Address += Table.getULEB128(C);
      break;
    default:
      Line += uint64_t(Least) + (Op - FirstSpecial) % LineRange;
      Address += (Op - FirstSpecial) / LineRange;
    }
    IsSound = bool(C);
    if (IsSound)
      Rows.push_back({Address, path(FileIndex), Line, 0});
  }
  IsSound &= bool(C);
  consumeError(C.takeError());
  return IsSound;
}

/// Reads an InlineInfo that begins at \p C, whose addresses count from \p Base,
/// and appends its ranges to Calls.
GSYMReader::InlineInfoKind GSYMReader::readCall(const DataExtractor &Tree,
                                                DataExtractor::Cursor &C,
                                                uint64_t Base, uint32_t Depth) {
  uint64_t RangeCount = Tree.getULEB128(C);
  if (!C || RangeCount > Tree.size())
    return InlineInfoKind::Broken;
  if (RangeCount == 0)
    return InlineInfoKind::End;
  size_t First = Calls.size();
  InlinedRange Call;
  Call.Depth = Depth;
  for (uint64_t I = 0; I != RangeCount && C; ++I) {
    Call.Start = Base + Tree.getULEB128(C);
    Call.End = Call.Start + Tree.getULEB128(C);
    Calls.push_back(Call);
  }
  bool HasCalls = Tree.getU8(C);
  Call.Name = string(Tree.getUnsigned(C, RefSize));
  Call.CallFile = path(Tree.getULEB128(C));
  Call.CallLine = Tree.getULEB128(C);
  if (!C) {
    Calls.resize(First);
    return InlineInfoKind::Broken;
  }
  for (InlinedRange &R : MutableArrayRef(Calls).drop_front(First)) {
    R.Name = Call.Name;
    R.CallFile = Call.CallFile;
    R.CallLine = Call.CallLine;
  }
  return HasCalls ? InlineInfoKind::Parent : InlineInfoKind::Leaf;
}

/// Fills Calls. Returns false if the part is broken; the calls before the error
/// are kept.
bool GSYMReader::readCalls(StringRef Part) {
  DataExtractor Tree(Part, Data.isLittleEndian(), 8);
  DataExtractor::Cursor C(0);
  // The base addresses of the next call and its siblings: the start of the call
  // that they are in. The outermost one is that of the function itself.
  SmallVector<uint64_t, 16> Bases = {Function.Start};
  bool IsSound = true;
  do {
    size_t First = Calls.size();
    uint32_t Depth = Bases.size() - 1;
    InlineInfoKind Kind = readCall(Tree, C, Bases.back(), Depth);
    IsSound = Kind != InlineInfoKind::Broken;
    if (Kind == InlineInfoKind::End)
      Bases.pop_back();
    else if (Kind == InlineInfoKind::Parent)
      Bases.push_back(Calls[First].Start);
    if (Depth == 0)
      Calls.clear();
  } while (IsSound && Bases.size() > 1);
  consumeError(C.takeError());
  return IsSound;
}

/// Reads the parts of Function, which begin at \p Offset. False if one is
/// broken.
bool GSYMReader::readParts(uint64_t Offset) {
  bool IsSound = true;
  while (true) {
    DataExtractor::Cursor C(Offset);
    uint32_t Type = Data.getU32(C), Size = Data.getU32(C);
    Offset = C.tell();
    if (Error E = C.takeError()) {
      consumeError(std::move(E));
      return false;
    }
    if (Type == EndOfList)
      return IsSound;
    std::optional<StringRef> Part = bytesAt(File.bytes(), Offset, Size);
    if (!Part || !Work.take(Size))
      return false;
    if (Type == LineTablePart)
      IsSound &= readLines(*Part);
    else if (Type == InlinePart)
      IsSound &= readCalls(*Part);
    Offset += Size;
  }
}

/// Fills Function. Returns false if a part of it, or its name, could not be
/// read.
bool GSYMReader::readFunction(uint64_t Index) {
  Function = FunctionRange();
  Rows.clear();
  Calls.clear();
  uint64_t InfoOffset = InfoOffsets + Index * RefSize;
  uint64_t Info = FirstInfo + Data.getUnsigned(&InfoOffset, RefSize);
  DataExtractor::Cursor C(Info);
  uint32_t Size = Data.getU32(C);
  uint64_t Name = Data.getUnsigned(C, RefSize), Parts = C.tell();
  if (Error E = C.takeError()) {
    consumeError(std::move(E));
    return false;
  }
  Function.Start = start(Index);
  Function.End = Size ? Function.Start + Size : endOfEmpty(Index);
  Function.Name = string(Name);
  bool IsSound = Work.take(8) && readParts(Parts);
  Function.Rows = Rows;
  Function.Calls = Calls;
  return IsSound && !Function.Name.empty();
}

Error GSYMReader::extract(RangeVisitor &Visitor) {
  if (Error E = readTables())
    return E;
  uint64_t Broken = 0;
  for (uint64_t I = 0; I != Count && !Work.exhausted(); ++I) {
    Broken += !readFunction(I);
    if (!Function.Name.empty() && !Visitor.visit(Function))
      break;
  }
  if (Broken)
    Visitor.warning(File.path() + ": " + Twine(Broken) +
                    " functions are broken; what is left of them is kept");
  if (Work.exhausted())
    Visitor.warning(File.path() + ": its functions refer to more than it "
                                  "holds; the rest is left out");
  return Error::success();
}

std::unique_ptr<RangeExtractor> createGSYMReader(const SymbolFile &File) {
  return std::make_unique<GSYMReader>(File);
}

} // namespace lidia
