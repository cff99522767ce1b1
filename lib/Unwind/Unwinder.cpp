//===- Unwinder.cpp - Derives frames from registers and memory ------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The registers of a frame's caller follow from those of the frame: by the
/// rules of the row that covers the frame's code; without rows, by the frame
/// pointer; and if both fail, and the client allows it, by a scan of the stack.
///
//===----------------------------------------------------------------------===//

#include "lidia/Unwind/Unwinder.h"
#include "ArmCode.h"
#include "CallFrameExpression.h"
#include "CallInstructions.h"
#include "X86Code.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include <map>

using namespace llvm;

namespace lidia {

using Kind = RegisterRule::Kind;

/// The number of addresses whose rules are cached. Stacks of one program share
/// most of their return addresses.
static constexpr size_t KnownAddresses = 509;

/// The maximum number of frames after which the stack pointer may be anywhere:
/// those of signals, and those of functions that change the stack, as Go's
/// calls of C and the calls from C back to Go do.
static constexpr unsigned MaxStackChanges = 256;

/// The maximum number of operations in the expressions of one stack. Compilers'
/// expressions take less than twenty for each frame.
static constexpr unsigned OperationsOfStack = 1 << 16;

/// The number of words of the stack that a scan examines.
static constexpr unsigned WordsToScan = 256;

StringRef toString(FrameTrust T) {
  switch (T) {
  case FrameTrust::Context:
    return "context";
  case FrameTrust::CFI:
    return "cfi";
  case FrameTrust::FramePointer:
    return "frame_pointer";
  case FrameTrust::Scan:
    return "scan";
  }
  return "";
}

StringRef nameOf(StackEnd End) {
  switch (End) {
  case StackEnd::Complete:
    return "complete";
  case StackEnd::NoMemory:
    return "no_memory";
  case StackEnd::NoRows:
    return "no_rows";
  case StackEnd::Corrupt:
    return "corrupt";
  case StackEnd::TooLong:
    return "too_long";
  case StackEnd::OtherStack:
    return "other_stack";
  }
  llvm_unreachable("no other end");
}

struct Unwinder::KnownRules {
  uint64_t Address = 0;
  bool IsKnown = false;
  /// Whether a signal trampoline begins after this address.
  bool IsBeforeTrampoline = false;
  /// Whether the address is in known code.
  bool IsCode = false;
  std::optional<UnwindRules> Rules;
  /// The start of the row with the rules.
  uint64_t Begin = 0;
  /// If tail calls may have followed the call that ends with this address, the
  /// finder of its module; otherwise null.
  TailCallFinder *TailCalls = nullptr;
  /// Subtract this to get the module's own address.
  uint64_t Bias = 0;
};

struct Unwinder::KnownTailCalls {
  uint64_t ReturnAddress = 0;
  uint64_t Callee = 0;
  SmallVector<TailCall, 2> Calls;
};

/// Following code takes long, and the same addresses return in many stacks.
struct Unwinder::WaysOut final : CodeToFollow {
  /// Code without rows is rare.
  static constexpr size_t Max = 4096;

  explicit WaysOut(UnwindModules &Modules) : Modules(Modules) {}

  ArrayRef<Epilogue> from(const UnwindMachine &Machine, uint64_t PC) {
    if (Known.size() >= Max)
      Known.clear();
    auto [Found, IsNew] = Known.try_emplace(PC);
    if (IsNew)
      Found->second = waysOut(Machine, PC, *this);
    return Found->second;
  }

  size_t read(uint64_t Address, MutableArrayRef<uint8_t> To) override {
    return Modules.readCode(Address, To);
  }

  uint64_t functionEnd(uint64_t Address) override {
    UnwindModules::Place Place = Modules.find(Address);
    uint64_t Own = Place.TailCalls
                       ? Place.TailCalls->functionEnd(Address - Place.Bias)
                       : UINT64_MAX;
    return Own == UINT64_MAX ? Own : Own + Place.Bias;
  }

