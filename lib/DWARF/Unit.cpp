//===- Unit.cpp - Reads unit headers and root DIEs ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Unit.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

namespace {

/// The state of one unit header after reading.
enum class HeaderState { Good, UnitLost, RestLost };

struct HeaderReader {
  const Sections &S;
  function_ref<void(Error)> Report;
  /// Reading .debug_types.
  bool OnlyTypes;

  HeaderState lost(HeaderState State, uint64_t Offset, const Twine &Why) {
    Report(addWhere(formatv("unit at {0:x}", Offset).str(),
                    make_error<DamagedError>("", Why)));
    return State;
  }

  HeaderState read(UnitHeader &H);
  HeaderState readFields(Cursor &C, UnitHeader &H);
};

} // namespace

HeaderState HeaderReader::read(UnitHeader &H) {
  Cursor C(S.Info, S.LittleEndian, H.Offset);
  uint64_t Length = C.u32();
  H.Sizes.Offset = 4;
  if (Length == DW_LENGTH_DWARF64) {
    Length = C.u64();
    H.Sizes.Offset = 8;
  } else if (Length >= DW_LENGTH_lo_reserved) {
    return lost(HeaderState::RestLost, H.Offset,
                "reserved unit length; it and all units after it are left out");
  }
  if (C.bad() || Length > C.left())
    return lost(HeaderState::RestLost, H.Offset,
                "reaches past the end of .debug_info; it and all units after "
                "it are left out");
  H.End = C.offset() + Length;
  C.limit(H.End);
  return readFields(C, H);
}

HeaderState HeaderReader::readFields(Cursor &C, UnitHeader &H) {
  H.Sizes.Version = C.u16();
  if (H.Sizes.Version < 2 || H.Sizes.Version > 5)
    return lost(HeaderState::UnitLost, H.Offset,
                "DWARF version " + Twine(H.Sizes.Version) + " is not known");
  if (H.Sizes.Version >= 5) {
    H.Type = C.u8();
    H.Sizes.Address = C.u8();
    H.AbbrevOffset = C.sized(H.Sizes.Offset);
    if (H.Type == DW_UT_skeleton || H.Type == DW_UT_split_compile)
      H.SplitID = C.u64();
  } else {
    H.Type = OnlyTypes ? DW_UT_type : DW_UT_compile;
    H.AbbrevOffset = C.sized(H.Sizes.Offset);
    H.Sizes.Address = C.u8();
  }
  if (H.Type == DW_UT_type || H.Type == DW_UT_split_type) {
    H.Signature = C.u64();
    H.TypeOffset = C.sized(H.Sizes.Offset);
  }
  H.FirstDIE = C.offset();
  if (C.bad())
    return lost(HeaderState::UnitLost, H.Offset, "ends within its header");
  if (H.Sizes.Address != 2 && H.Sizes.Address != 4 && H.Sizes.Address != 8)
    return lost(HeaderState::UnitLost, H.Offset,
                "address size " + Twine(unsigned(H.Sizes.Address)) +
                    " is not known");
  return HeaderState::Good;
}

/// After this many broken units, the rest is not worth reading.
static constexpr unsigned MaxLost = 1000;

/// The maximum size of a header.
static constexpr uint64_t MaxHeaderSize = 64;

std::optional<UnitHeader>
UnitHeaderReader::next(uint64_t Available, function_ref<void(Error)> Report) {
  HeaderReader Reader{S, Report, OnlyTypes};
  while (Offset < Available) {
    if (Available < S.Info.size() && Available - Offset < MaxHeaderSize)
      return std::nullopt;
    UnitHeader H;
    H.Offset = Offset;
    HeaderState State = Reader.read(H);
    if (State == HeaderState::Good && H.End > Available)
      return std::nullopt;
    Offset = State == HeaderState::RestLost ? S.Info.size() : H.End;
    if (State == HeaderState::Good)
      return H;
    if (State == HeaderState::UnitLost && ++Lost == MaxLost) {
      Report(make_error<LimitError>(
          "", "too many broken units: those after 0x" +
                  Twine::utohexstr(H.End) + " are left out"));
      Offset = S.Info.size();
    }
  }
  return std::nullopt;
}

static std::vector<UnitHeader> readAll(UnitHeaderReader &Reader,
                                       const Sections &S,
                                       function_ref<void(Error)> Report) {
  std::vector<UnitHeader> Units;
  while (std::optional<UnitHeader> H = Reader.next(S.Info.size(), Report))
    Units.push_back(*H);
  return Units;
}

