//===- Arm64UnwindCodes.cpp - Windows' unwind codes for ARM64 -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arm64UnwindCodes.h"
#include "DWARF/Cursor.h"
#include "FrameSearch.h"

using namespace llvm;

namespace lidia::unwindinfo {

using Kind = Arm64Step::Kind;
using dwarf::Cursor;

/// DWARF register numbers.
static constexpr uint32_t FramePointer = 29;
static constexpr uint32_t LinkRegister = 30;
static constexpr uint32_t StackPointer = 31;
static constexpr uint32_t ProgramCounter = 32;
static constexpr uint32_t VectorRegisters = 64;

/// The first registers that functions preserve.
static constexpr uint32_t FirstSaved = 19;
static constexpr uint32_t FirstVectorSaved = VectorRegisters + 8;

static constexpr int64_t Word = 8;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// A save of \p Count registers (one or two) at \p Offset from the stack
/// pointer.
static Arm64Step save(uint32_t First, unsigned Count, int64_t Offset) {
  Arm64Step S;
  for (unsigned I = 0; I != Count; ++I)
    S.Saved.push_back({First + I, Offset + I * Word});
  return S;
}

/// The same at the stack pointer, which the same instruction has moved by
/// \p Size.
static Arm64Step push(uint32_t First, unsigned Count, int64_t Size) {
  Arm64Step S = save(First, Count, 0);
  S.Move = Size;
  return S;
}

static Arm64Step move(int64_t By) {
  Arm64Step S;
  S.Move = By;
  return S;
}

static Arm64Step special(Kind What, int64_t Move = 0) {
  Arm64Step S = move(Move);
  S.Type = What;
  return S;
}

/// Codes 0xc8 to 0xde: saves of registers. The bits of both bytes tell which
/// registers, and where.
static std::optional<Arm64Step> saveStep(uint8_t Code, uint8_t Next) {
  // The register number has four bits, or three.
  const uint32_t Four = (Code & 3) << 2 | Next >> 6;
  const uint32_t Three = (Code & 1) << 2 | Next >> 6;
  const int64_t Offset = (Next & 0x3f) * Word, Size = Offset + Word;
  switch (Code & 0xfc) {
  case 0xc8: // save_regp
    return save(FirstSaved + Four, 2, Offset);
  case 0xcc: // save_regp_x
    return push(FirstSaved + Four, 2, Size);
  case 0xd0: // save_reg
    return save(FirstSaved + Four, 1, Offset);
  default:
    break;
  }
  switch (Code & 0xfe) {
  case 0xd4: // save_reg_x
    return push(FirstSaved + ((Code & 1) << 3 | Next >> 5), 1,
                ((Next & 0x1f) + 1) * Word);
  case 0xd6: { // save_lrpair
    Arm64Step S = save(FirstSaved + 2 * Three, 1, Offset);
    S.Saved.push_back({LinkRegister, Offset + Word});
    return S;
  }
  case 0xd8: // save_fregp
    return save(FirstVectorSaved + Three, 2, Offset);
  case 0xda: // save_fregp_x
    return push(FirstVectorSaved + Three, 2, Size);
  case 0xdc: // save_freg
    return save(FirstVectorSaved + Three, 1, Offset);
  default:
    break;
  }
  if (Code != 0xde) // save_freg_x
    return std::nullopt;
  return push(FirstVectorSaved + (Next >> 5), 1, ((Next & 0x1f) + 1) * Word);
}

/// Code 0xe7, save_any_reg.
static std::optional<Arm64Step> saveAny(uint8_t What, uint8_t Where) {
  const uint8_t Class = Where >> 6;
  const bool IsPair = What & 0x40, IsPush = What & 0x20;
  if (What & 0x80 || Class == 3)
    return std::nullopt;
  int64_t Unit = IsPair || IsPush || Class == 2 ? 2 * Word : Word;
  int64_t Offset = (Where & 0x3f) * Unit;
  uint32_t First = (What & 0x1f) + (Class == 0 ? 0 : VectorRegisters);
  if (Class == 0 && First + IsPair > LinkRegister)
    return std::nullopt;
  Arm64Step S = IsPush ? push(First, IsPair + 1, Offset + Unit)
                       : save(First, IsPair + 1, Offset);
  // A vector register of 16 bytes.
  if (Class == 2 && IsPair)
    S.Saved[1].second += Word;
  return S;
}

/// Reads the step of code \p Code. Codes that end a sequence of steps are
/// handled by the caller.
static std::optional<Arm64Step> readStep(uint8_t Code, Cursor &C) {
  if (Code < 0x20) // alloc_s
    return move(Code * 16);
  if (Code < 0x40) // save_r19r20_x
    return push(FirstSaved, 2, (Code & 0x1f) * Word);
  if (Code < 0x80) // save_fplr
    return save(FramePointer, 2, (Code & 0x3f) * Word);
  if (Code < 0xc0) // save_fplr_x
    return push(FramePointer, 2, ((Code & 0x3f) + 1) * Word);
  if (Code < 0xc8) // alloc_m
    return move(((Code & 7) << 8 | C.u8()) * 16);
  if (Code < 0xdf)
    return saveStep(Code, C.u8());
  switch (Code) {
  case 0xe0: { // alloc_l
    int64_t High = C.u8(), Middle = C.u8(), Low = C.u8();
    return move((High << 16 | Middle << 8 | Low) * 16);
  }
  case 0xe1: // set_fp
    return special(Kind::SetFrame);
  case 0xe2: // add_fp
    return special(Kind::SetFrame, -int64_t(C.u8()) * Word);
  case 0xe3: // nop
    return Arm64Step();
  case 0xe6:
    return special(Kind::SaveNext);
  case 0xe7: {
    uint8_t What = C.u8();
    return saveAny(What, C.u8());
  }
  case 0xe9:
    return special(Kind::MachineFrame);
  case 0xea:
    return special(Kind::Context);
  case 0xec: // clear_unwound_to_call
    return Arm64Step();
  case 0xfc: // pac_sign_lr
    return special(Kind::Sign);
  default:
    return std::nullopt;
  }
}

std::optional<Arm64Steps> Arm64Steps::read(StringRef Bytes) {
  constexpr uint8_t End = 0xe4, EndOfFragment = 0xe5;
  Arm64Steps Out;
  std::optional<size_t> OwnSteps;
  Cursor C(Bytes, /*LittleEndian=*/true);
  while (true) {
    uint8_t Code = C.u8();
    if (C.bad())
      return std::nullopt;
    if (Code == End)
      break;
    if (Code == EndOfFragment) {
      OwnSteps = OwnSteps.value_or(Out.Steps.size());
      continue;
    }
    std::optional<Arm64Step> Step = readStep(Code, C);
    if (!Step || C.bad())
      return std::nullopt;
    Out.Steps.push_back(std::move(*Step));
  }
  Out.OwnSteps = OwnSteps.value_or(Out.Steps.size());
  return Out;
}

//===----------------------------------------------------------------------===//
// Packed unwind data
//===----------------------------------------------------------------------===//

namespace {
/// Builds the steps of a prologue in the order in which it runs.
class PackedFrame {
public:
  explicit PackedFrame(uint32_t Packed)
      : VectorCount(Packed >> 13 & 7), Count(Packed >> 16 & 15),
        HasHome(Packed >> 20 & 1), Record(Packed >> 21 & 3),
        Size(int64_t(Packed >> 23) * 16) {
    // The field "RegF" is one less than the number of registers, except that 0
    // means none.
    VectorCount += VectorCount != 0;
  }