  UnwindModules &Modules;
  std::map<uint64_t, SmallVector<Epilogue, 1>> Known;
};

Unwinder::Unwinder(const UnwindMachine &Machine, UnwindModules &Modules)
    : Machine(Machine), Modules(Modules), Known(KnownAddresses),
      KnownTails(KnownAddresses) {}
Unwinder::~Unwinder() = default;

const Unwinder::KnownRules &Unwinder::rulesAt(uint64_t Address) {
  KnownRules &K = Known[Address % KnownAddresses];
  if (K.IsKnown && K.Address == Address)
    return K;
  UnwindModules::Place Place = Modules.find(Address);
  K.Address = Address;
  K.IsKnown = true;
  K.IsCode = Place.IsCode;
  K.Bias = Place.Bias;
  K.TailCalls = Place.TailCalls;
  if (K.TailCalls && !K.TailCalls->hasCall(Address + 1 - Place.Bias))
    K.TailCalls = nullptr;
  K.IsBeforeTrampoline = false;
  K.Rules.reset();
  if (!Place.Table)
    return K;
  const uint64_t Own = Address - Place.Bias;
  std::optional<UnwindRow> Row = Place.Table->find(Own);
  if (Row) {
    K.Rules = Place.Table->rules(Row->Rules);
    K.Begin = Row->Begin + Place.Bias;
  }
  if (Row && Row->End != Own + 1)
    return K;
  std::optional<UnwindRow> Next = Place.Table->find(Own + 1);
  if (Next && Next->Begin == Own + 1) {
    // The rows of call frame information begin before the code to which a
    // handler returns. Those that instructions gave begin with it, and restore
    // the stack pointer from above it.
    std::optional<UnwindRules> Rules = Place.Table->rules(Next->Rules);
    K.IsBeforeTrampoline = Rules && Rules->IsSignalFrame &&
                           Rules->CFA.How == Kind::IsRegister &&
                           Rules->CFA.Offset == 0 && Rules->find(Machine.SP);
  }
  return K;
}

namespace {
/// How a frame is related to its caller's.
enum class CallerPlace : uint8_t {
  /// The caller's frame is above.
  Above,
  /// The caller's frame may be on another stack.
  AnyStack,
  /// The caller's frame is above, but its address is not a return address.
  Faulted,
  /// A signal interrupted the caller, which may be anywhere.
  Interrupted,
};
} // namespace

/// One stack.
class Unwinder::Walk {
public:
  Walk(Unwinder &U, const RegisterSet &Context, ReadMemory Memory,
       const UnwindOptions &Options)
      : U(U), Machine(U.Machine), Options(Options), Memory(Memory),
        Now(Context), IsReturnAddress(Options.IsReturnAddress) {}

  UnwoundStack run();

private:
  const KnownRules &rulesHere();
  bool isTrampoline(uint64_t ReturnAddress);
  bool step();
  bool stepByRules(const UnwindRules &Rules, uint64_t Begin);
  bool holds(const UnwindRules &Rules, uint64_t Begin, uint64_t PC);
  bool stepAwayFromCall(UnwindRules Rules, uint64_t Begin);
  bool stepByLinkRegister();
  bool stepByCall();
  bool stepByEpilogue();
  bool stepByWaysOut();
  bool takeWayOut(const Epilogue &E, bool FollowsCall);
  bool stepByFramePointer(FrameTrust Trust = FrameTrust::FramePointer);
  bool stepFromNowhere();
  bool stepByScan();
  bool stepToTrampoline(const RegisterSet &Caller, uint64_t CFA);
  bool mayKeepStackPointer(uint64_t PC, FrameTrust Trust);
  bool finish(const RegisterSet &Caller, uint64_t PC, FrameTrust Trust,
              CallerPlace Place = CallerPlace::Above);
  bool findFramePointer();
  bool end(StackEnd Why, uint64_t Address) {
    HasEnded = true;
    Stack.End = Why;
    Stack.FailedAddress = Address;
    return false;
  }
  void addFrame(FrameTrust Trust);
  bool makeRoom();
  ArrayRef<TailCall> tailCalls(uint64_t ReturnAddress, TailCallFinder &Finder,
                               uint64_t Bias);
  void addTailCalls(uint64_t ReturnAddress);
  void addCalledName(uint64_t ReturnAddress);

  std::optional<uint64_t> readWord(uint64_t Address);
  llvm::SmallVector<uint8_t, 8> readCode(uint64_t Address, size_t Size);
  std::optional<uint64_t> callTarget(uint64_t ReturnAddress);
  std::optional<uint64_t> apply(const RegisterRule &R, unsigned Register,
                                std::optional<uint64_t> CFA);
  std::optional<uint64_t> evaluate(const RegisterRule &R,
                                   std::optional<uint64_t> CFA);
  uint64_t masked(uint64_t Address) const {
    return Machine.WordSize == 4 ? uint32_t(Address) : Address;
  }
  /// The address of code that \p Value, a return address, leads to: without the
  /// bits of a signature, and on Arm without the bit of the instruction set.
  uint64_t codeAddress(uint64_t Value) const {
    uint64_t Bit = Machine.ELFMachine == ELF::EM_ARM ? 1 : 0;
    return masked(Value & ~Options.CodeMask) & ~Bit;
  }
  RegisterSet preserved() const;
  uint64_t sp() const { return Now.get(Machine.SP).value_or(0); }
  /// The address whose rules apply to the current frame.
  uint64_t lookupAddress() const {
    return IsReturnAddress ? Now.PC - 1 : Now.PC;
  }
  bool isCode(uint64_t Address) { return U.rulesAt(Address).IsCode; }

