//===- StackModel.cpp - Random stacks whose frames are known --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackModel.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace llvm::dwarf;
using namespace lidia;

using Kind = RegisterRule::Kind;

static uint64_t wordOf(const UnwindMachine &Machine, uint64_t Value) {
  return Machine.WordSize == 4 ? uint32_t(Value) : Value;
}

/// The distance from a frame's stack pointer to the CFA of the frame that it
/// calls.
static uint64_t aboveSP(const UnwindMachine &Machine) {
  return Machine.ELFMachine == ELF::EM_S390 ? 160 : 0;
}

static bool hasFrameRecords(const UnwindMachine &Machine) {
  return is_contained(
      {ELF::EM_X86_64, ELF::EM_386, ELF::EM_AARCH64, ELF::EM_RISCV},
      Machine.ELFMachine);
}

static std::vector<unsigned> preservedRegisters(const UnwindMachine &Machine) {
  std::vector<unsigned> All;
  for (unsigned I = 0; I != 32; ++I)
    if (Machine.isPreserved(I))
      All.push_back(I);
  return All;
}

bool ModelFunction::keeps(const std::set<unsigned> &Needed) const {
  return all_of(Needed, [&](unsigned R) {
    return Recovered.count(R) || Unchanged.count(R);
  });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// Writes operations whose result is known.
class ExpressionWriter {
public:
  ExpressionWriter(const UnwindMachine &Machine, RandomNumbers &Random)
      : Machine(Machine), Random(Random), OS(Text) {}

  void op(unsigned Opcode) { OS << char(Opcode); }
  void registerPlus(unsigned Register, int64_t Offset);
  /// Pushes a value, and returns it.
  uint64_t known(unsigned Depth = 0);
  /// Has no effect.
  void nothing();
  std::vector<uint8_t> bytes() const { return {Text.begin(), Text.end()}; }

private:
  uint64_t constant();
  uint64_t fixed(unsigned Opcode, uint64_t Value, unsigned Size);

  const UnwindMachine &Machine;
  RandomNumbers &Random;
  SmallString<64> Text;
  raw_svector_ostream OS;
};
} // namespace

void ExpressionWriter::registerPlus(unsigned Register, int64_t Offset) {
  if (Register < 32 && !Random.oneIn(4)) {
    op(DW_OP_breg0 + Register);
  } else {
    op(DW_OP_bregx);
    encodeULEB128(Register, OS);
  }
  encodeSLEB128(Offset, OS);
}

uint64_t ExpressionWriter::fixed(unsigned Opcode, uint64_t Value,
                                 unsigned Size) {
  op(Opcode);
  for (unsigned I = 0; I != Size; ++I)
    OS << char(Value >> 8 * (Machine.IsLittleEndian ? I : Size - 1 - I));
  return Value;
}

uint64_t ExpressionWriter::constant() {
  const uint64_t Any = Random.any();
  switch (Random.below(11)) {
  case 0:
    op(DW_OP_lit0 + Any % 32);
    return Any % 32;
  case 1:
    return fixed(DW_OP_const1u, uint8_t(Any), 1);
  case 2:
    return fixed(DW_OP_const1s, uint64_t(int64_t(int8_t(Any))), 1);
  case 3:
    return fixed(DW_OP_const2u, uint16_t(Any), 2);
  case 4:
    return fixed(DW_OP_const2s, uint64_t(int64_t(int16_t(Any))), 2);
  case 5:
    return fixed(DW_OP_const4u, uint32_t(Any), 4);
  case 6:
    return fixed(DW_OP_const4s, uint64_t(int64_t(int32_t(Any))), 4);
  case 7:
    return fixed(Random.oneIn(2) ? DW_OP_const8u : DW_OP_const8s, Any, 8);
  case 8:
    op(DW_OP_constu);
    encodeULEB128(Any, OS);
    return Any;
  case 9:
    op(DW_OP_consts);
    encodeSLEB128(int64_t(Any), OS);
    return Any;
  default:
    return fixed(DW_OP_addr, Any, Machine.WordSize);
  }
}

