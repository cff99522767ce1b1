//===- StackModel.h - Random stacks whose frames are known ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stack is made as a program makes it, from the outermost function inwards:
/// a random function is entered, saves registers where its random rules say,
/// and changes the rest. So the frames are known without applying any rule.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_TEST_UNIT_UNWIND_STACKMODEL_H
#define LIDIA_TEST_UNIT_UNWIND_STACKMODEL_H

#include "lidia/Unwind/Unwinder.h"
#include <deque>
#include <map>
#include <random>
#include <set>

namespace lidia {

class RandomNumbers {
public:
  explicit RandomNumbers(uint64_t Seed) : Generator(Seed) {}

  uint64_t any() { return Generator(); }
  uint64_t below(uint64_t Count) { return Generator() % Count; }
  bool oneIn(uint64_t Count) { return below(Count) == 0; }
  int64_t offset() { return int64_t(below(1024)) - 512; }

private:
  std::mt19937_64 Generator;
};

/// Something that a frame must keep, because a rule finds it.
struct KeptValue {
  enum Kind { CFA, AddressOfSlot, CallersRegister, ReturnAddress } What = CFA;
  /// The number of a slot or register.
  unsigned Number = 0;
  /// What is kept is the value minus this.
  uint64_t Minus = 0;
};

struct ModelFunction {
  enum Kind {
    /// Has rules.
    Ordinary,
    /// Has no caller by its rules.
    Outermost,
    /// Has rules by which nothing is saved and the return address is in the
    /// link register.
    Leaf,
    /// Has the rules of a signal trampoline.
    Signal,
    /// Has no rules, but a frame pointer.
    FramePointer,
    /// Is an address without code.
    Nowhere,
  } Is = Ordinary;
  uint64_t Begin = 0, End = 0;
  UnwindRules Rules;
  /// The words of the frame, below the caller's stack pointer. Those without a
  /// value to keep have any.
  uint64_t Words = 0;
  std::map<unsigned, KeptValue> Slots;
  /// The registers that hold a value. Others that are not in Unchanged have any
  /// value.
  std::map<unsigned, KeptValue> Holders;
  std::set<unsigned> Unchanged;
  /// The registers whose value in the caller the rules recover, and those for
  /// which they give the CFA plus an offset.
  std::set<unsigned> Recovered;
  std::map<unsigned, int64_t> FromCFA;

  /// Whether a frame whose values of \p Needed matter can have called it.
  bool keeps(const std::set<unsigned> &Needed) const;
};

/// A random program for one machine.
class ModelProgram final : public UnwindModules {
public:
  ModelProgram(const UnwindMachine &Machine, uint64_t Seed);

  /// A function of the kind \p Is that keeps the registers \p Needed: an
  /// earlier one or a new one.
  const ModelFunction &function(ModelFunction::Kind Is,
                                const std::set<unsigned> &Needed);

  /// Makes the tables of the functions so far.
  void finish();

  Place find(uint64_t Address) override;

  const UnwindMachine &Machine;
  RandomNumbers Random;

private:
  friend class FunctionMaker;
  struct Module {
    uint64_t Bias = 0;
    uint64_t Begin = 0, End = 0;
    std::string Bytes;
    UnwindTable Table;
  };

  void fill(Module &M);

  unsigned Shift;
  Module Modules[2];
  std::deque<ModelFunction> Functions;
  std::deque<std::vector<uint8_t>> Expressions;
};

/// A thread of a ModelProgram.
class ModelStack {
public:
  explicit ModelStack(ModelProgram &Program);

  /// The registers of the innermost frame.
  RegisterSet Context;
  UnwindOptions Options;
  /// The words of memory, by their address, and where those are that rules
  /// find.
  std::map<uint64_t, uint64_t> Memory;
  std::vector<uint64_t> KeptAt;

  /// The frames, and the registers that the rules give for each.
  std::vector<UnwoundFrame> Frames;
  std::vector<RegisterSet> Registers;
  /// For each frame but the last, where the word is that its caller's frame
  /// cannot be found without; 0 if it is in a register.
  std::vector<uint64_t> ReturnAddressAt;
  std::vector<uint64_t> CFAAt;

  /// What Unwinder::unwind() reads memory by.
  size_t read(uint64_t Address, llvm::MutableArrayRef<uint8_t> To) const;

private:
  struct Frame {
    const ModelFunction *Function;
    /// In the caller, CFA is the stack pointer there (plus 160 on s390x).
    uint64_t CFA = 0;
    uint64_t PC = 0;
    bool IsReturnAddress = false;
    std::map<unsigned, uint64_t> Registers;
    /// The registers whose values matter to the frames from here outwards.
    std::set<unsigned> Needed;
    uint64_t ReturnAddressAt = 0, CFAAt = 0;
  };

  ModelFunction::Kind anyKind(const Frame *Caller, bool IsInnermost);
  void enter(ModelFunction::Kind Is, bool IsInnermost);
  void keep(Frame &Callee, const Frame *Caller, uint64_t Base);
  uint64_t value(const KeptValue &V, const Frame &Callee, const Frame *Caller,
                 uint64_t Base) const;
  uint64_t storedAddress(const Frame *Caller) const;
  void expect();
  RegisterSet callersRegisters(const Frame &Callee, const Frame &Caller,
                               const RegisterSet &Known) const;
  uint64_t masked(uint64_t Value) const;

  ModelProgram &Program;
  const UnwindMachine &Machine;
  RandomNumbers &Random;
  /// Outermost first.
  std::vector<Frame> Calls;
  unsigned SignalFrames = 0;
  uint64_t ReturnAddressBits = 0;
};

} // namespace lidia

#endif // LIDIA_TEST_UNIT_UNWIND_STACKMODEL_H
