//===- SymCacheReader.cpp - Functions of a SymCache -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Object/FileBytes.h"
#include "Object/SymCacheFormat.h"
#include "SymbolFileReader.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace llvm;

namespace lidia {

/// symbolic does not nest calls deeper than this. In a broken file, a chain of
/// callers may be a cycle.
static constexpr size_t LongestChain = 1001;

namespace {

/// A source location as numbers.
struct Location {
  uint32_t File = symcache::None;
  uint32_t Line = symcache::None;
  uint32_t Function = symcache::None;
  uint32_t InlinedInto = symcache::None;

  bool isGap() const {
    return File == symcache::None && Line == symcache::None &&
           Function == symcache::None && InlinedInto == symcache::None;
  }
};

class SymCacheReader final : public RangeExtractor {
public:
  explicit SymCacheReader(const SymbolFile &File)
      : File(File), Work(File.size()) {}

  StringRef name() const override { return "SymCache"; }
  uint64_t inputSize() const override { return File.size(); }
  Error extract(RangeVisitor &Visitor) override;

private:
  struct TableFile {
    bool Read = false;
    std::string Path;
  };

  Error readTables();
  bool readChain(uint64_t Range);
  bool continuesFunction(uint64_t Start) const;
  void addRange(uint64_t Start, uint64_t End);
  void addCalls(uint64_t Start, uint64_t End);
  bool finishFunction(RangeVisitor &Visitor);
  Location location(uint64_t Index) const;
  StringRef functionName(uint32_t Index) const;
  StringRef path(uint32_t Index);
  StringRef string(uint32_t Offset) const;
  uint32_t number(uint64_t Offset) const {
    return support::endian::read<uint32_t>(
        File.bytes().data() + Offset,
        File.isBigEndian() ? endianness::big : endianness::little);
  }

  const SymbolFile &File;
  RangeVisitor *Visitor = nullptr;
  WorkLimit Work;

  uint32_t Version = 0;
  uint64_t FileSize = 0;
  uint64_t FileCount = 0, FunctionCount = 0, LocationCount = 0, RangeCount = 0;
  uint64_t FirstFile = 0, FirstFunction = 0, FirstLocation = 0, FirstRange = 0;
  StringRef Strings;
  std::vector<TableFile> Files;