  std::optional<std::vector<Arm64Step>> run();

private:
  void add(Arm64Step S);
  void saveRegisters();
  void saveVectors();
  void allocate(int64_t Bytes);

  unsigned VectorCount;
  const unsigned Count;
  const bool HasHome;
  /// 1: the link register is saved; 2 and 3: so is the frame pointer; 2: the
  /// return address is signed.
  const unsigned Record;
  const int64_t Size;
  int64_t SavedSize = 0;
  /// The offset at which the next registers are saved.
  int64_t At = 0;
  std::vector<Arm64Step> Steps;
};
} // namespace

/// Adds a step that saves registers. The first one also allocates space for
/// all.
void PackedFrame::add(Arm64Step S) {
  if (At == 0)
    S.Move = SavedSize;
  At += int64_t(S.Saved.size()) * Word;
  Steps.push_back(std::move(S));
}

void PackedFrame::saveRegisters() {
  bool SavesLink = Record == 1;
  for (unsigned I = 0; I + 1 < Count; I += 2)
    add(save(FirstSaved + I, 2, At));
  if (Count & 1) {
    Arm64Step S = save(FirstSaved + Count - 1, 1, At);
    if (SavesLink)
      S.Saved.push_back({LinkRegister, At + Word});
    add(std::move(S));
  } else if (SavesLink) {
    add(save(LinkRegister, 1, At));
  }
}

void PackedFrame::saveVectors() {
  for (unsigned I = 0; I + 1 < VectorCount; I += 2)
    add(save(FirstVectorSaved + I, 2, At));
  if (VectorCount & 1)
    add(save(FirstVectorSaved + VectorCount - 1, 1, At));
}

void PackedFrame::allocate(int64_t Bytes) {
  constexpr int64_t MaxAtOnce = 4080;
  if (Bytes > MaxAtOnce)
    Steps.push_back(move(MaxAtOnce));
  if (Bytes)
    Steps.push_back(move(Bytes > MaxAtOnce ? Bytes - MaxAtOnce : Bytes));
}

std::optional<std::vector<Arm64Step>> PackedFrame::run() {
  constexpr int64_t HomeSize = 8 * Word, MaxWithRecord = 512;
  constexpr unsigned HomeSteps = 4, MaxRegisters = 10;
  SavedSize = int64_t(Count + (Record == 1) + VectorCount) * Word;
  SavedSize = (SavedSize + HasHome * HomeSize + 15) & ~int64_t(15);
  int64_t Local = Size - SavedSize;
  bool HasRecord = Record >= 2;
  if (Local < 0 || Count > MaxRegisters || (HasRecord && Local < 2 * Word))
    return std::nullopt;
  if (Record == 2)
    Steps.push_back(special(Kind::Sign));
  saveRegisters();
  saveVectors();
  for (unsigned I = 0; HasHome && I != HomeSteps; ++I)
    Steps.push_back(move(I == 0 && At == 0 ? SavedSize : 0));
  if (!HasRecord) {
    allocate(Local);
  } else if (Local <= MaxWithRecord) {
    Steps.push_back(push(FramePointer, 2, Local));
  } else {
    allocate(Local);
    Steps.push_back(save(FramePointer, 2, 0));
  }
  if (HasRecord)
    Steps.push_back(special(Kind::SetFrame));
  return std::move(Steps);
}

std::optional<Arm64Steps> Arm64Steps::fromPacked(uint32_t Packed) {
  std::optional<std::vector<Arm64Step>> Steps = PackedFrame(Packed).run();
  if (!Steps)
    return std::nullopt;
  Arm64Steps Out;
  Out.Steps.assign(std::make_move_iterator(Steps->rbegin()),
                   std::make_move_iterator(Steps->rend()));
  Out.OwnSteps = Out.Steps.size();
  return Out;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Takes the registers of \p Step and of the \p Pairs "save_next" codes before
/// it.
static bool takeSaved(const Arm64Step &Step, unsigned Pairs,
                      FrameSearch &Search) {
  FrameSearch::Place SP = Search.stackPointer();
  for (const auto &[Register, Offset] : Step.Saved)
    Search.save(Register, {SP.Register, SP.Offset + Offset});
  if (Pairs == 0)
    return true;
  // Pairs of general registers end with x28, and pairs of vector registers with
  // d15.
  if (Step.Saved.size() != 2)
    return false;
  auto [First, Offset] = Step.Saved.front();
  uint32_t Last = First < VectorRegisters ? FramePointer : FirstVectorSaved + 8;
  if (First + 2 * Pairs + 1 >= Last)
    return false;
  for (uint32_t I = 2; I != 2 * Pairs + 2; ++I)
    Search.save(First + I, {SP.Register, SP.Offset + Offset + I * Word});
  return true;
}

/// Takes all registers from Windows' structure CONTEXT.
static void takeContext(FrameSearch &Search) {
  constexpr int64_t General = 8, SP = 0x100, PC = 0x108;
  FrameSearch::Place At = Search.stackPointer();
  auto Place = [&](int64_t Offset) {
    return FrameSearch::Place{At.Register, At.Offset + Offset};
  };
  for (uint32_t I = 0; I <= LinkRegister; ++I)
    Search.save(I, Place(General + I * Word));
  Search.save(ProgramCounter, Place(PC));
  Search.loadStackPointer(Place(SP));
}

static void takeMachineFrame(FrameSearch &Search) {
  FrameSearch::Place At = Search.stackPointer();
  Search.save(ProgramCounter, {At.Register, At.Offset + Word});
  Search.loadStackPointer(At);
}

std::optional<UnwindRules> Arm64Steps::rules(size_t Skipped) const {
  FrameSearch Search(StackPointer);
  UnwindRules Rules;
  Rules.ReturnAddress = LinkRegister;
  unsigned Pairs = 0;
  for (const Arm64Step &Step : ArrayRef(Steps).drop_front(Skipped)) {
    bool IsGood = !Search.isLoaded();
    switch (Step.Type) {
    case Kind::Plain:
      IsGood = IsGood &&
               takeSaved(Step, Step.Saved.empty() ? 0 : Pairs, Search) &&
               Search.move(Step.Move);
      if (!Step.Saved.empty())
        Pairs = 0;
      break;
    case Kind::SetFrame:
      IsGood = Search.setStackPointer(FramePointer, Step.Move);
      break;
    case Kind::SaveNext:
      ++Pairs;
      break;
    case Kind::Sign:
      Rules.IsSigned = true;
      break;
    case Kind::MachineFrame:
    case Kind::Context:
      if (Step.Type == Kind::Context)
        takeContext(Search);
      else
        takeMachineFrame(Search);
      Rules.IsSignalFrame = true;
      Rules.ReturnAddress = ProgramCounter;
      break;
    }
    if (!IsGood)
      return std::nullopt;
  }
  if (Pairs != 0)
    return std::nullopt;
  Search.take(Rules);
  return Rules;
}

} // namespace lidia::unwindinfo
