//===- CompactUnwindTable.cpp - Apple's unwind table ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompactUnwindTable.h"
#include "CompactEncodings.h"
#include "DWARF/Cursor.h"

using namespace llvm;

namespace lidia::unwindinfo {

using dwarf::Cursor;

/// The only version (UNWIND_SECTION_VERSION).
static constexpr uint32_t Version = 1;

/// UNWIND_SECOND_LEVEL_*.
enum : uint32_t { RegularPage = 2, CompressedPage = 3 };

/// The encoding with index \p Index of the \p Count encodings at \p Array.
std::optional<uint32_t> CompactUnwindTable::encodingAt(uint64_t Array,
                                                       uint32_t Count,
                                                       uint32_t Index) const {
  if (Index >= Count)
    return std::nullopt;
  Cursor C(Section.Bytes, /*LittleEndian=*/true, Array + 4 * uint64_t(Index));
  uint32_t Encoding = C.u32();
  if (C.bad())
    return std::nullopt;
  return Encoding;
}

/// Adds the functions of the page at \p At. In a compressed page, their offsets
/// are relative to \p FirstFunction.
bool CompactUnwindTable::readPage(uint32_t At, uint32_t FirstFunction,
                                  std::vector<Function> &Into) {
  Cursor C(Section.Bytes, /*LittleEndian=*/true, At);
  uint32_t Kind = C.u32();
  uint64_t Entries = At + uint64_t(C.u16());
  uint16_t Count = C.u16();
  bool IsCompressed = Kind == CompressedPage;
  uint64_t Encodings = 0;
  uint16_t EncodingCount = 0;
  if (IsCompressed) {
    Encodings = At + uint64_t(C.u16());
    EncodingCount = C.u16();
  }
  if (C.bad() || (!IsCompressed && Kind != RegularPage) || Count > EntriesLeft)
    return false;
  EntriesLeft -= Count;
  C.seek(Entries);
  for (unsigned I = 0; I != Count; ++I) {
    uint32_t Offset = C.u32();
    std::optional<uint32_t> Encoding;
    if (!IsCompressed) {
      Encoding = C.u32();
    } else {
      uint32_t Index = Offset >> 24;
      Offset = FirstFunction + (Offset & 0xffffff);
      Encoding =
          Index < CommonCount
              ? encodingAt(CommonEncodings, CommonCount, Index)
              : encodingAt(Encodings, EncodingCount, Index - CommonCount);
    }
    if (C.bad() || !Encoding)
      return false;
    Into.push_back({Section.ImageBase + Offset, 0, *Encoding});
  }
  return true;
}

std::vector<CompactUnwindTable::Function> CompactUnwindTable::functions() {
  std::vector<Function> Out;
  Cursor Head(Section.Bytes, /*LittleEndian=*/true);
  uint32_t Is = Head.u32();
  CommonEncodings = Head.u32();
  CommonCount = Head.u32();
  Head.skip(8); // Personality routines
  uint32_t Index = Head.u32(), Count = Head.u32();
  Cursor C(Section.Bytes, /*LittleEndian=*/true, Index);
  if (Head.bad() || Is != Version || C.bad()) {
    ++Broken;
    return Out;
  }
  uint64_t End = UINT64_MAX;
  for (uint32_t I = 0; I != Count; ++I) {
    uint32_t Offset = C.u32(), Page = C.u32();
    C.skip(4); // Language-specific data
    if (C.bad()) {
      ++Broken;
      break;
    }
    // The last entry has the end of the last function.
    if (Page == 0)
      End = Section.ImageBase + Offset;
    else if (!readPage(Page, Offset, Out))
      ++Broken;
  }
  for (Function &F : Out)
    F.End = std::max(F.Begin, End);
  return Out;
}

bool CompactUnwindTable::visitRows(const Function &F, VisitRow Visit) {
  UnwindRules Rules;
  CompactMeaning Meaning =
      Section.IsArm64
          ? readArm64Encoding(F.Encoding, Rules)
          : readX64Encoding(F.Encoding, Section.Image(F.Begin), Rules);
  if (Meaning == CompactMeaning::Rules && F.Begin < F.End)
    Visit(F.Begin, F.End, Rules);
  return Meaning != CompactMeaning::Broken;
}

} // namespace lidia::unwindinfo
