//===- PDBLines.cpp - Lines of a module -----------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PDBLines.h"
#include "Support/StableSort.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/CodeView/CodeView.h"
#include "llvm/DebugInfo/CodeView/DebugLinesSubsection.h"
#include "llvm/DebugInfo/CodeView/Line.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::codeview;
using support::ulittle32_t;

namespace lidia {

/// Line numbers for code that a debugger always steps into or over.
static bool isSpecialLine(uint32_t Line) {
  return Line == LineInfo::AlwaysStepIntoLineNumber ||
         Line == LineInfo::NeverStepIntoLineNumber;
}

/// Reads the lines of one file at \p At, and moves \p At past them. Their
/// offsets count from \p Offset in the section \p Section. Returns false if
/// they are broken.
bool PDBLines::readBlock(StringRef Bytes, uint64_t &At, uint16_t Section,
                         uint32_t Offset, bool HasColumns) {
  auto Header = structAt<LineBlockFragmentHeader>(Bytes, At);
  if (!Header)
    return false;
  uint64_t Count = Header->NumLines;
  uint64_t LinesAt = At + sizeof(*Header);
  uint64_t ColumnsAt = LinesAt + Count * sizeof(LineNumberEntry);
  uint64_t End =
      ColumnsAt + (HasColumns ? Count * sizeof(ColumnNumberEntry) : 0);
  if (End > Bytes.size())
    return false;
  for (uint64_t I = 0; I != Count; ++I) {
    auto Entry = *structAt<LineNumberEntry>(
        Bytes, LinesAt + I * sizeof(LineNumberEntry));
    std::optional<uint32_t> Address =
        File.address(Section, Offset + Entry.Offset);
    if (!Address)
      continue;
    PDBRow R;
    R.Address = *Address;
    R.Position.File = Header->NameIndex;
    uint32_t Line = Entry.Flags & LineInfo::StartLineMask;
    R.Position.Line = isSpecialLine(Line) ? 0 : Line;
    if (HasColumns)
      R.Position.Column = structAt<ColumnNumberEntry>(
                              Bytes, ColumnsAt + I * sizeof(ColumnNumberEntry))
                              ->StartColumn;
    Rows.push_back(R);
  }
  At = End;
  return true;
}

/// Reads the lines of a run of code, usually a function.
void PDBLines::readLines(StringRef Bytes) {
  auto Header = structAt<LineFragmentHeader>(Bytes, 0);
  std::optional<uint32_t> Start =
      Header ? File.address(Header->RelocSegment, Header->RelocOffset)
             : std::nullopt;
  if (!Start)
    return;
  bool HasColumns = Header->Flags & LF_HaveColumns;
  uint64_t At = sizeof(*Header);
  while (At != Bytes.size())
    if (!readBlock(Bytes, At, Header->RelocSegment, Header->RelocOffset,
                   HasColumns)) {
      IsSound = false;
      break;
    }
  uint64_t End = uint64_t(*Start) + Header->CodeSize;
  if (End > UINT32_MAX)
    return;
  Areas.push_back({*Start, uint32_t(End)});
  Rows.push_back({uint32_t(End), PDBPosition()});
}

/// Reads the source positions where inlined functions begin. Each entry may
/// name more files after its own.
void PDBLines::readBegins(StringRef Bytes) {
  auto Kind = structAt<ulittle32_t>(Bytes, 0);
  bool HasMoreFiles = Kind && *Kind == 1;
  uint64_t At = sizeof(ulittle32_t);
  constexpr uint64_t EntrySize = 3 * sizeof(ulittle32_t);
  while (std::optional<StringRef> Entry = bytesAt(Bytes, At, EntrySize)) {
    uint32_t Id = *structAt<ulittle32_t>(*Entry, 0);
    PDBPosition &P = Begins[std::min(Id, PDBNames::MaxID)];
    P.File = *structAt<ulittle32_t>(*Entry, 4);
    P.Line = *structAt<ulittle32_t>(*Entry, 8);
    At += EntrySize;
    if (!HasMoreFiles)
      continue;
    auto Count = structAt<ulittle32_t>(Bytes, At);
    At += sizeof(ulittle32_t) * (1 + (Count ? uint64_t(*Count) : 0));
  }
}

/// Sorts by address. Lines may begin where others end, so an end comes first.
void PDBLines::sortRows() {
  stableSort(Rows, [](const PDBRow &R) {
    bool IsEnd = R.Position.File == UINT32_MAX;
    return std::pair(R.Address, !IsEnd);
  });
}

bool PDBLines::read(StringRef Bytes) {
  Rows.clear();
  Areas.clear();
  Begins.clear();
  Paths.clear();
  Checksums = StringRef();
  IsSound = true;
  uint64_t At = 0;
  // The kind and the size of the part that follows.
  constexpr uint64_t HeaderSize = 2 * sizeof(ulittle32_t);
  while (std::optional<StringRef> Header = bytesAt(Bytes, At, HeaderSize)) {
    uint32_t Kind = *structAt<ulittle32_t>(*Header, 0);
    uint32_t Size = *structAt<ulittle32_t>(*Header, 4);
    At += HeaderSize;
    std::optional<StringRef> Part = bytesAt(Bytes, At, Size);
    if (!Part) {
      IsSound = false;
      break;
    }
    At = alignTo(At + Size, 4);
    switch (DebugSubsectionKind(Kind)) {
    case DebugSubsectionKind::Lines:
      readLines(*Part);
      break;
    case DebugSubsectionKind::FileChecksums:
      Checksums = *Part;
      break;
    case DebugSubsectionKind::InlineeLines:
      readBegins(*Part);
      break;
    default:
      break;
    }
  }
  sortRows();
  return IsSound;
}

StringRef PDBLines::path(uint32_t Number) {
  if (Number >= Checksums.size())
    return {};
  auto [It, IsNew] = Paths.try_emplace(Number);
  if (!IsNew)
    return It->second;
  // A header precedes the names: a signature, the version and the size.
  constexpr uint64_t HeaderSize = 3 * sizeof(ulittle32_t);
  if (auto Offset = structAt<ulittle32_t>(Checksums, Number))
    It->second = Reader.at(Names, HeaderSize + *Offset);
  return It->second;
}

} // namespace lidia
