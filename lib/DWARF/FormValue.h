//===- FormValue.h - The value of one attribute -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_FORMVALUE_H
#define LIDIA_LIB_DWARF_FORMVALUE_H

#include "Abbreviations.h"
#include <optional>

namespace lidia {
namespace dwarf {

/// The size in bytes of a value of \p Form; none if that depends on the value
/// or if the form is unknown.
std::optional<unsigned> fixedFormSize(llvm::dwarf::Form Form,
                                      const FormSizes &Sizes);

/// The value of one attribute, as stored in .debug_info or in a line table
/// header (DWARF 5, section 7.5.6). Unit resolves references.
struct FormValue {
  llvm::dwarf::Form Form = llvm::dwarf::Form(0);
  /// The number, the offset, the index or, for blocks, the length.
  uint64_t Number = 0;
  /// The text of DW_FORM_string, the bytes of a block.
  llvm::StringRef Inline;

  explicit operator bool() const { return Form != 0; }

  /// Reads the value that \p Spec describes.
  static FormValue read(Cursor &C, const AttributeSpec &Spec,
                        const FormSizes &Sizes) {
    if (Spec.FixedSize > 8)
      return read(C, Spec.Form, Spec.ImplicitConst, Sizes);
    FormValue V;
    V.Form = Spec.Form;
    V.Number = Spec.FixedSize ? C.sized(Spec.FixedSize) : Spec.ImplicitConst;
    return V;
  }

  /// Reads a value. An unknown form, or a value that reaches past the end,
  /// makes \p C bad.
  static FormValue read(Cursor &C, llvm::dwarf::Form Form,
                        int64_t ImplicitConst, const FormSizes &Sizes);

  bool isConstant() const;
  /// An address in the unit's file or an index into .debug_addr.
  bool isAddress() const;
  /// An offset in the unit: DW_FORM_ref1 to DW_FORM_ref8 and ref_udata.
  bool isUnitReference() const {
    using namespace llvm::dwarf;
    switch (Form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
      return true;
    default:
      return false;
    }
  }
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_FORMVALUE_H