std::vector<UnitHeader> readUnitHeaders(const Sections &S,
                                        function_ref<void(Error)> Report) {
  UnitHeaderReader Reader(S);
  return readAll(Reader, S, Report);
}

Sections typeSections(const Sections &S) {
  Sections Types = S;
  Types.Info = S.Types;
  return Types;
}

std::vector<UnitHeader> readTypeUnitHeaders(const Sections &S,
                                            function_ref<void(Error)> Report) {
  UnitHeaderReader Reader(S);
  Reader.OnlyTypes = true;
  return readAll(Reader, S, Report);
}

Expected<Unit> Unit::open(const Sections &S, const UnitHeader &Header,
                          AbbreviationCache &Abbreviations,
                          WorkBudget &Budget) {
  Unit U(S, Header, Budget);
  Expected<std::shared_ptr<const AbbreviationTable>> Abbrevs =
      Abbreviations.get(Header.AbbrevOffset, Header.Sizes);
  if (!Abbrevs)
    return Abbrevs.takeError();
  U.Abbrevs = std::move(*Abbrevs);
  if (Error E = U.readRoot())
    return E;
  return U;
}

Expected<Unit> Unit::openSplit(const Sections &S, const UnitHeader &Header,
                               AbbreviationCache &Abbreviations,
                               WorkBudget &Budget, const Unit &Skeleton) {
  Expected<Unit> U = open(S, Header, Abbreviations, Budget);
  if (!U)
    return U;
  U->CompDir = Skeleton.CompDir;
  U->AddrTable = Skeleton.AddrTable;
  U->RangesBase = Skeleton.SplitRangesBase;
  U->BaseAddress = Skeleton.BaseAddress;
  return U;
}

Cursor Unit::cursor(uint64_t Reference) const {
  Cursor C(S->Info, S->LittleEndian, Reference & ~InSupplementary);
  C.limit(Header.End);
  return C;
}

/// The table of .debug_str_offsets or .debug_addr whose first entry is at
/// \p Base. From DWARF 5 on, its length is in a header before it (sections 7.26
/// and 7.27); if that is damaged, the table ends with the section.
static AddressRange indexedTable(StringRef Section, bool LittleEndian,
                                 uint64_t Base, const FormSizes &Sizes) {
  AddressRange Whole = {Base, Section.size()};
  // A version and two more bytes follow the length, and are counted by it.
  constexpr unsigned CountedSize = 4;
  if (Sizes.Version < 5 || Base < CountedSize + Sizes.Offset ||
      Base > Section.size())
    return Whole;
  Cursor C(Section, LittleEndian, Base - CountedSize - Sizes.Offset);
  uint64_t Length = C.sized(Sizes.Offset);
  bool IsHeader = C.u16() == 5 && Length >= CountedSize &&
                  Length - CountedSize <= Section.size() - Base;
  return IsHeader ? AddressRange{Base, Base + Length - CountedSize} : Whole;
}

Error Unit::readRoot() {
  Cursor C = cursor(Header.FirstDIE);
  uint64_t Code = C.uleb();
  // If a unit has no base, its entries follow the section's header.
  bool V5 = Header.Sizes.Version >= 5;
  unsigned OffsetSize = Header.Sizes.Offset;
  uint64_t StrOffsetsBase = V5 ? (OffsetSize == 8 ? 16 : 8) : 0;
  uint64_t AddrBase = StrOffsetsBase;
  RngListsBase = LocListsBase = OffsetSize == 8 ? 20 : 12;
  if (!Code)
    return Error::success();
  const Abbreviation *A = Abbrevs->find(Code);
  if (!A)
    return make_error<DamagedError>("", "its root DIE has no abbreviation");
  RootTag = A->Tag;

  // Names and low_pc may be indices, and the bases may come after them.
  FormValue NameValue, DirValue, SplitNameValue, LowPC;
  bool HasAddrBase = false;
  SplitID = Header.SplitID;
  for (const AttributeSpec &Spec : Abbrevs->specs(*A)) {
    FormValue V = FormValue::read(C, Spec, Header.Sizes);
    switch (Spec.Attribute) {
    case DW_AT_name:
      NameValue = V;
      break;
    case DW_AT_comp_dir:
      DirValue = V;
      break;
    case DW_AT_low_pc:
      LowPC = V;
      break;
    case DW_AT_language:
      Language = V.Number;
      break;
    case DW_AT_stmt_list:
      LineTable = V.Number;
      break;
    case DW_AT_str_offsets_base:
      StrOffsetsBase = V.Number;
      break;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
      AddrBase = V.Number;
      HasAddrBase = true;
      break;
    case DW_AT_rnglists_base:
      RngListsBase = V.Number;
      break;
    case DW_AT_loclists_base:
      LocListsBase = V.Number;
      break;
    case DW_AT_GNU_ranges_base:
      SplitRangesBase = V.Number;
      break;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
      SplitNameValue = V;
      break;
    case DW_AT_GNU_dwo_id:
      SplitID = V.Number;
      break;
    default:
      break;
    }
  }
  if (C.bad())
    return make_error<DamagedError>("", "its root DIE reaches past its end");
  StrOffsetsTable = indexedTable(S->StrOffsets, S->LittleEndian, StrOffsetsBase,
                                 Header.Sizes);
  AddrTable = indexedTable(S->Addr, S->LittleEndian, AddrBase, Header.Sizes);
  Name = string(NameValue);
  CompDir = string(DirValue);
  // Units that name a module or a precompiled header look like skeletons, but
  // have no addresses.
  if (HasAddrBase)
    SplitName = string(SplitNameValue);
  if (LowPC)
    BaseAddress = address(LowPC).value_or(0);
  return Error::success();
}

