//===- CallTarget.cpp - Where a call by a pointer finds it ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/CallTarget.h"
#include "lidia/Archive/ExpressionOperands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

namespace {

/// How an operation changes the stack.
struct StackEffect {
  uint8_t Pops;
  uint8_t Pushes;
};

/// One operation of an expression.
struct Operation {
  uint8_t Code;
  StackEffect Effect;
  /// The operation with its operands.
  StringRef Bytes;
};

} // namespace

/// The effect of an operation that archives keep; none for others. Branches are
/// not kept, so that each expression terminates.
static std::optional<StackEffect> effectOf(uint8_t Code) {
  if ((Code >= DW_OP_lit0 && Code <= DW_OP_reg31) ||
      (Code >= DW_OP_breg0 && Code <= DW_OP_breg31))
    return StackEffect{0, 1};
  switch (Code) {
  case DW_OP_const1u:
  case DW_OP_const1s:
  case DW_OP_const2u:
  case DW_OP_const2s:
  case DW_OP_const4u:
  case DW_OP_const4s:
  case DW_OP_const8u:
  case DW_OP_const8s:
  case DW_OP_constu:
  case DW_OP_consts:
  case DW_OP_bregx:
  case DW_OP_call_frame_cfa:
    return StackEffect{0, 1};
  case DW_OP_dup:
    return StackEffect{1, 2};
  case DW_OP_deref:
  case DW_OP_neg:
  case DW_OP_not:
  case DW_OP_plus_uconst:
    return StackEffect{1, 1};
  case DW_OP_swap:
    return StackEffect{2, 2};
  case DW_OP_and:
  case DW_OP_minus:
  case DW_OP_mul:
  case DW_OP_plus:
  case DW_OP_shl:
    return StackEffect{2, 1};
  default:
    return std::nullopt;
  }
}

static bool isRegister(uint8_t Code) {
  return Code >= DW_OP_reg0 && Code <= DW_OP_reg31;
}

/// Bytes of a LEB128 at the start of \p Rest; zero if it does not end or has
/// more than 64 bits.
static size_t sizeOfLEB(StringRef Rest) {
  size_t Last = 0;
  while (Last < Rest.size() && (Rest[Last] & 0x80))
    ++Last;
  return Last < Rest.size() && Last < 10 ? Last + 1 : 0;
}

/// Removes the first operation from \p Rest, which must not be empty. None if
/// the operation is neither kept nor DW_OP_fbreg.
static std::optional<Operation> takeOperation(StringRef &Rest) {
  uint8_t Code = Rest.front();
  std::optional<StackEffect> Effect =
      Code == DW_OP_fbreg ? StackEffect{0, 1} : effectOf(Code);
  // Whatever is kept has operands that are known, and none with a block.
  std::optional<OperandKinds> Operands = operandsOf(Code);
  if (!Effect || !Operands)
    return std::nullopt;
  size_t Size = 1 + Operands->FixedBytes;
  for (unsigned I = 0; I != Operands->LEBs; ++I) {
    size_t Operand = sizeOfLEB(Rest.drop_front(std::min(Size, Rest.size())));
    if (!Operand)
      return std::nullopt;
    Size += Operand;
  }
  if (Size > Rest.size())
    return std::nullopt;
  Operation Op = {Code, *Effect, Rest.take_front(Size)};
  Rest = Rest.drop_front(Size);
  return Op;
}

/// The signed LEB128 at the start of \p Bytes, which is complete.
static int64_t signedOperand(StringRef Bytes) {
  return decodeSLEB128(Bytes.bytes_begin(), nullptr, Bytes.bytes_end());
}

/// Writes the address \p Offset bytes from the frame base. Returns whether
/// \p FrameBase has a known form.
static bool writeFrameAddress(raw_ostream &OS, StringRef FrameBase,
                              int64_t Offset) {
  if (FrameBase.empty())
    return false;
  std::optional<Operation> Base = takeOperation(FrameBase);
  if (!Base || !FrameBase.empty())
    return false;
  if (Base->Code == DW_OP_call_frame_cfa) {
    OS << char(DW_OP_call_frame_cfa) << char(DW_OP_consts);
    encodeSLEB128(Offset, OS);
    OS << char(DW_OP_plus);
    return true;
  }
  uint64_t Total = Offset;
  uint8_t Code = Base->Code;
  if (isRegister(Code))
    Code = Code - DW_OP_reg0 + DW_OP_breg0;
  else if (Code >= DW_OP_breg0 && Code <= DW_OP_breg31)
    Total += signedOperand(Base->Bytes.drop_front());
  else
    return false;
  OS << char(Code);
  encodeSLEB128(int64_t(Total), OS);
  return true;
}

/// Whether \p Bytes has only operations that are kept, each operation finds its
/// operands on the stack, and a value remains. A register that is the location
/// of the value must be the only operation.
static bool isKept(StringRef Bytes) {
  if (Bytes.empty() || Bytes.size() > MaxCallTargetSize)
    return false;
  bool Alone = Bytes.size() == 1;
  unsigned Depth = 0;
  while (!Bytes.empty()) {
    std::optional<Operation> Op = takeOperation(Bytes);
    if (!Op || Op->Code == DW_OP_fbreg || Depth < Op->Effect.Pops ||
        (isRegister(Op->Code) && !Alone))
      return false;
    Depth += Op->Effect.Pushes - Op->Effect.Pops;
  }
  return Depth != 0;
}

std::optional<std::string> makeCallTarget(StringRef Expression,
                                          StringRef FrameBase) {
  if (Expression.size() > MaxCallTargetSize)
    return std::nullopt;
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  while (!Expression.empty()) {
    std::optional<Operation> Op = takeOperation(Expression);
    if (!Op)
      return std::nullopt;
    if (Op->Code != DW_OP_fbreg)
      OS << Op->Bytes;
    else if (!writeFrameAddress(OS, FrameBase,
                                signedOperand(Op->Bytes.drop_front())))
      return std::nullopt;
  }
  if (!isKept(OS.str()))
    return std::nullopt;
  return toHex(Bytes, /*LowerCase=*/true);
}

std::optional<std::string> callTargetBytes(StringRef Digits) {
  std::string Bytes;
  if (Digits.size() % 2 != 0 || Digits.size() > MaxCallTargetSize * 2 ||
      !tryGetFromHex(Digits, Bytes) || !isKept(Bytes))
    return std::nullopt;
  return Bytes;
}

} // namespace lidia