  Unwinder &U;
  const UnwindMachine &Machine;
  const UnwindOptions &Options;
  ReadMemory Memory;
  UnwoundStack Stack;
  /// The registers of the frame that was added last.
  RegisterSet Now;
  bool IsReturnAddress;
  /// Whether the current step has found the end of the stack.
  bool HasEnded = false;
  unsigned StackChanges = 0;
  unsigned OperationsLeft = OperationsOfStack;
  /// The last address that could not be read.
  std::optional<uint64_t> Unreadable;
};

void Unwinder::Walk::addFrame(FrameTrust Trust) {
  UnwoundFrame F;
  F.Address = Now.PC;
  F.IsReturnAddress = IsReturnAddress;
  F.Trust = Trust;
  F.SP = sp();
  Stack.Frames.push_back(F);
  if (Stack.Registers.size() < Options.FramesWithRegisters)
    Stack.Registers.push_back(Now);
}

/// Leaves a frame out if there are as many as allowed. Returns false if no
/// other frame may follow.
bool Unwinder::Walk::makeRoom() {
  // Stacks without a limit have less than 2^32 bytes.
  constexpr uint64_t MaxOmitted = 1 << 26;
  if (Stack.Frames.size() < Options.MaxFrames)
    return true;
  // The last frame stays.
  if (Options.OutermostFrames < 2 ||
      Options.OutermostFrames >= Options.MaxFrames ||
      Stack.Omitted == MaxOmitted)
    return false;
  Stack.OmittedAt = Options.MaxFrames - Options.OutermostFrames;
  Stack.Frames.erase(Stack.Frames.begin() + ptrdiff_t(Stack.OmittedAt));
  ++Stack.Omitted;
  return true;
}

/// The tail calls between the current frame and the caller, to which
/// \p ReturnAddress leads in the module with \p Finder and \p Bias.
ArrayRef<TailCall> Unwinder::Walk::tailCalls(uint64_t ReturnAddress,
                                             TailCallFinder &Finder,
                                             uint64_t Bias) {
  KnownTailCalls &K = U.KnownTails[ReturnAddress % KnownAddresses];
  if (K.ReturnAddress == ReturnAddress && K.Callee == lookupAddress())
    return K.Calls;
  K.ReturnAddress = ReturnAddress;
  K.Callee = lookupAddress();
  K.Calls.clear();
  UnwindModules::Place Callee = U.Modules.find(lookupAddress());
  if (!Callee.TailCalls)
    return K.Calls;
  std::optional<uint64_t> Target = callTarget(ReturnAddress);
  if (Target)
    *Target -= Bias;
  Finder.find(ReturnAddress - Bias, Target, *Callee.TailCalls,
              lookupAddress() - Callee.Bias, K.Calls);
  return K.Calls;
}

/// Adds the frames of the functions between the current frame and the caller,
/// to which \p ReturnAddress leads, as far as there is room for the caller.
void Unwinder::Walk::addTailCalls(uint64_t ReturnAddress) {
  const KnownRules &Call = U.rulesAt(ReturnAddress - 1);
  if (!Call.TailCalls)
    return;
  const uint64_t Bias = Call.Bias;
  for (const TailCall &C : tailCalls(ReturnAddress, *Call.TailCalls, Bias)) {
    UnwoundFrame F;
    F.Address = C.Address + Bias;
    F.IsReturnAddress = C.IsReturnAddress;
    F.IsTailCall = true;
    F.Trust = FrameTrust::CFI;
    F.SP = sp();
    Stack.Frames.push_back(F);
    if (Stack.Registers.size() < Options.FramesWithRegisters)
      Stack.Registers.emplace_back().PC = F.Address;
    if (!makeRoom())
      return;
  }
}

/// Notes by which name the caller, to which \p ReturnAddress leads, calls the
/// current frame's function.
void Unwinder::Walk::addCalledName(uint64_t ReturnAddress) {
  const KnownRules &Call = U.rulesAt(ReturnAddress - 1);
  if (!Call.TailCalls || Stack.Frames.empty())
    return;
  TailCallFinder &Finder = *Call.TailCalls;
  const uint64_t Own = ReturnAddress - Call.Bias;
  UnwindModules::Place Callee = U.Modules.find(lookupAddress());
  if (!Callee.TailCalls)
    return;
  std::string Name =
      Finder.calledAs(Own, *Callee.TailCalls, lookupAddress() - Callee.Bias);
  if (!Name.empty())
    Stack.Frames.back().CalledAs =
        std::make_shared<const std::string>(std::move(Name));
}

UnwoundStack Unwinder::Walk::run() {
  addFrame(FrameTrust::Context);
  while (makeRoom())
    if (!step())
      return std::move(Stack);
  rulesHere();
  Stack.End = StackEnd::TooLong;
  return std::move(Stack);
}

/// The rules at the current frame, which is marked if they are a signal
/// trampoline's. A handler returns to the beginning of a trampoline, before
/// which there may be another function.
const Unwinder::KnownRules &Unwinder::Walk::rulesHere() {
  const KnownRules *Here = &U.rulesAt(lookupAddress());
  if (IsReturnAddress && Here->IsBeforeTrampoline)
    Here = &U.rulesAt(Now.PC);
  if (Here->Rules)
    Stack.Frames.back().IsSignalFrame = Here->Rules->IsSignalFrame;
  return *Here;
}

/// Whether \p ReturnAddress leads to a signal trampoline.
bool Unwinder::Walk::isTrampoline(uint64_t ReturnAddress) {
  const KnownRules &Before = U.rulesAt(ReturnAddress - 1);
  return Before.IsBeforeTrampoline ||
         (Before.Rules && Before.Rules->IsSignalFrame);
}

/// Adds the caller's frame. Returns false at the end of the stack.
bool Unwinder::Walk::step() {
  Unreadable.reset();
  // The next lookup of an address may replace this entry. It happens only after
  // the rules were applied.
  const KnownRules &Here = rulesHere();
  const bool IsCode = Here.IsCode;
  HasEnded = false;
  const bool IsAwayFromCall = Here.Rules && Here.Rules->HoldAtCallsOnly &&
                              !IsReturnAddress &&
                              Machine.ELFMachine != ELF::EM_ARM;
  if (IsAwayFromCall ? stepAwayFromCall(*Here.Rules, Here.Begin)
      : Here.Rules   ? stepByRules(*Here.Rules, Here.Begin)
      : IsCode       ? stepByWaysOut() || (!IsReturnAddress && stepByCall()) ||
                     stepByEpilogue() || stepByFramePointer()
               : !IsReturnAddress && stepFromNowhere())
    return true;
  if (HasEnded &&
      (Stack.End == StackEnd::Complete || Stack.End == StackEnd::TooLong))
    return false;
  if (Options.Scan && stepByScan())
    return true;
  if (!HasEnded)
    end(StackEnd::NoRows, Now.PC);
  return false;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<uint64_t> Unwinder::Walk::readWord(uint64_t Address) {
  uint8_t Bytes[8];
  MutableArrayRef<uint8_t> To(Bytes, Machine.WordSize);
  Address = masked(Address);
  if (Memory(Address, To) != To.size()) {
    Unreadable = Address;
    return std::nullopt;
  }
  auto Order = Machine.IsLittleEndian ? endianness::little : endianness::big;
  if (Machine.WordSize == 4)
    return support::endian::read<uint32_t>(Bytes, Order);
  return support::endian::read<uint64_t>(Bytes, Order);
}

//===----------------------------------------------------------------------===//
// By rules
//===----------------------------------------------------------------------===//

std::optional<uint64_t> Unwinder::Walk::evaluate(const RegisterRule &R,
                                                 std::optional<uint64_t> CFA) {
  return evaluateCallFrameExpression(
      R.Expression, CFA, Machine, Now, OperationsLeft,
      [&](uint64_t Address) { return readWord(Address); });
}

/// The caller's value of \p Register by the rule \p R; none if it is lost.
std::optional<uint64_t> Unwinder::Walk::apply(const RegisterRule &R,
                                              unsigned Register,
                                              std::optional<uint64_t> CFA) {
  auto AtAddress = [&](std::optional<uint64_t> Address) {
    return Address ? readWord(*Address) : std::nullopt;
  };
  auto Sum = [&](std::optional<uint64_t> Base) -> std::optional<uint64_t> {
    if (!Base)
      return std::nullopt;
    return masked(*Base + uint64_t(R.Offset));
  };
  switch (R.How) {
  case Kind::Undefined:
    return std::nullopt;
  case Kind::Same:
    return Now.get(Register);
  case Kind::AtCFA:
    return AtAddress(Sum(CFA));
  case Kind::IsCFA:
    return Sum(CFA);
  case Kind::Register:
    return Now.get(R.Register);
  case Kind::AtExpression:
    return AtAddress(evaluate(R, CFA));
  case Kind::IsExpression:
    return evaluate(R, CFA);
  case Kind::AtRegister:
    return AtAddress(Sum(Now.get(R.Register)));
  case Kind::IsRegister:
    return Sum(Now.get(R.Register));
  }
  return std::nullopt;
}

/// On s390x the CFA is above the area that each caller leaves free for its
/// callee.
static uint64_t callersSP(const UnwindMachine &Machine, uint64_t CFA) {
  return Machine.ELFMachine == ELF::EM_S390 ? CFA - 160 : CFA;
}

/// The registers that functions preserve.
RegisterSet Unwinder::Walk::preserved() const {
  RegisterSet Result;
  // Iterates over set bits, because this is a large part of a step's time.
  for (uint32_t Left = Machine.Preserved; Left; Left &= Left - 1)
    if (unsigned Number = countr_zero(Left); Now.has(Number))
      Result.set(Number, *Now.get(Number));
  return Result;
}

static CallerPlace callerPlace(const UnwindRules &Rules) {
  if (Rules.IsSignalFrame)
    return CallerPlace::Interrupted;
  if (Rules.IsFaultFrame)
    return CallerPlace::Faulted;
  // No other rule leads to another stack.
  return Rules.CFA.How == Kind::IsExpression ? CallerPlace::AnyStack
                                             : CallerPlace::Above;
}

/// Steps by \p Rules, which are valid in the function that begins at \p Begin.
bool Unwinder::Walk::stepByRules(const UnwindRules &Rules, uint64_t Begin) {
  const bool MayNotHold = Rules.HoldAtCallsOnly && !IsReturnAddress;
  std::optional<uint64_t> CFA = apply(Rules.CFA, Machine.SP, std::nullopt);
  if (!CFA && MayNotHold)
    return stepByLinkRegister();
  if (!CFA && Rules.CFA.How == Kind::IsRegister &&
      Rules.CFA.Register == Machine.FP && findFramePointer())
    return stepByFramePointer(FrameTrust::Scan);
  // Without a failed read, the value of a register is not known.
  if (!CFA)
    return end(Unreadable ? StackEnd::NoMemory : StackEnd::NoRows,
               Unreadable.value_or(Now.PC));
  RegisterSet Caller = Rules.IsSignalFrame ? Now : preserved();
  Caller.set(Machine.SP, callersSP(Machine, *CFA));
  for (const auto &[Number, Rule] : Rules.Registers) {
    Caller.forget(Number);
    if (std::optional<uint64_t> Value = apply(Rule, Number, CFA))
      Caller.set(Number, *Value);
  }
  const RegisterRule *RA = Rules.find(Rules.ReturnAddress);
  if (RA && RA->How == Kind::Undefined)
    return stepToTrampoline(Caller, *CFA) || end(StackEnd::Complete, 0);
  Unreadable.reset();
  // Without a rule, the return address is in the link register, as the call
  // left it.
  std::optional<uint64_t> PC =
      RA ? apply(*RA, Rules.ReturnAddress, CFA) : Now.get(Rules.ReturnAddress);
  if (MayNotHold && Machine.ELFMachine == ELF::EM_ARM &&
      !(PC && holds(Rules, Begin, *PC)))
    return stepByLinkRegister();
  if (!PC)
    return end(Unreadable ? StackEnd::NoMemory : StackEnd::NoRows,
               Unreadable.value_or(Now.PC));
  return finish(Caller, *PC, FrameTrust::CFI, callerPlace(Rules));
}

/// Handles functions that are marked as outermost and handle signals: Go marks
/// its own so, because its runtime does not look further. \p Caller are the
/// caller's registers.
bool Unwinder::Walk::stepToTrampoline(const RegisterSet &Caller, uint64_t CFA) {
  // Go's functions save the link register at the bottom of their frames.
  std::optional<uint64_t> PC =
      readWord(Machine.PushesReturnAddress ? CFA - Machine.WordSize : sp());
  return PC && *PC != 0 && isTrampoline(codeAddress(*PC)) &&
         finish(Caller, *PC, FrameTrust::CFI);
}

/// Whether \p Rules, which are valid only at calls and give the return address
/// \p PC, are valid at the current program counter, which is not at a call, in
/// the function that begins at \p Begin.
bool Unwinder::Walk::holds(const UnwindRules &Rules, uint64_t Begin,
                           uint64_t PC) {
  constexpr unsigned MaxOfCall = 4, MaxOfPrologue = 64;
  uint8_t Bytes[MaxOfPrologue];
  auto Code = [&](uint64_t From, uint64_t End) {
    MutableArrayRef<uint8_t> To(
        Bytes, size_t(std::min<uint64_t>(End - From, MaxOfPrologue)));
    return ArrayRef(Bytes, Memory(masked(From), To));
  };
  uint64_t Here = Now.PC & ~uint64_t(1), Return = PC & ~uint64_t(1);
  // Exceptions can leave functions at system calls.
  if (endsWithArmSystemCall(Code(Here - MaxOfCall, Here)))
    return true;
  // A recording has only the stack, not the code.
  ArrayRef<uint8_t> Call = Code(Return - MaxOfCall, Return);
  if (!Call.empty() && !endsWithArmCall(Call, PC & 1))
    return false;
  ArrayRef<uint8_t> Prologue = Code(Begin, Here);
  return Prologue.empty() != (Begin == Here) ||
         !Rules.find(Rules.ReturnAddress) || pushesArmLinkRegister(Prologue);
}

/// Steps by \p Rules that are valid only at calls when the thread is elsewhere:
/// the frame may not exist yet or any more, as the code shows. \p Rules are a
/// copy, because stepByCall() looks up other addresses.
bool Unwinder::Walk::stepAwayFromCall(UnwindRules Rules, uint64_t Begin) {
  return stepByCall() || stepByRules(Rules, Begin);
}

/// At the beginning of a function, all registers are as its caller left them.
bool Unwinder::Walk::stepByLinkRegister() {
  std::optional<uint64_t> PC = Now.get(Machine.RA);
  if (!PC || !isCode((*PC & ~uint64_t(1)) - 1))
    return end(StackEnd::NoRows, Now.PC);
  RegisterSet Caller = Now;
  Caller.forget(Machine.RA);
  return finish(Caller, *PC, FrameTrust::Scan);
}

/// Whether the caller, at \p PC, may have the stack pointer of the current
/// frame.
bool Unwinder::Walk::mayKeepStackPointer(uint64_t PC, FrameTrust Trust) {
  if (++StackChanges > MaxStackChanges)
    return false;
  // An innermost function may have no frame. Where calls push the return
  // address, vfork has taken it from the stack, which its child uses.
  if (!IsReturnAddress && Trust == FrameTrust::CFI)
    return true;
  // A function that calls keeps the link register elsewhere than on the stack
  // only if a compiler outlined code. The caller may end with the call of the
  // function that follows.
  return !Machine.PushesReturnAddress && PC != Now.PC;
}

/// Adds the frame of \p Caller at \p PC, unless it is implausible.
bool Unwinder::Walk::finish(const RegisterSet &Caller, uint64_t PC,
                            FrameTrust Trust, CallerPlace Place) {
  const bool IsInterrupted = Place == CallerPlace::Interrupted;
  const bool WasCalled = !IsInterrupted && Place != CallerPlace::Faulted;
  PC = codeAddress(PC);
  // Code that a signal interrupted may have jumped to 0.
  if (PC == 0 && !IsInterrupted)
    return end(StackEnd::Complete, 0);
  uint64_t Before = sp(), After = Caller.get(Machine.SP).value_or(0);
  if (IsInterrupted || (Place == CallerPlace::AnyStack && After < Before)) {
    if (++StackChanges > MaxStackChanges)
      return end(StackEnd::Corrupt, PC);
  } else if (After < Before ||
             (After == Before && !mayKeepStackPointer(PC, Trust))) {
    return end(StackEnd::Corrupt, PC);
  }
  // A signal also interrupts code after a jump to a wrong address.
  if (WasCalled && !isCode(PC - 1) && !isTrampoline(PC))
    return end(StackEnd::Corrupt, PC);
  if (Options.TailCalls && WasCalled && Trust == FrameTrust::CFI) {
    addCalledName(PC);
    addTailCalls(PC);
    if (Stack.Frames.size() >= Options.MaxFrames)
      return end(StackEnd::TooLong, 0);
  }
  Now = Caller;
  Now.PC = PC;
  IsReturnAddress = WasCalled;
  Stack.End = StackEnd::Complete;
  Stack.FailedAddress = 0;
  addFrame(Trust);
  return true;
}

//===----------------------------------------------------------------------===//
// Without rules
//===----------------------------------------------------------------------===//

namespace {
/// The offsets, from the frame pointer, of the caller's saved frame pointer,
/// the return address and the caller's stack pointer.
struct FrameRecord {
  int64_t CallersFP;
  int64_t ReturnAddress;
  int64_t CallersSP;
};
} // namespace

/// None for machines whose compilers do not agree on a record.
static std::optional<FrameRecord> frameRecord(const UnwindMachine &M) {
  int64_t Word = M.WordSize;
  switch (M.ELFMachine) {
  case ELF::EM_X86_64:
  case ELF::EM_386:
  case ELF::EM_AARCH64:
    return FrameRecord{0, Word, 2 * Word};
  case ELF::EM_RISCV:
    return FrameRecord{-2 * Word, -Word, 0};
  default:
    return std::nullopt;
  }
}

/// The readable bytes of code at \p Address, at most \p Size.
SmallVector<uint8_t, 8> Unwinder::Walk::readCode(uint64_t Address,
                                                 size_t Size) {
  SmallVector<uint8_t, 8> Bytes(Size);
  size_t Count = Memory(masked(Address), Bytes);
  if (Count == 0)
    Count = U.Modules.readCode(masked(Address), Bytes);
  Bytes.resize(Count);
  return Bytes;
}

/// The target of the call before \p ReturnAddress, if its instruction contains
/// it.
std::optional<uint64_t> Unwinder::Walk::callTarget(uint64_t ReturnAddress) {
  if (ReturnAddress < BytesBefore || !isCode(ReturnAddress - 1))
    return std::nullopt;
  SmallVector<uint8_t, 8> Before =
      readCode(ReturnAddress - BytesBefore, BytesBefore);
  if (Before.size() != BytesBefore)
    return std::nullopt;
  return directCallTarget(Machine, ReturnAddress, Before);
}

/// Handles an innermost function without a frame (not yet, no longer, or
/// never), in which the frame pointer is its caller's. This is known from its
/// instructions, or if the return address, where a call puts it, follows a call
/// of this function.
bool Unwinder::Walk::stepByCall() {
  // Functions without calls, and so without a frame, are short.
  constexpr uint64_t LongestLeaf = 4096;
  SmallVector<uint8_t, 8> Before = readCode(Now.PC - BytesBefore, BytesBefore);
  ReturnPlace Where =
      returnPlaceAt(Machine, Before, readCode(Now.PC, BytesAfter));
  uint64_t Pushed = Where == ReturnPlace::BelowFP ? Machine.WordSize : 0;
  std::optional<uint64_t> PC = Machine.PushesReturnAddress
                                   ? readWord(sp() + Pushed)
                                   : Now.get(Machine.RA);
  if (!PC)
    return false;
  *PC = codeAddress(*PC);
  if (*PC == 0 || !isCode(*PC - 1))
    return false;
  // The target of the call before \p Address, if it may be this function.
  auto FunctionCalledAt = [&](uint64_t Address) -> std::optional<uint64_t> {
    std::optional<uint64_t> Target = callTarget(Address);
    bool IsThis = Target && Now.PC - *Target < LongestLeaf &&
                  (Address < *Target || Address > Now.PC);
    return IsThis ? Target : std::nullopt;
  };
  if (Where == ReturnPlace::Unknown) {
    std::optional<uint64_t> FP = Now.get(Machine.FP);
    std::optional<uint64_t> ByFP =
        FP ? readWord(*FP + Machine.WordSize) : std::nullopt;
    std::optional<uint64_t> Called = FunctionCalledAt(*PC);
    // An empty optional is less than any value.
    if (!Called || (ByFP && FunctionCalledAt(codeAddress(*ByFP)) >= Called))
      return false;
  }
  RegisterSet Caller;
  Caller.set(Machine.SP,
             sp() + Pushed +
                 (Machine.PushesReturnAddress ? Machine.WordSize : 0));
  std::optional<uint64_t> FP = Pushed ? readWord(sp()) : Now.get(Machine.FP);
  if (FP)
    Caller.set(Machine.FP, *FP);
  return finish(Caller, *PC, FrameTrust::Scan);
}

/// Handles code from which a short way leads to a return: what it undoes is
/// what the function has done to the stack.
bool Unwinder::Walk::stepByEpilogue() {
  std::optional<Epilogue> E =
      readEpilogue(Machine, readCode(Now.PC, BytesOfEpilogue));
  return E && takeWayOut(*E, /*FollowsCall=*/IsReturnAddress);
}

/// Handles code in the file of a module, over branches and calls. Compilers
/// leave no other trace of the frame in code that is built without rows and
/// without frame pointers, such as musl.
bool Unwinder::Walk::stepByWaysOut() {
  if (!U.KnownWaysOut)
    U.KnownWaysOut = std::make_unique<WaysOut>(U.Modules);
  for (const Epilogue &E : U.KnownWaysOut->from(Machine, Now.PC))
    if (takeWayOut(E, /*FollowsCall=*/true))
      return true;
  return false;
}

/// Steps to the caller by what \p E undoes. After a call that does not return
/// there may be another function: with \p FollowsCall, the return address must
/// follow a call.
bool Unwinder::Walk::takeWayOut(const Epilogue &E, bool FollowsCall) {
  std::optional<uint64_t> Base = Now.get(E.FromFP ? Machine.FP : Machine.SP);
  if (!Base || *Base < sp())
    return false;
  std::optional<uint64_t> PC =
      E.ReturnAddress ? readWord(*Base + uint64_t(*E.ReturnAddress))
                      : Now.get(Machine.RA);
  if (!PC || *PC == 0 || !isCode(codeAddress(*PC) - 1))
    return false;
  if (FollowsCall &&
      !endsWithCall(Machine,
                    readCode(codeAddress(*PC) - BytesBefore, BytesBefore)))
    return false;
  RegisterSet Caller = preserved();
  for (const auto &[Register, Offset] : E.Loads)
    if (std::optional<uint64_t> Value = readWord(*Base + uint64_t(Offset)))
      Caller.set(Register, *Value);
  Caller.set(Machine.SP, *Base + uint64_t(E.CallersSP));
  return finish(Caller, *PC, FrameTrust::Scan);
}

/// Sets the frame pointer, if it is not known, to the first place above the
/// stack pointer with a return address to the caller of this function. It is
/// not known in threads that could not be stopped.
bool Unwinder::Walk::findFramePointer() {
  constexpr uint64_t LongestFunction = 1 << 16;
  std::optional<FrameRecord> Record = frameRecord(Machine);
  if (!Record || Now.has(Machine.FP))
    return false;
  for (unsigned I = 0; I != WordsToScan; ++I) {
    uint64_t At = sp() + I * Machine.WordSize;
    std::optional<uint64_t> PC = readWord(At + uint64_t(Record->ReturnAddress));
    if (!PC)
      return false;
    *PC = codeAddress(*PC);
    if (*PC < BytesBefore || !U.rulesAt(*PC - 1).Rules ||
        !endsWithCall(Machine, readCode(*PC - BytesBefore, BytesBefore)))
      continue;
    std::optional<uint64_t> Target = callTarget(*PC);
    if (Target && (*Target > Now.PC || Now.PC - *Target > LongestFunction))
      continue;
    Now.set(Machine.FP, At);
    return true;
  }
  return false;
}

/// For code of just-in-time compilers, and assembly. Registers are assumed to
/// be as the function found them.
bool Unwinder::Walk::stepByFramePointer(FrameTrust Trust) {
  std::optional<FrameRecord> Record = frameRecord(Machine);
  std::optional<uint64_t> FP = Now.get(Machine.FP);
  if (!Record || !FP || *FP % Machine.WordSize || *FP < sp())
    return false;
  std::optional<uint64_t> Next = readWord(*FP + uint64_t(Record->CallersFP));
  std::optional<uint64_t> PC = readWord(*FP + uint64_t(Record->ReturnAddress));
  if (!Next || !PC)
    return false;
  RegisterSet Caller = preserved();
  Caller.set(Machine.SP, *FP + uint64_t(Record->CallersSP));
  Caller.set(Machine.FP, *Next);
  return finish(Caller, *PC, Trust);
}

/// Handles a jump or call to an address without code: a call has left the
/// return address in its usual place.
bool Unwinder::Walk::stepFromNowhere() {
  RegisterSet Caller = Now;
  std::optional<uint64_t> PC;
  if (Machine.PushesReturnAddress) {
    PC = readWord(sp());
    Caller.set(Machine.SP, sp() + Machine.WordSize);
  } else {
    PC = Now.get(Machine.RA);
  }
  if (!PC || !isCode(codeAddress(*PC) - 1))
    return false;
  return finish(Caller, *PC, FrameTrust::Scan);
}

/// Takes the first word on the stack that is an address after code with rows,
/// and so may be a return address.
bool Unwinder::Walk::stepByScan() {
  for (unsigned I = 0; I != WordsToScan; ++I) {
    uint64_t At = sp() + I * Machine.WordSize;
    std::optional<uint64_t> PC = readWord(At);
    if (!PC)
      return false;
    if (!U.rulesAt(codeAddress(*PC) - 1).Rules)
      continue;
    RegisterSet Caller;
    Caller.set(Machine.SP, At + Machine.WordSize);
    if (std::optional<uint64_t> FP = Now.get(Machine.FP))
      Caller.set(Machine.FP, *FP);
    if (!finish(Caller, *PC, FrameTrust::Scan))
      return false;
    Stack.Frames.back().IsGuess = true;
    return true;
  }
  return false;
}

UnwoundStack Unwinder::unwind(const RegisterSet &Context, ReadMemory Read,
                              const UnwindOptions &Options) {
  return Walk(*this, Context, Read, Options).run();
}

} // namespace lidia