static StringRef stringAt(StringRef Section, uint64_t Offset) {
  if (Offset >= Section.size())
    return {};
  Cursor C(Section, true, Offset);
  return C.cstring();
}

StringRef Unit::string(const FormValue &V) const {
  switch (V.Form) {
  case DW_FORM_string:
    return V.Inline;
  case DW_FORM_strp:
    return stringAt(S->Str, V.Number);
  case DW_FORM_line_strp:
    return stringAt(S->LineStr, V.Number);
  case DW_FORM_strp_sup:
  case DW_FORM_GNU_strp_alt:
    return S->Supplementary ? stringAt(S->Supplementary->Str, V.Number)
                            : StringRef();
  case DW_FORM_strx:
  case DW_FORM_strx1:
  case DW_FORM_strx2:
  case DW_FORM_strx3:
  case DW_FORM_strx4:
  case DW_FORM_GNU_str_index:
    return indexedString(V.Number).value_or(StringRef());
  default:
    return {};
  }
}

StringRef Unit::stringAndRest(const FormValue &V) const {
  switch (V.Form) {
  case DW_FORM_string:
    return V.Inline;
  case DW_FORM_strp:
    return S->Str.drop_front(std::min<uint64_t>(V.Number, S->Str.size()));
  case DW_FORM_line_strp:
    return S->LineStr.drop_front(
        std::min<uint64_t>(V.Number, S->LineStr.size()));
  default:
    return {};
  }
}

/// Entry \p Index, of \p Size bytes, of \p Table in \p Section.
static std::optional<uint64_t> tableEntry(StringRef Section, bool LittleEndian,
                                          const AddressRange &Table,
                                          uint64_t Index, unsigned Size) {
  if (Table.Start > Table.End || Index >= (Table.End - Table.Start) / Size)
    return std::nullopt;
  Cursor C(Section, LittleEndian, Table.Start + Index * Size);
  return C.sized(Size);
}

std::optional<StringRef> Unit::indexedString(uint64_t Index) const {
  std::optional<uint64_t> Offset =
      tableEntry(S->StrOffsets, S->LittleEndian, StrOffsetsTable, Index,
                 Header.Sizes.Offset);
  if (!Offset)
    return std::nullopt;
  return stringAt(S->Str, *Offset);
}

std::optional<uint64_t> Unit::indexedAddress(uint64_t Index) const {
  return tableEntry(S->Addr, S->LittleEndian, AddrTable, Index,
                    Header.Sizes.Address);
}

std::optional<uint64_t> Unit::address(const FormValue &V) const {
  if (!V.isAddress())
    return std::nullopt;
  if (V.Form == DW_FORM_addr)
    return V.Number;
  return indexedAddress(V.Number);
}

std::optional<uint64_t> Unit::reference(const FormValue &V) const {
  if (V.isUnitReference()) {
    if (V.Number >= Header.End - Header.Offset)
      return std::nullopt;
    return (Header.Offset + V.Number) | S->ReferenceMark;
  }
  switch (V.Form) {
  case DW_FORM_ref_addr:
    if (V.Number < S->Info.size())
      return V.Number | S->ReferenceMark;
    return std::nullopt;
  case DW_FORM_ref_sup4:
  case DW_FORM_ref_sup8:
  case DW_FORM_GNU_ref_alt:
    if (S->Supplementary && V.Number < S->Supplementary->Info.size())
      return V.Number | S->Supplementary->ReferenceMark;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace dwarf
} // namespace lidia
