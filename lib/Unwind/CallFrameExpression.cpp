//===- CallFrameExpression.cpp - Expressions of unwind rules --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFrameExpression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

static constexpr unsigned MaxValues = 64;

namespace {

/// One evaluation. After a failure, it stays failed.
class Evaluation {
public:
  Evaluation(ArrayRef<uint8_t> Bytes, const UnwindMachine &Machine,
             const RegisterSet &Registers, unsigned &OperationsLeft,
             ReadWord Read)
      : Data(Bytes, Machine.IsLittleEndian, Machine.WordSize), Machine(Machine),
        Registers(Registers), OperationsLeft(OperationsLeft), Read(Read) {}

  void push(uint64_t Value);
  std::optional<uint64_t> run();

private:
  void operation(uint8_t Opcode);
  bool literal(uint8_t Opcode);
  bool constant(uint8_t Opcode);
  bool stackOperation(uint8_t Opcode);
  bool unary(uint8_t Opcode);
  bool binary(uint8_t Opcode);
  bool branch(uint8_t Opcode);
  void pushRegister(uint64_t Number, int64_t Offset);
  void dereference(unsigned Size);
  uint64_t pop();
  void copy(size_t Depth);
  int64_t asSigned(uint64_t Value) const {
    return Machine.WordSize == 4 ? int64_t(int32_t(Value)) : int64_t(Value);
  }

  DataExtractor Data;
  DataExtractor::Cursor C{0};
  const UnwindMachine &Machine;
  const RegisterSet &Registers;
  unsigned &OperationsLeft;
  ReadWord Read;
  SmallVector<uint64_t, 8> Stack;
  bool Failed = false;
};

} // namespace

void Evaluation::push(uint64_t Value) {
  if (Stack.size() == MaxValues)
    Failed = true;
  else
    Stack.push_back(Machine.WordSize == 4 ? uint32_t(Value) : Value);
}

uint64_t Evaluation::pop() {
  if (Stack.empty()) {
    Failed = true;
    return 0;
  }
  return Stack.pop_back_val();
}

/// Pushes a copy of the value that has \p Depth values above it.
void Evaluation::copy(size_t Depth) {
  if (Depth >= Stack.size())
    Failed = true;
  else
    push(Stack[Stack.size() - 1 - Depth]);
}

void Evaluation::pushRegister(uint64_t Number, int64_t Offset) {
  std::optional<uint64_t> Value = Number < RegisterSet::Count
                                      ? Registers.get(unsigned(Number))
                                      : std::nullopt;
  if (!Value && Number == Machine.RA && Machine.PushesReturnAddress)
    Value = Registers.PC;
  Failed |= !Value;
  push(Value.value_or(0) + uint64_t(Offset));
}

void Evaluation::dereference(unsigned Size) {
  std::optional<uint64_t> Value = Read(pop());
  if (!Value || Size == 0 || Size > Machine.WordSize) {
    Failed = true;
    return;
  }
  unsigned Unused = (Machine.WordSize - Size) * 8;
  if (Machine.IsLittleEndian && Size < 8)
    *Value &= (uint64_t(1) << Size * 8) - 1;
  else
    *Value >>= Unused;
  push(*Value);
}

bool Evaluation::literal(uint8_t Opcode) {
  if (Opcode >= DW_OP_lit0 && Opcode <= DW_OP_lit31)
    push(Opcode - DW_OP_lit0);
  else if (Opcode >= DW_OP_breg0 && Opcode <= DW_OP_breg31)
    pushRegister(Opcode - DW_OP_breg0, Data.getSLEB128(C));
  else if (Opcode == DW_OP_bregx) {
    uint64_t Number = Data.getULEB128(C);
    pushRegister(Number, Data.getSLEB128(C));
  } else
    return false;
  return true;
}

bool Evaluation::constant(uint8_t Opcode) {
  switch (Opcode) {
  case DW_OP_addr:
    push(Data.getAddress(C));
    return true;
  case DW_OP_const1u:
    push(Data.getU8(C));
    return true;
  case DW_OP_const1s:
    push(uint64_t(int64_t(int8_t(Data.getU8(C)))));
    return true;
  case DW_OP_const2u:
    push(Data.getU16(C));
    return true;
  case DW_OP_const2s:
    push(uint64_t(int64_t(int16_t(Data.getU16(C)))));
    return true;
  case DW_OP_const4u:
    push(Data.getU32(C));
    return true;
  case DW_OP_const4s:
    push(uint64_t(int64_t(int32_t(Data.getU32(C)))));
    return true;
  case DW_OP_const8u:
  case DW_OP_const8s:
    push(Data.getU64(C));
    return true;
  case DW_OP_constu:
    push(Data.getULEB128(C));
    return true;
  case DW_OP_consts:
    push(uint64_t(Data.getSLEB128(C)));
    return true;
  default:
    return false;
  }
}

