//===- FormValue.cpp - Reads attribute values -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormValue.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {
namespace dwarf {

std::optional<unsigned> fixedFormSize(Form F, const FormSizes &Sizes) {
  switch (F) {
  case DW_FORM_flag_present:
  case DW_FORM_implicit_const:
    return 0;
  case DW_FORM_data1:
  case DW_FORM_ref1:
  case DW_FORM_flag:
  case DW_FORM_strx1:
  case DW_FORM_addrx1:
    return 1;
  case DW_FORM_data2:
  case DW_FORM_ref2:
  case DW_FORM_strx2:
  case DW_FORM_addrx2:
    return 2;
  case DW_FORM_strx3:
  case DW_FORM_addrx3:
    return 3;
  case DW_FORM_data4:
  case DW_FORM_ref4:
  case DW_FORM_ref_sup4:
  case DW_FORM_strx4:
  case DW_FORM_addrx4:
    return 4;
  case DW_FORM_data8:
  case DW_FORM_ref8:
  case DW_FORM_ref_sig8:
  case DW_FORM_ref_sup8:
    return 8;
  case DW_FORM_data16:
    return 16;
  case DW_FORM_addr:
    return Sizes.Address;
  case DW_FORM_ref_addr:
    return Sizes.refAddr();
  case DW_FORM_sec_offset:
  case DW_FORM_strp:
  case DW_FORM_line_strp:
  case DW_FORM_strp_sup:
  case DW_FORM_GNU_ref_alt:
  case DW_FORM_GNU_strp_alt:
    return Sizes.Offset;
  default:
    return std::nullopt;
  }
}

FormValue FormValue::read(Cursor &C, llvm::dwarf::Form Form,
                          int64_t ImplicitConst, const FormSizes &Sizes) {
  // An indirect form may name another indirect form, but not endlessly: each
  // takes a byte of the section. The value of DW_FORM_implicit_const is in the
  // abbreviation, where an indirect form cannot put it.
  bool Indirect = Form == DW_FORM_indirect;
  while (Form == DW_FORM_indirect && !C.bad())
    Form = llvm::dwarf::Form(C.uleb());
  if (Indirect && Form == DW_FORM_implicit_const)
    C.fail();

  FormValue V;
  V.Form = Form;
  switch (Form) {
  case DW_FORM_flag_present:
    V.Number = 1;
    return V;
  case DW_FORM_implicit_const:
    V.Number = ImplicitConst;
    return V;
  case DW_FORM_string:
    V.Inline = C.cstring();
    return V;
  case DW_FORM_sdata:
    V.Number = C.sleb();
    return V;
  case DW_FORM_udata:
  case DW_FORM_ref_udata:
  case DW_FORM_strx:
  case DW_FORM_addrx:
  case DW_FORM_loclistx:
  case DW_FORM_rnglistx:
  case DW_FORM_GNU_addr_index:
  case DW_FORM_GNU_str_index:
    V.Number = C.uleb();
    return V;
  case DW_FORM_block1:
    V.Number = C.u8();
    break;
  case DW_FORM_block2:
    V.Number = C.u16();
    break;
  case DW_FORM_block4:
    V.Number = C.u32();
    break;
  case DW_FORM_block:
  case DW_FORM_exprloc:
    V.Number = C.uleb();
    break;
  case DW_FORM_data16:
    V.Number = 16;
    break;
  default:
    if (std::optional<unsigned> Size = fixedFormSize(Form, Sizes)) {
      V.Number = C.sized(*Size);
      return V;
    }
    // The start of the next value is unknown.
    C.fail();
    return FormValue();
  }
  V.Inline = C.bytes(V.Number);
  return V;
}

bool FormValue::isConstant() const {
  switch (Form) {
  case DW_FORM_data1:
  case DW_FORM_data2:
  case DW_FORM_data4:
  case DW_FORM_data8:
  case DW_FORM_udata:
  case DW_FORM_sdata:
  case DW_FORM_implicit_const:
    return true;
  default:
    return false;
  }
}

bool FormValue::isAddress() const {
  switch (Form) {
  case DW_FORM_addr:
  case DW_FORM_addrx:
  case DW_FORM_addrx1:
  case DW_FORM_addrx2:
  case DW_FORM_addrx3:
  case DW_FORM_addrx4:
  case DW_FORM_GNU_addr_index:
    return true;
  default:
    return false;
  }
}

} // namespace dwarf
} // namespace lidia
