//===- LocationReader.cpp - Where variables are ---------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LocationReader.h"
#include "Archive/StatementCodec.h"
#include "lidia/Archive/ExpressionOperands.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool LocationReader::appendAddress(const dwarf::Unit &U,
                                   std::optional<uint64_t> Address,
                                   std::string &Out) const {
  // A debugger would need a relocation.
  if (!Address || IsMovable)
    return false;
  Out += char(DW_OP_addr);
  unsigned Size = U.header().Sizes.Address;
  for (unsigned I = 0; I < Size; ++I) {
    unsigned Byte = U.sections().LittleEndian ? I : Size - 1 - I;
    Out += char(*Address >> 8 * Byte);
  }
  return true;
}

/// Rewrites an operation that refers to a base type. GNU's forms of before
/// DWARF 5 have the same operands.
bool LocationReader::rewriteTyped(const dwarf::Unit &U, uint8_t Code,
                                  dwarf::Cursor &C, std::string &Out) {
  Out += char(Code);
  if (Code == DW_OP_regval_type)
    appendULEB(Out, C.uleb());
  else if (Code == DW_OP_deref_type)
    Out += char(C.u8());
  uint64_t Offset = C.uleb();
  uint64_t Index = 0;
  // Offset 0 is the generic type.
  if (Offset) {
    std::optional<uint32_t> Type =
        Types.type((U.header().Offset + Offset) | U.sections().ReferenceMark);
    if (!Type || Offset >= U.header().End - U.header().Offset)
      return false;
    Index = uint64_t(*Type) + 1;
  }
  appendULEB(Out, Index);
  if (Code == DW_OP_const_type) {
    uint8_t Size = C.u8();
    Out += char(Size);
    Out += C.bytes(Size);
  }
  return !C.bad();
}

static uint8_t withoutGNU(uint8_t Code) {
  switch (Code) {
  case DW_OP_GNU_entry_value:
    return DW_OP_entry_value;
  case 0xf4: // DW_OP_GNU_const_type
    return DW_OP_const_type;
  case 0xf5: // DW_OP_GNU_regval_type
    return DW_OP_regval_type;
  case 0xf6: // DW_OP_GNU_deref_type
    return DW_OP_deref_type;
  case 0xf7: // DW_OP_GNU_convert
    return DW_OP_convert;
  case 0xf9: // DW_OP_GNU_reinterpret
    return DW_OP_reinterpret;
  case DW_OP_GNU_addr_index:
    return DW_OP_addrx;
  case DW_OP_GNU_const_index:
    return DW_OP_constx;
  default:
    return Code;
  }
}

std::optional<uint32_t> registerOf(StringRef Location) {
  dwarf::Cursor C(Location, /*LittleEndian=*/true);
  uint8_t Code = C.u8();
  uint64_t Register = MaxCallRegister;
  if (Code >= DW_OP_reg0 && Code <= DW_OP_reg31)
    Register = Code - DW_OP_reg0;
  else if (Code == DW_OP_regx)
    Register = C.uleb();
  if (C.bad() || !C.atEnd() || Register >= MaxCallRegister)
    return std::nullopt;
  return uint32_t(Register);
}

bool LocationReader::rewrite(const dwarf::Unit &U, StringRef Bytes,
                             std::string &Out, uint64_t &Registers,
                             unsigned Depth) {
  if (Depth > 2)
    return false;
  dwarf::Cursor C(Bytes, U.sections().LittleEndian);
  while (!C.atEnd()) {
    uint64_t Start = C.offset();
    uint8_t Code = withoutGNU(C.u8());
    switch (Code) {
    case DW_OP_addr: {
      uint64_t Address = C.sized(U.header().Sizes.Address);
      if (C.bad() || !appendAddress(U, Address, Out))
        return false;
      continue;
    }
    case DW_OP_addrx:
      if (!appendAddress(U, U.indexedAddress(C.uleb()), Out))
        return false;
      continue;
    case DW_OP_const_type:
    case DW_OP_regval_type:
    case DW_OP_deref_type:
    case DW_OP_convert:
    case DW_OP_reinterpret:
      if (!rewriteTyped(U, Code, C, Out))
        return false;
      continue;
    case DW_OP_entry_value: {
      StringRef Inner = C.bytes(C.uleb());
      std::string Rewritten;
      if (C.bad() || !rewrite(U, Inner, Rewritten, Registers, Depth + 1))
        return false;
      if (std::optional<uint32_t> Register = registerOf(Inner))
        Registers |= uint64_t(1) << *Register;
      Out += char(Code);
      appendULEB(Out, Rewritten.size());
      Out += Rewritten;
      continue;
    }
    default:
      break;
    }
    std::optional<OperandKinds> Operands = operandsOf(Code);
    if (!Operands)
      return false;
    skipOperands(*Operands, C);
    if (C.bad())
      return false;
    Out += Bytes.slice(Start, C.offset());
  }
  return !C.bad();
}

std::optional<std::string> LocationReader::rewritten(const dwarf::Unit &U,
                                                     StringRef Bytes,
                                                     uint64_t &Registers) {
  std::string Rewritten;
  if (rewrite(U, Bytes, Rewritten, Registers, 0))
    return Rewritten;
  return std::nullopt;
}