  /// The locations of a range, innermost first.
  SmallVector<Location, 16> Chain;
  /// The current function. Its Name is set when it is passed to the visitor.
  /// Its End is 0 if there is no function.
  FunctionRange Function;
  uint32_t FunctionIndex = symcache::None;
  std::vector<SourceRow> Rows;
  std::vector<InlinedRange> Calls;
  /// The calls that end at Function.End, outermost first: their indices in
  /// Calls, the functions called, and the call sites.
  struct OpenCall {
    size_t Index;
    uint32_t Function;
    uint32_t CallFile;
    uint32_t CallLine;
  };
  SmallVector<OpenCall, 16> Open;
};

} // namespace

/// Finds the parts after the header, all of which are in the file.
Error SymCacheReader::readTables() {
  Version = number(offsetof(symcache::Header, Version));
  FileSize = Version < 9 ? sizeof(symcache::File) : symcache::LongFileSize;
  uint64_t End = sizeof(symcache::Header);
  auto Place = [&](uint64_t CountAt, uint64_t Size, uint64_t &Count,
                   uint64_t &First) {
    Count = number(CountAt);
    First = alignTo(End, symcache::Alignment);
    End = First + Count * Size;
  };
  Place(offsetof(symcache::Header, FileCount), FileSize, FileCount, FirstFile);
  Place(offsetof(symcache::Header, FunctionCount), sizeof(symcache::Function),
        FunctionCount, FirstFunction);
  Place(offsetof(symcache::Header, LocationCount),
        sizeof(symcache::SourceLocation), LocationCount, FirstLocation);
  Place(offsetof(symcache::Header, RangeCount), sizeof(symcache::U32),
        RangeCount, FirstRange);
  uint64_t StringBytes = 0, FirstString = 0;
  Place(offsetof(symcache::Header, StringBytes), 1, StringBytes, FirstString);
  std::optional<StringRef> Bytes =
      bytesAt(File.bytes(), FirstString, StringBytes);
  if (!Bytes)
    return make_error<DamagedError>(File.path(),
                                    "is shorter than its header says");
  if (LocationCount < RangeCount)
    return make_error<DamagedError>(File.path(),
                                    "has fewer source locations than ranges");
  Strings = *Bytes;
  Files.resize(FileCount);
  return Error::success();
}

/// Empty for symcache::None and for a truncated string.
StringRef SymCacheReader::string(uint32_t Offset) const {
  // DataExtractor does not check where a ULEB128 begins.
  if (Offset >= Strings.size())
    return {};
  DataExtractor Data(Strings, !File.isBigEndian(), /*AddressSize=*/8);
  DataExtractor::Cursor C(Offset);
  uint64_t Size = Version < 8 ? Data.getU32(C) : Data.getULEB128(C);
  StringRef Text = Data.getBytes(C, Size);
  consumeError(C.takeError());
  return Text;
}

Location SymCacheReader::location(uint64_t Index) const {
  uint64_t Offset = FirstLocation + Index * sizeof(symcache::SourceLocation);
  return {number(Offset), number(Offset + 4), number(Offset + 8),
          number(Offset + 12)};
}

StringRef SymCacheReader::functionName(uint32_t Index) const {
  if (Index >= FunctionCount)
    return {};
  return string(number(FirstFunction + Index * sizeof(symcache::Function)));
}

StringRef SymCacheReader::path(uint32_t Index) {
  if (Index >= FileCount)
    return {};
  TableFile &F = Files[Index];
  if (F.Read)
    return F.Path;
  F.Read = true;
  uint64_t Offset = FirstFile + Index * FileSize;
  StringRef Compilation = string(number(Offset));
  StringRef Folder = string(number(Offset + 4));
  StringRef Name = string(number(Offset + 8));
  // Many files may share one long folder.
  if (!Work.take(Compilation.size() + Folder.size() + Name.size()))
    return {};
  std::string Below = joinPath(Folder, Name);
  F.Path = joinPath(Compilation, Below);
  if (F.Path.size() > Below.size())
    Visitor->setCompilationDirectory(F.Path, F.Path.size() - Below.size());
  return F.Path;
}

/// Fills Chain with the locations of the range \p Range. Returns false if there
/// are too many, or one of them does not exist.
bool SymCacheReader::readChain(uint64_t Range) {
  Chain.clear();
  uint64_t Index = LocationCount - RangeCount + Range;
  while (Index != symcache::None) {
    if (Index >= LocationCount || Chain.size() == LongestChain || !Work.take(1))
      return false;
    Chain.push_back(location(Index));
    Index = Chain.back().InlinedInto;
  }
  if (Chain.size() == 1 && Chain.front().isGap())
    Chain.clear();
  return true;
}

/// Whether code of Chain from \p Start on belongs to Function.
bool SymCacheReader::continuesFunction(uint64_t Start) const {
  return Function.End && Function.End == Start &&
         Chain.back().Function == FunctionIndex;
}

/// Adds the calls of Chain, which is in force from \p Start to \p End. Open
/// calls continue.
void SymCacheReader::addCalls(uint64_t Start, uint64_t End) {
  size_t Depth = 1;
  for (; Depth < Chain.size() && Depth <= Open.size(); ++Depth) {
    const Location &Call = Chain[Chain.size() - 1 - Depth];
    const Location &Caller = Chain[Chain.size() - Depth];
    const OpenCall &O = Open[Depth - 1];
    if (O.Function != Call.Function || O.CallFile != Caller.File ||
        O.CallLine != Caller.Line)
      break;
    Calls[O.Index].End = End;
  }
  Open.truncate(Depth - 1);
  for (; Depth < Chain.size(); ++Depth) {
    const Location &Call = Chain[Chain.size() - 1 - Depth];
    const Location &Caller = Chain[Chain.size() - Depth];
    Open.push_back({Calls.size(), Call.Function, Caller.File, Caller.Line});
    InlinedRange R;
    R.Start = Start;
    R.End = End;
    R.Depth = Depth;
    R.Name = functionName(Call.Function);
    R.CallFile = path(Caller.File);
    R.CallLine = Caller.Line;
    Calls.push_back(R);
  }
}

/// Adds code of Chain, which is not empty, to Function.
void SymCacheReader::addRange(uint64_t Start, uint64_t End) {
  if (!Function.End) {
    Function.Start = Start;
    FunctionIndex = Chain.back().Function;
    Open.clear();
  }
  Function.End = End;
  addCalls(Start, End);
  const Location &Innermost = Chain.front();
  uint32_t Line = Innermost.Line == symcache::None ? 0 : Innermost.Line;
  Rows.push_back({Start, path(Innermost.File), Line, 0});
}

/// Passes Function, if it is set, to \p Visitor. Returns false if the visitor
/// wants no more.
bool SymCacheReader::finishFunction(RangeVisitor &Visitor) {
  if (!Function.End)
    return true;
  Function.Name = functionName(FunctionIndex);
  if (FunctionIndex < FunctionCount) {
    uint32_t Entry =
        number(FirstFunction + FunctionIndex * sizeof(symcache::Function) +
               offsetof(symcache::Function, EntryAddress));
    if (Entry != symcache::None)
      Function.Entry = Entry;
  }
  Function.Calls = Calls;
  Function.Rows = Rows;
  bool GoOn = Visitor.visit(Function);
  Function = FunctionRange();
  Calls.clear();
  Rows.clear();
  return GoOn;
}

Error SymCacheReader::extract(RangeVisitor &TheVisitor) {
  Visitor = &TheVisitor;
  if (Error E = readTables())
    return E;
  uint64_t Broken = 0;
  bool GoOn = true;
  for (uint64_t I = 0; I != RangeCount && GoOn && !Work.exhausted(); ++I) {
    uint64_t Start = number(FirstRange + I * sizeof(uint32_t));
    // The last one has no end.
    uint64_t End = I + 1 == RangeCount
                       ? uint64_t(1) << 32
                       : number(FirstRange + (I + 1) * sizeof(uint32_t));
    bool IsSound = readChain(I) && Start < End;
    Broken += !IsSound;
    if (!IsSound || Chain.empty() || !continuesFunction(Start))
      GoOn = finishFunction(TheVisitor);
    if (IsSound && !Chain.empty())
      addRange(Start, End);
  }
  if (GoOn)
    finishFunction(TheVisitor);
  if (Broken)
    Visitor->warning(File.path() + ": " + Twine(Broken) +
                     " ranges are broken and are left out");
  if (Work.exhausted())
    Visitor->warning(File.path() + ": its ranges refer to more than it holds; "
                                   "the rest is left out");
  return Error::success();
}

std::unique_ptr<RangeExtractor> createSymCacheReader(const SymbolFile &File) {
  return std::make_unique<SymCacheReader>(File);
}

} // namespace lidia