uint64_t ExpressionWriter::known(unsigned Depth) {
  nothing();
  if (Depth == 3 || Random.oneIn(3))
    return wordOf(Machine, constant());
  const uint64_t A = known(Depth + 1), B = known(Depth + 1);
  switch (Random.below(6)) {
  case 0:
    op(DW_OP_plus);
    return wordOf(Machine, A + B);
  case 1:
    op(DW_OP_minus);
    return wordOf(Machine, A - B);
  case 2:
    op(DW_OP_mul);
    return wordOf(Machine, A * B);
  case 3:
    op(DW_OP_and);
    return A & B;
  case 4:
    op(DW_OP_or);
    return A | B;
  default:
    op(DW_OP_xor);
    return A ^ B;
  }
}

void ExpressionWriter::nothing() {
  switch (Random.below(10)) {
  case 0:
    op(DW_OP_nop);
    break;
  case 1:
    fixed(DW_OP_skip, 2, 2);
    OS << "\xff\xff";
    break;
  case 2:
    constant();
    op(DW_OP_drop);
    break;
  case 3:
    op(DW_OP_lit1);
    fixed(DW_OP_bra, 1, 2);
    op(DW_OP_deref);
    break;
  case 4:
    op(DW_OP_lit0);
    fixed(DW_OP_bra, 1, 2);
    op(DW_OP_nop);
    break;
  default:
    break;
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace lidia {

/// Chooses the rules of a function, and what its frames must keep for them.
class FunctionMaker {
public:
  FunctionMaker(ModelProgram &Program, ModelFunction &F,
                const std::set<unsigned> &Needed)
      : Program(Program), Machine(Program.Machine), Random(Program.Random),
        F(F), Needed(Needed), IsSignal(F.Is == ModelFunction::Signal) {}

  void makeRules();
  void makeFrameRecord();
  void makeLeaf();
  void makeNowhere();

private:
  RegisterRule place(KeptValue V);
  RegisterRule placeInSlot(KeptValue V);
  RegisterRule placeInRegister(KeptValue V);
  RegisterRule expression(Kind How, ExpressionWriter &E);
  void pushAddress(ExpressionWriter &E, unsigned Slot);
  uint64_t pushKnown(ExpressionWriter &E);
  void makeCFA();
  void makeReturnAddress();
  void makeRule(unsigned Register);
  void makeOtherRule();
  void add(unsigned Register, RegisterRule R) {
    F.Rules.Registers.push_back({Register, R});
  }

  unsigned takeSlot(KeptValue V);
  std::optional<unsigned> takeHolder(KeptValue V);
  int64_t fromCFA(unsigned Slot) const {
    return -int64_t(aboveSP(Machine)) - int64_t((Slot + 1) * Machine.WordSize);
  }
  int64_t fromSP(unsigned Slot) const {
    return int64_t((F.Words - Slot - 1) * Machine.WordSize);
  }

  ModelProgram &Program;
  const UnwindMachine &Machine;
  RandomNumbers &Random;
  ModelFunction &F;
  const std::set<unsigned> &Needed;
  /// Its frame may be on another stack than the CFA.
  const bool IsSignal;
};

} // namespace lidia

unsigned FunctionMaker::takeSlot(KeptValue V) {
  unsigned Slot;
  do
    Slot = unsigned(Random.below(F.Words));
  while (F.Slots.count(Slot));
  F.Slots[Slot] = V;
  return Slot;
}

/// A register for \p V that has no other use; none if there is none left.
std::optional<unsigned> FunctionMaker::takeHolder(KeptValue V) {
  std::vector<unsigned> Free;
  for (unsigned R : preservedRegisters(Machine))
    if (!F.Unchanged.count(R) && !F.Holders.count(R))
      Free.push_back(R);
  if (Free.empty())
    return std::nullopt;
  unsigned Register = Free[Random.below(Free.size())];
  F.Holders[Register] = V;
  return Register;
}

RegisterRule FunctionMaker::expression(Kind How, ExpressionWriter &E) {
  RegisterRule R;
  R.How = How;
  Program.Expressions.push_back(E.bytes());
  R.Expression = Program.Expressions.back();
  return R;
}

/// Pushes a value, and returns it: zero as often as another.
uint64_t FunctionMaker::pushKnown(ExpressionWriter &E) {
  if (Random.oneIn(2))
    return 0;
  uint64_t Value = E.known();
  E.op(DW_OP_plus);
  return Value;
}

void FunctionMaker::pushAddress(ExpressionWriter &E, unsigned Slot) {
  const int64_t Offset = Random.offset();
  E.nothing();
  if (Random.oneIn(2)) {
    E.registerPlus(Machine.SP, fromSP(Slot));
  } else if (std::optional<unsigned> Holder = takeHolder(
                 {KeptValue::AddressOfSlot, Slot, uint64_t(Offset)})) {
    E.registerPlus(*Holder, Offset);
  } else {
    E.registerPlus(Machine.SP, fromSP(Slot) - 8);
    E.op(DW_OP_lit8);
    E.op(DW_OP_plus);
  }
}

RegisterRule FunctionMaker::placeInSlot(KeptValue V) {
  const bool IsCFA = V.What == KeptValue::CFA;
  if (Random.oneIn(4)) {
    ExpressionWriter E(Machine, Random);
    unsigned Slot = takeSlot(V);
    pushAddress(E, Slot);
    if (!IsCFA && Random.oneIn(2))
      return expression(Kind::AtExpression, E);
    E.op(DW_OP_deref);
    F.Slots[Slot].Minus = pushKnown(E);
    return expression(Kind::IsExpression, E);
  }
  const unsigned Slot = takeSlot(V);
  RegisterRule R;
  R.How = Kind::AtRegister;
  R.Offset = Random.offset();
  if (!IsCFA && !IsSignal && !Random.oneIn(3)) {
    R.How = Kind::AtCFA;
    R.Offset = fromCFA(Slot);
  } else if (std::optional<unsigned> Holder =
                 Random.oneIn(2) ? takeHolder({KeptValue::AddressOfSlot, Slot,
                                               uint64_t(R.Offset)})
                                 : std::nullopt) {
    R.Register = *Holder;
  } else {
    R.Register = Machine.SP;
    R.Offset = fromSP(Slot);
  }
  return R;
}

RegisterRule FunctionMaker::placeInRegister(KeptValue V) {
  const std::optional<unsigned> Holder = takeHolder(V);
  if (!Holder)
    return placeInSlot(V);
  RegisterRule R;
  R.Register = *Holder;
  R.How = Kind::Register;
  uint64_t Added = 0;
  if (Random.oneIn(4)) {
    ExpressionWriter E(Machine, Random);
    const int64_t Offset = Random.offset();
    E.nothing();
    E.registerPlus(*Holder, Offset);
    Added = uint64_t(Offset) + pushKnown(E);
    R = expression(Kind::IsExpression, E);
  } else if (V.What == KeptValue::CFA || Random.oneIn(2)) {
    R.How = Kind::IsRegister;
    R.Offset = Random.offset();
    Added = uint64_t(R.Offset);
  }
  F.Holders[*Holder].Minus = Added;
  return R;
}

RegisterRule FunctionMaker::place(KeptValue V) {
  return Random.oneIn(3) ? placeInRegister(V) : placeInSlot(V);
}

void FunctionMaker::makeCFA() {
  if (IsSignal || Random.oneIn(2)) {
    F.Rules.CFA = place({KeptValue::CFA});
    return;
  }
  F.Rules.CFA.How = Kind::IsRegister;
  F.Rules.CFA.Register = Machine.SP;
  F.Rules.CFA.Offset = int64_t(aboveSP(Machine) + F.Words * Machine.WordSize);
}

void FunctionMaker::makeReturnAddress() {
  F.Rules.ReturnAddress = Machine.RA;
  if (Needed.count(Machine.RA) || Random.oneIn(4))
    F.Rules.ReturnAddress = Random.oneIn(2) ? 64 : 96;
  RegisterRule R;
  R.How = Kind::Undefined;
  if (F.Is != ModelFunction::Outermost)
    R = place({KeptValue::ReturnAddress});
  add(F.Rules.ReturnAddress, R);
}

void FunctionMaker::makeRule(unsigned Register) {
  const bool IsNeeded = Needed.count(Register);
  RegisterRule R;
  if (!F.Holders.count(Register) && Machine.isPreserved(Register) &&
      Random.oneIn(3)) {
    F.Unchanged.insert(Register);
    if (Random.oneIn(3))
      add(Register, R);
    return;
  }
  if (!IsNeeded && Random.oneIn(6)) {
    R.How = Kind::Undefined;
    if (Random.oneIn(2)) {
      R.How = Kind::IsCFA;
      R.Offset = F.FromCFA[Register] = Random.offset();
    }
    return add(Register, R);
  }
  F.Recovered.insert(Register);
  add(Register, place({KeptValue::CallersRegister, Register}));
}

/// Rules of registers that functions need not preserve, and of those that an
/// unwinder does not know.
void FunctionMaker::makeOtherRule() {
  unsigned Register = unsigned(Random.below(80));
  auto HasRule = [&](const auto &R) { return R.first == Register; };
  if (Machine.isPreserved(Register) || Register == Machine.SP ||
      Register == Machine.RA || any_of(F.Rules.Registers, HasRule))
    return;
  if (Register < RegisterSet::Count)
    return makeRule(Register);
  RegisterRule R;
  R.How = Kind::AtCFA;
  add(Register, R);
}

void FunctionMaker::makeRules() {
  F.Words = 40 + Random.below(16);
  F.Rules.IsSignalFrame = IsSignal;
  F.Rules.HoldAtCallsOnly = !IsSignal && Random.oneIn(8);
  makeCFA();
  makeReturnAddress();
  std::vector<unsigned> Registers = preservedRegisters(Machine);
  for (unsigned R : Needed)
    if (!Machine.isPreserved(R))
      Registers.push_back(R);
  // A signal trampoline restores the link register, too.
  if (IsSignal && !Machine.PushesReturnAddress &&
      F.Rules.ReturnAddress != Machine.RA && !Needed.count(Machine.RA))
    Registers.push_back(Machine.RA);
  for (size_t I = Registers.size(); I > 1; --I)
    std::swap(Registers[I - 1], Registers[Random.below(I)]);
  for (unsigned R : Registers)
    makeRule(R);
  for (unsigned Count = unsigned(Random.below(4)); Count; --Count)
    makeOtherRule();
  llvm::sort(F.Rules.Registers, llvm::less_first());
}

void FunctionMaker::makeFrameRecord() {
  F.Words = 2 + Random.below(8);
  F.Slots[0] = {KeptValue::ReturnAddress};
  F.Slots[1] = {KeptValue::CallersRegister, Machine.FP};
  F.Holders[Machine.FP] = {KeptValue::AddressOfSlot, 1};
  if (Machine.ELFMachine == ELF::EM_RISCV)
    F.Holders[Machine.FP] = {KeptValue::CFA};
  F.Recovered.insert(Machine.FP);
}

void FunctionMaker::makeLeaf() {
  F.Rules.CFA.How = Kind::IsRegister;
  F.Rules.CFA.Register = Machine.SP;
  F.Rules.CFA.Offset = int64_t(aboveSP(Machine));
  F.Rules.ReturnAddress = Machine.RA;
  F.Holders[Machine.RA] = {KeptValue::ReturnAddress};
  for (unsigned R : preservedRegisters(Machine))
    F.Unchanged.insert(R);
}

void FunctionMaker::makeNowhere() {
  for (unsigned R = 0; R != RegisterSet::Count; ++R)
    F.Unchanged.insert(R);
  F.Begin = F.End = Random.oneIn(2) ? 0 : 0x666;
  if (Machine.PushesReturnAddress) {
    F.Words = 1;
    F.Slots[0] = {KeptValue::ReturnAddress};
  } else {
    F.Unchanged.erase(Machine.RA);
    F.Holders[Machine.RA] = {KeptValue::ReturnAddress};
  }
}

//===----------------------------------------------------------------------===//
// ModelProgram
//===----------------------------------------------------------------------===//

ModelProgram::ModelProgram(const UnwindMachine &Machine, uint64_t Seed)
    : Machine(Machine), Random(Seed), Shift(unsigned(1 + Random.below(2))) {
  if (Machine.PushesReturnAddress)
    --Shift;
  uint64_t Begin = 0x10000;
  for (Module &M : Modules) {
    M.Bias = Random.below(4) << 12;
    M.Begin = M.End = Begin;
    Begin += 0x40000000;
  }
}

const ModelFunction &ModelProgram::function(ModelFunction::Kind Is,
                                            const std::set<unsigned> &Needed) {
  if (Random.oneIn(2))
    for (const ModelFunction &F : Functions)
      if (F.Is == Is && F.keeps(Needed) && Random.oneIn(2))
        return F;
  ModelFunction &F = Functions.emplace_back();
  F.Is = Is;
  FunctionMaker Maker(*this, F, Needed);
  switch (Is) {
  case ModelFunction::Nowhere:
    Maker.makeNowhere();
    return F;
  case ModelFunction::Leaf:
    Maker.makeLeaf();
    break;
  case ModelFunction::FramePointer:
    Maker.makeFrameRecord();
    break;
  default:
    Maker.makeRules();
    break;
  }
  Module &M = Modules[Random.below(2)];
  F.Begin = M.End;
  F.End = M.End = F.Begin + ((2 + Random.below(30)) << Shift);
  return F;
}

void ModelProgram::fill(Module &M) {
  UnwindTableBuilder Builder(Machine.RA, Shift, 1 << 20, Machine.WordSize);
  bool IsEmpty = true;
  for (const ModelFunction &F : Functions) {
    if (F.Is == ModelFunction::Nowhere || F.Is == ModelFunction::FramePointer ||
        F.Begin < M.Begin || F.End > M.End)
      continue;
    cantFail(Builder.addRow(
        {F.Begin - M.Bias, F.End - M.Bias, *Builder.intern(F.Rules)}));
    IsEmpty = false;
  }
  if (IsEmpty)
    return;
  M.Bytes = *Builder.bytes();
  M.Table = cantFail(UnwindTable::open(M.Bytes));
}

void ModelProgram::finish() {
  for (Module &M : Modules)
    fill(M);
}

UnwindModules::Place ModelProgram::find(uint64_t Address) {
  for (const Module &M : Modules)
    if (M.Begin <= Address && Address < M.End)
      return {M.Bytes.empty() ? nullptr : &M.Table, M.Bias, true};
  return {};
}

//===----------------------------------------------------------------------===//
// ModelStack
//===----------------------------------------------------------------------===//

ModelStack::ModelStack(ModelProgram &Program)
    : Program(Program), Machine(Program.Machine), Random(Program.Random) {
  if (Machine.ELFMachine == ELF::EM_AARCH64 && Random.oneIn(2)) {
    Options.CodeMask = 0xff7f'0000'0000'0000;
    ReturnAddressBits = Random.any() & Options.CodeMask;
  }
  for (uint64_t Count = 1 + Random.below(24); Count; --Count) {
    const Frame *Caller = Calls.empty() ? nullptr : &Calls.back();
    if (Caller && !Caller->IsReturnAddress && SignalFrames == 3)
      break;
    enter(anyKind(Caller, Count == 1), Count == 1);
  }
  Options.IsReturnAddress = Calls.back().IsReturnAddress;
  expect();
}

uint64_t ModelStack::masked(uint64_t Value) const {
  return wordOf(Machine, Value);
}

/// The kind of the function that \p Caller calls. A frame whose program counter
/// is not a return address is the innermost one, or a signal interrupted it.
ModelFunction::Kind ModelStack::anyKind(const Frame *Caller, bool IsInnermost) {
  if (!Caller && hasFrameRecords(Machine) && Random.oneIn(3))
    return ModelFunction::FramePointer;
  if (!Caller)
    return Random.oneIn(2) ? ModelFunction::Outermost : ModelFunction::Ordinary;
  if (!Caller->IsReturnAddress)
    return ModelFunction::Signal;
  if ((IsInnermost || SignalFrames != 3) && Random.oneIn(8)) {
    if (Machine.PushesReturnAddress || Random.oneIn(2))
      return ModelFunction::Nowhere;
    return ModelFunction::Leaf;
  }
  const std::set<unsigned> &Needed = Caller->Needed;
  if (hasFrameRecords(Machine) && Random.oneIn(2) &&
      (Needed.empty() || Needed == std::set<unsigned>{Machine.FP}))
    return ModelFunction::FramePointer;
  return ModelFunction::Ordinary;
}

/// The word that a callee keeps as its return address.
uint64_t ModelStack::storedAddress(const Frame *Caller) const {
  uint64_t PC = Caller ? Caller->PC : 0;
  if (Machine.ELFMachine == ELF::EM_ARM)
    return PC | (PC >> 2 & 1);
  return PC | ReturnAddressBits;
}

uint64_t ModelStack::value(const KeptValue &V, const Frame &Callee,
                           const Frame *Caller, uint64_t Base) const {
  switch (V.What) {
  case KeptValue::CFA:
    return Callee.CFA - V.Minus;
  case KeptValue::AddressOfSlot:
    return Base - (V.Number + 1) * Machine.WordSize - V.Minus;
  case KeptValue::CallersRegister:
    return Caller ? Caller->Registers.at(V.Number) - V.Minus : 0;
  case KeptValue::ReturnAddress:
    return storedAddress(Caller) - V.Minus;
  }
  llvm_unreachable("no other value");
}

/// Stores what the function of \p Callee keeps in its frame below \p Base.
void ModelStack::keep(Frame &Callee, const Frame *Caller, uint64_t Base) {
  const ModelFunction &F = *Callee.Function;
  for (unsigned Slot = 0; Slot != F.Words; ++Slot)
    Memory[Base - (Slot + 1) * Machine.WordSize] = masked(Random.any());
  for (const auto &[Slot, V] : F.Slots) {
    uint64_t Address = Base - (Slot + 1) * Machine.WordSize;
    Memory[Address] = masked(value(V, Callee, Caller, Base));
    KeptAt.push_back(Address);
    if (V.What == KeptValue::ReturnAddress)
      Callee.ReturnAddressAt = Address;
    if (V.What == KeptValue::CFA)
      Callee.CFAAt = Address;
  }
  for (unsigned R = 0; R != RegisterSet::Count; ++R)
    Callee.Registers[R] = Caller && F.Unchanged.count(R)
                              ? Caller->Registers.at(R)
                              : masked(Random.any());
  for (const auto &[R, V] : F.Holders)
    Callee.Registers[R] = masked(value(V, Callee, Caller, Base));
  Callee.Registers[Machine.SP] = Base - F.Words * Machine.WordSize;
}

void ModelStack::enter(ModelFunction::Kind Is, bool IsInnermost) {
  const Frame *Caller = Calls.empty() ? nullptr : &Calls.back();
  const std::set<unsigned> None;
  Frame Callee;
  Callee.Function = &Program.function(Is, Caller ? Caller->Needed : None);
  const ModelFunction &F = *Callee.Function;
  const uint64_t Top = Machine.WordSize == 4 ? 0xbfff'0000 : 0x7fff'0000'0000;
  uint64_t Base = Caller ? Caller->Registers.at(Machine.SP) : Top;
  Callee.CFA = Base + aboveSP(Machine);
  if (F.Rules.IsSignalFrame) {
    ++SignalFrames;
    // Its own stack may be anywhere.
    const uint64_t Distance = SignalFrames * 0x10000;
    Base = Random.oneIn(2) ? Top + Distance : Top - Distance;
  }
  for (const auto &[R, V] : F.Holders)
    Callee.Needed.insert(R);
  if (Caller)
    for (unsigned R : Caller->Needed)
      if (F.Unchanged.count(R))
        Callee.Needed.insert(R);
  keep(Callee, Caller, Base);
  const bool MayCall =
      Is != ModelFunction::Leaf && Is != ModelFunction::Nowhere;
  Callee.IsReturnAddress =
      MayCall &&
      (IsInnermost ? Random.oneIn(4) : SignalFrames == 3 || !Random.oneIn(6));
  const uint64_t Unit = Machine.ELFMachine == ELF::EM_ARM ? 2 : 1;
  const uint64_t Units = (F.End - F.Begin) / Unit;
  if (Is == ModelFunction::Nowhere)
    Callee.PC = F.Begin;
  else if (Callee.IsReturnAddress)
    // Calls that do not return are at the end of a function.
    Callee.PC =
        F.Begin + (Random.oneIn(4) ? Units : 1 + Random.below(Units)) * Unit;
  else if (F.Rules.HoldAtCallsOnly)
    Callee.PC = F.Begin + (1 + Random.below(Units - 1)) * Unit;
  else
    Callee.PC = F.Begin + Random.below(Units) * Unit;
  Calls.push_back(std::move(Callee));
}

/// The registers of \p Caller as the rules of \p Callee give them, if \p Known
/// are those of \p Callee.
RegisterSet ModelStack::callersRegisters(const Frame &Callee,
                                         const Frame &Caller,
                                         const RegisterSet &Known) const {
  const ModelFunction &F = *Callee.Function;
  RegisterSet Result;
  for (unsigned R = 0; R != RegisterSet::Count; ++R) {
    bool IsKept = F.Is == ModelFunction::Nowhere || F.Rules.IsSignalFrame ||
                  Machine.isPreserved(R);
    if (IsKept && Known.has(R))
      Result.set(R, *Known.get(R));
  }
  for (const auto &[R, Rule] : F.Rules.Registers)
    if (Rule.How == Kind::Undefined)
      Result.forget(R);
    else if (Rule.How == Kind::Same && !Known.has(R))
      Result.forget(R);
    else if (Rule.How == Kind::Same)
      Result.set(R, *Known.get(R));
  for (const auto &[R, Offset] : F.FromCFA)
    Result.set(R, masked(Callee.CFA + uint64_t(Offset)));
  for (unsigned R : F.Recovered)
    Result.set(R, Caller.Registers.at(R));
  if (F.Rules.find(F.Rules.ReturnAddress))
    Result.set(F.Rules.ReturnAddress, storedAddress(&Caller));
  Result.set(Machine.SP, Caller.Registers.at(Machine.SP));
  Result.PC = Caller.PC;
  return Result;
}

/// Sets the frames and registers that the unwinder should find.
void ModelStack::expect() {
  const Frame &Innermost = Calls.back();
  for (const auto &[R, Value] : Innermost.Registers)
    Context.set(R, Value);
  Context.PC = Innermost.PC;
  RegisterSet Known = Context;
  FrameTrust Trust = FrameTrust::Context;
  for (size_t I = Calls.size(); I-- != 0;) {
    const Frame &F = Calls[I];
    UnwoundFrame Expected;
    Expected.Address = F.PC;
    Expected.IsReturnAddress = F.IsReturnAddress;
    Expected.IsSignalFrame = F.Function->Rules.IsSignalFrame;
    Expected.Trust = Trust;
    Expected.SP = F.Registers.at(Machine.SP);
    Frames.push_back(Expected);
    Registers.push_back(Known);
    if (I == 0)
      return;
    ReturnAddressAt.push_back(F.ReturnAddressAt);
    CFAAt.push_back(F.CFAAt);
    Known = callersRegisters(F, Calls[I - 1], Known);
    Trust = F.Function->Is == ModelFunction::FramePointer
                ? FrameTrust::FramePointer
            : F.Function->Is == ModelFunction::Nowhere ? FrameTrust::Scan
                                                       : FrameTrust::CFI;
  }
}

size_t ModelStack::read(uint64_t Address, MutableArrayRef<uint8_t> To) const {
  auto It = Memory.find(Address);
  if (It == Memory.end() || To.size() != Machine.WordSize)
    return 0;
  auto Order = Machine.IsLittleEndian ? endianness::little : endianness::big;
  if (Machine.WordSize == 4)
    support::endian::write<uint32_t>(To.data(), uint32_t(It->second), Order);
  else
    support::endian::write<uint64_t>(To.data(), It->second, Order);
  return To.size();
}
