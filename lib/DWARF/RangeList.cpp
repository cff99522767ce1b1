//===- RangeList.cpp - Reads .debug_ranges and .debug_rnglists ------------===//
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

Error Unit::ranges(const FormValue &LowPC, const FormValue &HighPC,
                   const FormValue &Ranges,
                   SmallVectorImpl<AddressRange> &Out) const {
  if (Ranges) {
    if (Ranges.Form == DW_FORM_rnglistx) {
      std::optional<uint64_t> Offset =
          listOffset(S->RngLists, RngListsBase, Ranges.Number);
      if (!Offset)
        return make_error<DamagedError>(
            "",
            formatv("range list {0} is outside .debug_rnglists", Ranges.Number)
                .str());
      return rangeListV5(*Offset, Out);
    }
    if (Header.Sizes.Version >= 5)
      return rangeListV5(Ranges.Number, Out);
    return rangeList(Ranges.Number + RangesBase, Out);
  }
  if (!LowPC || !HighPC)
    return Error::success();
  std::optional<uint64_t> Start = address(LowPC);
  if (!Start)
    return make_error<DamagedError>("",
                                    "an address index is outside .debug_addr");
  // From DWARF 4 on, a constant is the length (DWARF 5, section 2.17.2).
  uint64_t End = HighPC.isConstant() ? *Start + HighPC.Number
                                     : address(HighPC).value_or(*Start);
  if (*Start <= End)
    Out.push_back({*Start, End});
  return Error::success();
}

/// Charges the bytes read since \p Last, and the range that they may produce.
/// False if the budget is exhausted.
bool Unit::chargeRange(const Cursor &C, uint64_t &Last) const {
  Budget->charge(C.offset() - Last + sizeof(AddressRange));
  Last = C.offset();
  return !Budget->exhausted();
}

static Error readTooOften(uint64_t Offset) {
  return make_error<LimitError>(
      "", formatv("range list at {0:x} is read too often", Offset).str());
}

Error Unit::rangeList(uint64_t Offset,
                      SmallVectorImpl<AddressRange> &Out) const {
  unsigned Size = Header.Sizes.Address;
  uint64_t Max = Header.Sizes.highestAddress();
  uint64_t Base = BaseAddress;
  Cursor C(S->Ranges, S->LittleEndian, Offset);
  uint64_t Last = Offset;
  while (true) {
    uint64_t Start = C.sized(Size), End = C.sized(Size);
    if (C.bad())
      return make_error<DamagedError>(
          "", formatv("range list at {0:x} does not end within .debug_ranges",
                      Offset)
                  .str());
    if (!chargeRange(C, Last))
      return readTooOften(Offset);
    if (!Start && !End)
      break;
    if (Start == Max)
      Base = End;
    else if (Start <= End && Base != Max) // lld writes -1 for discarded bases
      Out.push_back({(Base + Start) & Max, (Base + End) & Max});
  }
  return Error::success();
}

std::optional<uint64_t> Unit::listOffset(StringRef Section, uint64_t Base,
                                         uint64_t Index) const {
  // The number of offsets is the last field of the header before them.
  constexpr unsigned CountSize = 4;
  if (Base < CountSize)
    return std::nullopt;
  Cursor Count(Section, S->LittleEndian, Base - CountSize);
  if (Index >= Count.u32())
    return std::nullopt;
  unsigned Size = Header.Sizes.Offset;
  Cursor C(Section, S->LittleEndian, Base + Index * Size);
  uint64_t Offset = C.sized(Size);
  if (C.bad() || Offset >= Section.size() - Base)
    return std::nullopt;
  return Base + Offset;
}

Error Unit::rangeListV5(uint64_t Offset,
                        SmallVectorImpl<AddressRange> &Out) const {
  unsigned Size = Header.Sizes.Address;
  uint64_t Max = Header.Sizes.highestAddress();
  uint64_t Base = BaseAddress;
  auto Add = [&](uint64_t Start, uint64_t End) {
    if (Start <= End && Start != Max)
      Out.push_back({Start, End});
  };
  auto Indexed = [&](uint64_t Index) {
    return indexedAddress(Index).value_or(Max);
  };
  Cursor C(S->RngLists, S->LittleEndian, Offset);
  uint64_t Last = Offset;
  while (true) {
    uint8_t Kind = C.u8();
    // A is read before B.
    uint64_t A, B;
    if (C.bad())
      return make_error<DamagedError>(
          "", formatv("range list at {0:x} does not end within .debug_rnglists",
                      Offset)
                  .str());
    if (!chargeRange(C, Last))
      return readTooOften(Offset);
    switch (Kind) {
    case DW_RLE_end_of_list:
      return Error::success();
    case DW_RLE_base_addressx:
      Base = Indexed(C.uleb());
      break;
    case DW_RLE_startx_endx:
      A = Indexed(C.uleb());
      B = Indexed(C.uleb());
      Add(A, B);
      break;
    case DW_RLE_startx_length:
      A = Indexed(C.uleb());
      B = C.uleb();
      Add(A, A + B);
      break;
    case DW_RLE_offset_pair:
      A = C.uleb();
      B = C.uleb();
      if (Base != Max)
        Add((Base + A) & Max, (Base + B) & Max);
      break;
    case DW_RLE_base_address:
      Base = C.sized(Size);
      break;
    case DW_RLE_start_end:
      A = C.sized(Size);
      B = C.sized(Size);
      Add(A, B);
      break;
    case DW_RLE_start_length:
      A = C.sized(Size);
      B = C.uleb();
      Add(A, A + B);
      break;
    default:
      return make_error<DamagedError>(
          "", formatv("range list at {0:x} has the unknown entry kind {1}",
                      Offset, Kind)
                  .str());
    }
  }
}

} // namespace dwarf
} // namespace lidia