std::optional<uint32_t> LocationReader::expression(const dwarf::Unit &U,
                                                   StringRef Bytes) {
  if (std::optional<std::string> Rewritten =
          rewritten(U, Bytes, EntryRegisters))
    return Builder.expression(*Rewritten);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

void LocationReader::addEntry(const dwarf::Unit &U, uint64_t Start,
                              uint64_t End, StringRef Expression) {
  // Without an expression, the variable is nowhere.
  if (Start >= End || Expression.empty())
    return;
  if (std::optional<uint32_t> Index = expression(U, Expression))
    Out->push_back({Start - Entry, End - Start, *Index});
}

/// Reads a list of .debug_loc (DWARF 4, section 2.6.2).
void LocationReader::readList(const dwarf::Unit &U, uint64_t Offset,
                              dwarf::WorkBudget &Budget) {
  const dwarf::Sections &S = U.sections();
  unsigned Size = U.header().Sizes.Address;
  dwarf::Cursor C(S.Loc, S.LittleEndian, Offset);
  uint64_t Base = U.baseAddress();
  uint64_t Highest = U.header().Sizes.highestAddress();
  while (!C.bad() && !Budget.exhausted()) {
    uint64_t Start = C.sized(Size), End = C.sized(Size);
    if (Start == 0 && End == 0)
      return;
    if (Start == Highest) {
      Base = End;
      continue;
    }
    StringRef Expression = C.bytes(C.u16());
    Budget.charge(sizeof(LocationEntry) + Expression.size());
    if (!C.bad())
      addEntry(U, Base + Start, Base + End, Expression);
  }
}

/// Reads a list of .debug_loclists (DWARF 5, section 7.7.3), or of GNU's
/// .debug_loc.dwo, which has the same codes, but two lengths of fixed size.
void LocationReader::readEncodedList(const dwarf::Unit &U, uint64_t Offset,
                                     dwarf::WorkBudget &Budget) {
  const dwarf::Sections &S = U.sections();
  unsigned Size = U.header().Sizes.Address;
  bool IsGNU = U.header().Sizes.Version < 5;
  dwarf::Cursor C(IsGNU ? S.Loc : S.LocLists, S.LittleEndian, Offset);
  uint64_t Base = U.baseAddress();
  auto Indexed = [&] {
    std::optional<uint64_t> Address = U.indexedAddress(C.uleb());
    if (!Address)
      C.fail();
    return Address.value_or(0);
  };
  while (!C.bad() && !Budget.exhausted()) {
    uint64_t Start = 0, End = 0;
    bool IsEntry = true;
    switch (C.u8()) {
    case DW_LLE_base_addressx:
      Base = Indexed();
      IsEntry = false;
      break;
    case DW_LLE_startx_endx:
      Start = Indexed();
      End = Indexed();
      break;
    case DW_LLE_startx_length:
      Start = Indexed();
      End = Start + (IsGNU ? C.u32() : C.uleb());
      break;
    case DW_LLE_offset_pair:
      Start = Base + C.uleb();
      End = Base + C.uleb();
      break;
    case DW_LLE_base_address:
      Base = C.sized(Size);
      IsEntry = false;
      break;
    case DW_LLE_start_end:
      Start = C.sized(Size);
      End = C.sized(Size);
      break;
    case DW_LLE_start_length:
      Start = C.sized(Size);
      End = Start + C.uleb();
      break;
    default:
      // The end, or a default location, which compilers do not write.
      return;
    }
    if (!IsEntry)
      continue;
    StringRef Expression = C.bytes(IsGNU ? C.u16() : C.uleb());
    Budget.charge(sizeof(LocationEntry) + Expression.size());
    if (!C.bad())
      addEntry(U, Start, End, Expression);
  }
}

/// The offset of the list that \p V refers to; none if it is no list.
std::optional<uint64_t>
LocationReader::listOffset(const dwarf::Unit &U,
                           const dwarf::FormValue &V) const {
  switch (V.Form) {
  case DW_FORM_sec_offset:
  case DW_FORM_data4:
  case DW_FORM_data8:
    return V.Number;
  case DW_FORM_loclistx:
    return U.locationList(V.Number);
  default:
    return std::nullopt;
  }
}

ScopedVariable LocationReader::read(const dwarf::Unit &U, const ReadDIE &D,
                                    uint64_t FunctionEntry,
                                    dwarf::WorkBudget &Budget,
                                    std::vector<LocationEntry> &Entries) {
  ScopedVariable V;
  V.FirstEntry = Entries.size();
  if (dwarf::FormValue Constant = D.find(DW_AT_const_value)) {
    if (Constant.isConstant()) {
      V.Kind = ScopedVariable::Constant;
      V.Value = Constant.Number;
    } else if (!Constant.Inline.empty()) {
      V.Kind = ScopedVariable::Bytes;
      V.Value = Builder.expression(Constant.Inline);
    }
    return V;
  }
  dwarf::FormValue Location = D.find(DW_AT_location);
  if (!Location)
    return V;
  if (std::optional<uint64_t> Offset = listOffset(U, Location)) {
    Entry = FunctionEntry;
    Out = &Entries;
    if (U.header().Sizes.Version >= 5 || IsSplit)
      readEncodedList(U, *Offset, Budget);
    else
      readList(U, *Offset, Budget);
    V.EntryCount = Entries.size() - V.FirstEntry;
    if (V.EntryCount)
      V.Kind = ScopedVariable::List;
    return V;
  }
  if (Location.Inline.empty())
    return V;
  if (std::optional<uint32_t> Index = expression(U, Location.Inline)) {
    V.Kind = ScopedVariable::Expression;
    V.Value = *Index;
  }
  return V;
}

} // namespace lidia
