//===- Unit.h - A compile unit and its attributes ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_UNIT_H
#define LIDIA_LIB_DWARF_UNIT_H

#include "FormValue.h"

namespace lidia {
namespace dwarf {

/// The header of a unit in .debug_info (DWARF 5, section 7.5.1).
struct UnitHeader {
  /// Offsets in .debug_info of the unit, of its end, and of its first DIE.
  uint64_t Offset = 0;
  uint64_t End = 0;
  uint64_t FirstDIE = 0;
  uint64_t AbbrevOffset = 0;
  /// DW_UT_compile for DWARF 4 and before.
  uint8_t Type = 0;
  /// The ID that DWARF 5's skeleton units and split units share.
  uint64_t SplitID = 0;
  /// For a type unit: the value of DW_FORM_ref_sig8 that refers to it, and the
  /// offset of the type's DIE from Offset.
  uint64_t Signature = 0;
  uint64_t TypeOffset = 0;
  FormSizes Sizes;
};

/// Finds the units of .debug_info. A header that cannot be read is passed to
/// \p Report and its unit is left out; if even its length is invalid, so are
/// all units after it.
std::vector<UnitHeader>
readUnitHeaders(const Sections &S,
                llvm::function_ref<void(llvm::Error)> Report);

/// Finds the units of .debug_info one after another, as readUnitHeaders() does.
class UnitHeaderReader {
public:
  explicit UnitHeaderReader(const Sections &S) : S(S) {}

  /// The next unit that can be read and lies within the first \p Available
  /// bytes of the section; none if there is none yet.
  std::optional<UnitHeader> next(uint64_t Available,
                                 llvm::function_ref<void(llvm::Error)> Report);

private:
  friend std::vector<UnitHeader>
  readTypeUnitHeaders(const Sections &S,
                      llvm::function_ref<void(llvm::Error)> Report);

  const Sections &S;
  /// The offset of the next header.
  uint64_t Offset = 0;
  unsigned Lost = 0;
  /// Reading .debug_types.
  bool OnlyTypes = false;
};

/// The sections with .debug_types in place of .debug_info.
Sections typeSections(const Sections &S);

/// Finds the units of .debug_types. \p S is the result of typeSections().
std::vector<UnitHeader>
readTypeUnitHeaders(const Sections &S,
                    llvm::function_ref<void(llvm::Error)> Report);

/// A half-open range of addresses.
struct AddressRange {
  uint64_t Start = 0;
  uint64_t End = 0;
};

/// One unit, ready for reading its DIEs: its abbreviations, and its root DIE's
/// bases for strings, addresses and range lists.
class Unit {
public:
  /// Reads the root DIE. \p S and \p Budget must outlive the unit.
  static llvm::Expected<Unit> open(const Sections &S, const UnitHeader &Header,
                                   AbbreviationCache &Abbreviations,
                                   WorkBudget &Budget);

  /// Reads the root DIE of the split unit (DWARF 5, section 3.1.3, and GNU's
  /// form before it) whose skeleton is \p Skeleton. \p S are the sections of
  /// the .dwo file or the unit's contributions to a package, with .debug_addr,
  /// .debug_ranges and .debug_line of the skeleton's file.
  static llvm::Expected<Unit> openSplit(const Sections &S,
                                        const UnitHeader &Header,
                                        AbbreviationCache &Abbreviations,
                                        WorkBudget &Budget,
                                        const Unit &Skeleton);

  const Sections &sections() const { return *S; }
  const UnitHeader &header() const { return Header; }
  const AbbreviationTable &abbreviations() const { return *Abbrevs; }

  /// A cursor over the unit's DIEs that ends with the unit. \p Reference is an
  /// offset or a DIE reference.
  Cursor cursor(uint64_t Reference) const;

  /// The text of a value of a string form. Empty for another form, and for an
  /// offset or an index outside its section.
  llvm::StringRef string(const FormValue &V) const;

