//===- ExpressionOperands.h - Operands of DWARF expressions -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_EXPRESSIONOPERANDS_H
#define LIDIA_ARCHIVE_EXPRESSIONOPERANDS_H

#include "llvm/BinaryFormat/Dwarf.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// The operands of an operation: bytes of fixed size, then LEB128 numbers, then
/// as many bytes as a ULEB128 number before them says.
struct OperandKinds {
  uint8_t FixedBytes = 0;
  uint8_t LEBs = 0;
  bool HasBlock = false;
};

/// The operands of the operation \p Code (DWARF 5, section 7.7.1). None for
/// operations that refer to addresses, types or other DIEs, for branches, with
/// which an expression might not end, and for unknown ones.
inline std::optional<OperandKinds> operandsOf(uint8_t Code) {
  using namespace llvm::dwarf;
  if (Code >= DW_OP_lit0 && Code <= DW_OP_reg31)
    return OperandKinds();
  if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31)
    return OperandKinds{0, 1, false};
  switch (Code) {
  case DW_OP_const1u:
  case DW_OP_const1s:
  case DW_OP_pick:
  case DW_OP_deref_size:
  case DW_OP_xderef_size:
    return OperandKinds{1, 0, false};
  case DW_OP_const2u:
  case DW_OP_const2s:
    return OperandKinds{2, 0, false};
  case DW_OP_const4u:
  case DW_OP_const4s:
    return OperandKinds{4, 0, false};
  case DW_OP_const8u:
  case DW_OP_const8s:
    return OperandKinds{8, 0, false};
  case DW_OP_constu:
  case DW_OP_consts:
  case DW_OP_plus_uconst:
  case DW_OP_regx:
  case DW_OP_fbreg:
  case DW_OP_piece:
    return OperandKinds{0, 1, false};
  case DW_OP_bregx:
  case DW_OP_bit_piece:
    return OperandKinds{0, 2, false};
  case DW_OP_implicit_value:
    return OperandKinds{0, 0, true};
  case DW_OP_deref:
  case DW_OP_dup:
  case DW_OP_drop:
  case DW_OP_over:
  case DW_OP_swap:
  case DW_OP_rot:
  case DW_OP_xderef:
  case DW_OP_abs:
  case DW_OP_and:
  case DW_OP_div:
  case DW_OP_minus:
  case DW_OP_mod:
  case DW_OP_mul:
  case DW_OP_neg:
  case DW_OP_not:
  case DW_OP_or:
  case DW_OP_plus:
  case DW_OP_shl:
  case DW_OP_shr:
  case DW_OP_shra:
  case DW_OP_xor:
  case DW_OP_eq:
  case DW_OP_ge:
  case DW_OP_gt:
  case DW_OP_le:
  case DW_OP_lt:
  case DW_OP_ne:
  case DW_OP_nop:
  case DW_OP_push_object_address:
  case DW_OP_form_tls_address:
  case DW_OP_call_frame_cfa:
  case DW_OP_stack_value:
  case DW_OP_GNU_push_tls_address:
    return OperandKinds();
  default:
    return std::nullopt;
  }
}

/// Moves \p C, a cursor over the bytes of an expression, past \p Operands.
template <typename Cursor>
void skipOperands(const OperandKinds &Operands, Cursor &C) {
  C.skip(Operands.FixedBytes);
  for (unsigned I = 0; I < Operands.LEBs; ++I)
    C.skipLEB();
  if (Operands.HasBlock)
    C.skip(C.uleb());
}

} // namespace lidia

#endif // LIDIA_ARCHIVE_EXPRESSIONOPERANDS_H