bool Evaluation::stackOperation(uint8_t Opcode) {
  switch (Opcode) {
  case DW_OP_nop:
    return true;
  case DW_OP_dup:
    copy(0);
    return true;
  case DW_OP_over:
    copy(1);
    return true;
  case DW_OP_pick:
    copy(Data.getU8(C));
    return true;
  case DW_OP_drop:
    pop();
    return true;
  case DW_OP_swap: {
    uint64_t Top = pop(), Below = pop();
    push(Top);
    push(Below);
    return true;
  }
  case DW_OP_rot: {
    uint64_t First = pop(), Second = pop(), Third = pop();
    push(First);
    push(Third);
    push(Second);
    return true;
  }
  case DW_OP_deref:
    dereference(Machine.WordSize);
    return true;
  case DW_OP_deref_size:
    dereference(Data.getU8(C));
    return true;
  default:
    return false;
  }
}

bool Evaluation::unary(uint8_t Opcode) {
  switch (Opcode) {
  case DW_OP_abs:
    if (asSigned(Stack.empty() ? 0 : Stack.back()) >= 0)
      return true;
    [[fallthrough]];
  case DW_OP_neg:
    push(0 - pop());
    return true;
  case DW_OP_not:
    push(~pop());
    return true;
  case DW_OP_plus_uconst:
    push(pop() + Data.getULEB128(C));
    return true;
  default:
    return false;
  }
}

/// A shift by at least the width of a word gives zero.
static uint64_t shiftLeft(uint64_t Value, uint64_t By) {
  return By < 64 ? Value << By : 0;
}

bool Evaluation::binary(uint8_t Opcode) {
  static constexpr uint8_t Known[] = {
      DW_OP_and,  DW_OP_div, DW_OP_minus, DW_OP_mod,  DW_OP_mul, DW_OP_or,
      DW_OP_plus, DW_OP_shl, DW_OP_shr,   DW_OP_shra, DW_OP_xor, DW_OP_eq,
      DW_OP_ge,   DW_OP_gt,  DW_OP_le,    DW_OP_lt,   DW_OP_ne};
  if (!is_contained(Known, Opcode))
    return false;
  uint64_t B = pop(), A = pop();
  int64_t SA = asSigned(A), SB = asSigned(B);
  switch (Opcode) {
  case DW_OP_and:
    push(A & B);
    break;
  case DW_OP_or:
    push(A | B);
    break;
  case DW_OP_xor:
    push(A ^ B);
    break;
  case DW_OP_plus:
    push(A + B);
    break;
  case DW_OP_minus:
    push(A - B);
    break;
  case DW_OP_mul:
    push(A * B);
    break;
  case DW_OP_div:
  case DW_OP_mod:
    if (B == 0 || (SB == -1 && SA == INT64_MIN))
      Failed = true;
    else
      push(Opcode == DW_OP_div ? uint64_t(SA / SB) : A % B);
    break;
  case DW_OP_shl:
    push(shiftLeft(A, B));
    break;
  case DW_OP_shr:
    push(B < 64 ? A >> B : 0);
    break;
  case DW_OP_shra:
    push(uint64_t(SA >> std::min<uint64_t>(B, 63)));
    break;
  case DW_OP_eq:
    push(SA == SB);
    break;
  case DW_OP_ne:
    push(SA != SB);
    break;
  case DW_OP_ge:
    push(SA >= SB);
    break;
  case DW_OP_gt:
    push(SA > SB);
    break;
  case DW_OP_le:
    push(SA <= SB);
    break;
  default:
    push(SA < SB);
    break;
  }
  return true;
}

bool Evaluation::branch(uint8_t Opcode) {
  if (Opcode != DW_OP_skip && Opcode != DW_OP_bra)
    return false;
  int64_t Distance = int16_t(Data.getU16(C));
  if (Opcode == DW_OP_bra && pop() == 0)
    return true;
  int64_t To = int64_t(C.tell()) + Distance;
  if (To < 0 || uint64_t(To) > Data.size())
    Failed = true;
  else
    C.seek(uint64_t(To));
  return true;
}

void Evaluation::operation(uint8_t Opcode) {
  Failed |= !literal(Opcode) && !constant(Opcode) && !stackOperation(Opcode) &&
            !unary(Opcode) && !binary(Opcode) && !branch(Opcode);
}

std::optional<uint64_t> Evaluation::run() {
  while (!Failed && C && C.tell() < Data.size()) {
    Failed = OperationsLeft == 0;
    if (Failed)
      break;
    --OperationsLeft;
    operation(Data.getU8(C));
  }
  bool IsCut = !C;
  consumeError(C.takeError());
  if (Failed || IsCut || Stack.empty())
    return std::nullopt;
  return Stack.back();
}

std::optional<uint64_t> evaluateCallFrameExpression(
    ArrayRef<uint8_t> Expression, std::optional<uint64_t> First,
    const UnwindMachine &Machine, const RegisterSet &Registers,
    unsigned &OperationsLeft, ReadWord Read) {
  Evaluation E(Expression, Machine, Registers, OperationsLeft, Read);
  if (First)
    E.push(*First);
  return E.run();
}

} // namespace lidia