  /// The address that a value denotes; none for an index outside .debug_addr.
  std::optional<uint64_t> address(const FormValue &V) const;

  /// The DIE reference in a value: the DIE's offset in .debug_info, with
  /// InSupplementary if it is in that file. None for a type unit's signature,
  /// and if the supplementary file is missing.
  std::optional<uint64_t> reference(const FormValue &V) const;

  /// Appends the ranges of code in DW_AT_low_pc, DW_AT_high_pc and
  /// DW_AT_ranges. Some may be empty.
  llvm::Error ranges(const FormValue &LowPC, const FormValue &HighPC,
                     const FormValue &Ranges,
                     llvm::SmallVectorImpl<AddressRange> &Out) const;

  /// Attributes of the root DIE.
  llvm::dwarf::Tag tag() const { return RootTag; }
  llvm::StringRef name() const { return Name; }
  llvm::StringRef compilationDirectory() const { return CompDir; }
  /// The bytes of a string section from the start of the string \p V on; empty
  /// for other forms. Unlike string(), this does not search for the end of the
  /// string.
  llvm::StringRef stringAndRest(const FormValue &V) const;
  uint16_t language() const { return Language; }
  /// The ID that a skeleton shares with its split unit.
  uint64_t splitID() const { return SplitID; }
  /// The name of the .dwo file with the functions of this unit; empty if the
  /// unit has them itself.
  llvm::StringRef splitName() const { return SplitName; }
  /// The offset of the unit's line table in .debug_line.
  std::optional<uint64_t> lineTableOffset() const { return LineTable; }
  /// The base of the entries of range and location lists.
  uint64_t baseAddress() const { return BaseAddress; }
  /// The offset in .debug_loclists of the list that DW_FORM_loclistx gives as
  /// \p Index; none if there is none.
  std::optional<uint64_t> locationList(uint64_t Index) const {
    return listOffset(S->LocLists, LocListsBase, Index);
  }
  /// The address with this index in .debug_addr.
  std::optional<uint64_t> indexedAddress(uint64_t Index) const;

private:
  Unit(const Sections &S, const UnitHeader &H, WorkBudget &Budget)
      : S(&S), Header(H), Budget(&Budget) {}

  llvm::Error readRoot();
  std::optional<llvm::StringRef> indexedString(uint64_t Index) const;
  llvm::Error rangeList(uint64_t Offset,
                        llvm::SmallVectorImpl<AddressRange> &Out) const;
  llvm::Error rangeListV5(uint64_t Offset,
                          llvm::SmallVectorImpl<AddressRange> &Out) const;
  bool chargeRange(const Cursor &C, uint64_t &Last) const;
  std::optional<uint64_t> listOffset(llvm::StringRef Section, uint64_t Base,
                                     uint64_t Index) const;

  const Sections *S;
  UnitHeader Header;
  WorkBudget *Budget;
  std::shared_ptr<const AbbreviationTable> Abbrevs;
  llvm::dwarf::Tag RootTag = llvm::dwarf::DW_TAG_null;
  llvm::StringRef Name;
  llvm::StringRef CompDir;
  uint16_t Language = 0;
  uint64_t SplitID = 0;
  llvm::StringRef SplitName;
  std::optional<uint64_t> LineTable;
  /// The tables of .debug_str_offsets and .debug_addr that indices refer to.
  AddressRange StrOffsetsTable;
  AddressRange AddrTable;
  /// The offsets of the tables of offsets in .debug_rnglists and
  /// .debug_loclists.
  uint64_t RngListsBase = 0;
  uint64_t LocListsBase = 0;
  /// For a split unit, its skeleton's DW_AT_GNU_ranges_base, which does not
  /// apply to the skeleton itself.
  uint64_t RangesBase = 0;
  uint64_t SplitRangesBase = 0;
  uint64_t BaseAddress = 0;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_UNIT_H
