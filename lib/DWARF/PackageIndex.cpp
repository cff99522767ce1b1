//===- PackageIndex.cpp - Reads .debug_cu_index ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackageIndex.h"
#include "Cursor.h"
#include "lidia/Error.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <tuple>

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

/// Section numbers that versions 2 and 5 agree on, and one of version 5.
enum SectionID : uint32_t {
  Info = 1,
  Types = 2, // of version 2
  Abbrev = 3,
  Locations = 5, // .debug_loclists.dwo, or .debug_loc.dwo of version 2
  StrOffsets = 6,
  RngLists = 8
};

Expected<PackageIndex> PackageIndex::parse(StringRef Contents,
                                           bool LittleEndian) {
  PackageIndex Index;
  Index.Contents = Contents;
  Index.LittleEndian = LittleEndian;
  Cursor C(Contents, LittleEndian);
  // Version 5 has two bytes and two of padding, version 2 has four.
  Index.Version = C.u16();
  if (!LittleEndian && Index.Version == 0)
    Index.Version = C.u16();
  else
    C.u16();
  Index.ColumnCount = C.u32();
  Index.RowCount = C.u32();
  uint64_t SlotCount = C.u32();
  if (C.bad() || (Index.Version != 2 && Index.Version != 5))
    return make_error<UnsupportedError>("", "version " + Twine(Index.Version) +
                                                " is not known");
  uint64_t Slots = C.offset();
  uint64_t Rows = Slots + SlotCount * 8;
  Index.Columns = Rows + SlotCount * 4;
  // The section numbers, then for each row offsets, then for each row sizes.
  uint64_t Cells = (1 + 2 * uint64_t(Index.RowCount)) * 4;
  if (Index.Columns > Contents.size() ||
      Index.ColumnCount > (Contents.size() - Index.Columns) / Cells)
    return make_error<DamagedError>("", "reaches past its end");

  Cursor RowCursor(Contents, LittleEndian, Rows);
  for (uint64_t Slot = 0; Slot < SlotCount; ++Slot) {
    uint64_t ID = C.u64();
    uint32_t Row = RowCursor.u32();
    if (Row && Row <= Index.RowCount)
      Index.Entries.push_back({ID, Row - 1});
  }
  std::sort(Index.Entries.begin(), Index.Entries.end(),
            [](const Entry &A, const Entry &B) {
              return std::tie(A.ID, A.Row) < std::tie(B.ID, B.Row);
            });
  return Index;
}

Error PackageIndex::slice(StringRef &Section, uint32_t SectionID,
                          const Entry &E) const {
  Cursor C(Contents, LittleEndian, Columns);
  uint64_t Column = 0;
  while (Column < ColumnCount && C.u32() != SectionID)
    ++Column;
  if (Column == ColumnCount) {
    Section = StringRef();
    return Error::success();
  }
  uint64_t Offsets = Columns + uint64_t(ColumnCount) * 4;
  uint64_t Sizes = Offsets + uint64_t(RowCount) * ColumnCount * 4;
  uint64_t Cell = (uint64_t(E.Row) * ColumnCount + Column) * 4;
  C.seek(Offsets + Cell);
  uint64_t Offset = C.u32();
  C.seek(Sizes + Cell);
  uint64_t Size = C.u32();
  if (C.bad() || Offset > Section.size() || Size > Section.size() - Offset)
    return make_error<DamagedError>(
        "", formatv("the split unit {0:x} has a part of section {1} that is "
                    "outside of it",
                    E.ID, SectionID)
                .str());
  Section = Section.substr(Offset, Size);
  return Error::success();
}

Expected<std::optional<Sections>>
PackageIndex::find(uint64_t ID, const Sections &Whole) const {
  auto It =
      std::lower_bound(Entries.begin(), Entries.end(), ID,
                       [](const Entry &E, uint64_t ID) { return E.ID < ID; });
  if (It == Entries.end() || It->ID != ID)
    return std::nullopt;
  Sections Part = Whole;
  if (Error E = slice(Part.Info, Info, *It))
    return E;
  if (Error E = slice(Part.Abbrev, Abbrev, *It))
    return E;
  if (Error E = slice(Part.StrOffsets, StrOffsets, *It))
    return E;
  // Opened only for variables.
  StringRef &Lists = Version < 5 ? Part.Loc : Part.LocLists;
  if (!Lists.empty())
    if (Error E = slice(Lists, Locations, *It))
      return E;
  // In version 2 this is another section's number.
  if (Version < 5) {
    if (Error E = slice(Part.Types, Types, *It))
      return E;
    return Part;
  }
  Part.Types = StringRef();
  if (Error E = slice(Part.RngLists, RngLists, *It))
    return E;
  return Part;
}

} // namespace dwarf
} // namespace lidia
