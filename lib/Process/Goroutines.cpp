//===- Goroutines.cpp - The goroutines of a Go program --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// struct g begins with the same fields in all versions since Go 1.11, in
/// words:
///
///     0  stack, where it begins and ends
///     6  m, the thread that runs it
///     7  sched: sp, pc, g (the pointer to itself), ctxt, ret (before Go
///        1.25), lr, bp
///        syscallsp, syscallpc, syscallbp (from Go 1.23 on), stktopsp, param
///        status and a lock (32 bits each), ID (64 bits)
///        schedlink, time since it waits (64 bits), reason (a byte)
///        ...
///        ID of the creator (64 bits, from Go 1.21 on), PC of the go statement,
///        ancestors, PC of its function
///
//===----------------------------------------------------------------------===//

#include "lidia/Process/Goroutines.h"
#include "lidia/Error.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include <ctime>

using namespace llvm;

namespace lidia {

// Words of struct g.
constexpr unsigned BeginOfStack = 0, EndOfStack = 1, TheM = 6, FirstSaved = 7,
                   SavedPC = 8, Self = 9;
/// Words that are read of it.
constexpr unsigned WordsOfG = 96;

/// What Go adds to a status while it scans the stack.
constexpr uint32_t ScanBit = 0x1000;
constexpr uint32_t Running = 2, InSyscall = 3, IsWaiting = 4, Dead = 6,
                   Leaked = 10, DeadExtra = 11;

/// IDs are assigned in sequence, and structs are reused.
constexpr uint64_t MaxID = uint64_t(1) << 48;

/// Variables of a program that are searched, in bytes.
constexpr uint64_t MaxVariables = uint64_t(256) << 20;

/// A struct g, and where its fields are.
class GoroutineReader::Struct {
public:
  Struct(const GoroutineReader &R, uint64_t Address)
      : Address(Address), R(&R), Bytes(size_t(WordsOfG) * R.Word) {}

  /// The word at the byte \p Offset.
  uint64_t at(unsigned Offset) const {
    return R->number(Bytes, Offset, R->Word);
  }
  uint64_t word(unsigned Index) const { return at(Index * R->Word); }
  uint64_t longAt(unsigned Offset) const { return R->number(Bytes, Offset, 8); }

  // By the layout of R.
  unsigned syscallSP() const { return R->TheLayout.SyscallSP; }
  unsigned topSP() const {
    return syscallSP() + (R->TheLayout.HasSyscallFP ? 3 : 2) * R->Word;
  }
  unsigned statusAt() const { return topSP() + 2 * R->Word; }
  uint32_t status() const { return R->number(Bytes, statusAt(), 4) & ~ScanBit; }
  uint64_t lock() const { return R->number(Bytes, statusAt() + 4, 4); }
  bool isScanned() const { return R->number(Bytes, statusAt(), 4) & ScanBit; }
  uint64_t id() const { return longAt(statusAt() + 8); }
  uint64_t waitSince() const { return longAt(statusAt() + 16 + R->Word); }
  unsigned waitReasonAt() const { return statusAt() + 24 + R->Word; }
  uint8_t waitReason() const { return Bytes[waitReasonAt()]; }
  bool isDead() const { return status() == Dead || status() == DeadExtra; }
  bool hasOnStack(uint64_t SP) const {
    return SP > word(BeginOfStack) && SP <= word(EndOfStack);
  }

  uint64_t Address;

private:
  friend class GoroutineReader;

  const GoroutineReader *R;
  std::vector<uint8_t> Bytes;
};

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t GoroutineReader::number(ArrayRef<uint8_t> Bytes, size_t At,
                                 unsigned Size) const {
  if (At + Size > Bytes.size())
    return 0;
  auto Order = Machine->IsLittleEndian ? endianness::little : endianness::big;
  if (Size == 4)
    return support::endian::read<uint32_t>(Bytes.data() + At, Order);
  return support::endian::read<uint64_t>(Bytes.data() + At, Order);
}

std::optional<uint64_t> GoroutineReader::wordAt(uint64_t Address) const {
  uint8_t Bytes[8] = {};
  MutableArrayRef<uint8_t> To(Bytes, Word);
  if (Space->readMemory(Address, To) != Word)
    return std::nullopt;
  return number(To, 0, Word);
}

/// Reads constants, which a core leaves to the file.
bool GoroutineReader::readConstant(uint64_t Address,
                                   MutableArrayRef<uint8_t> To) const {
  if (Space->readMemory(Address, To) == To.size())
    return true;
  const MappingList &List = Space->mappings();
  const Mapping *M = List.find(Address);
  if (!M || M->Writable || M->IsImage ||
      List.file(*M).Type != MappedFile::Kind::File)
    return false;
  std::shared_ptr<const LoadedModule> &Module = Modules[M->File];
  if (!Module)
    Module = std::make_shared<const LoadedModule>(Space->load(*M));
  return Module->File &&
         Module->File->readAll(Address - M->Begin + M->Offset, To);
}

std::string GoroutineReader::textAt(uint64_t Address, uint64_t Size) const {
  constexpr uint64_t Longest = 64;
  std::vector<uint8_t> Bytes(std::min(Size, Longest));
  if (Size > Longest || !readConstant(Address, Bytes))
    return "";
  return std::string(Bytes.begin(), Bytes.end());
}

bool GoroutineReader::isCode(uint64_t Address) const {
  const Mapping *M = Space->mappings().find(Address);
  return M && M->Executable;
}

bool GoroutineReader::isGoroutine(uint64_t Address) const {
  return Address != 0 && Address % Word == 0 &&
         wordAt(Address + uint64_t(Self) * Word) == Address;
}

std::optional<GoroutineReader::Struct>
GoroutineReader::readStruct(uint64_t Address) const {
  if (Address == 0 || Address % Word != 0)
    return std::nullopt;
  Struct G(*this, Address);
  // The last one may be at the end of memory.
  Space->readMemory(Address, G.Bytes);
  if (G.word(Self) != Address)
    return std::nullopt;
  return G;
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

bool GoroutineReader::isList(const Slice &S) const {
  const Mapping *M = Space->mappings().find(S.Address);
  if (!M || !M->Writable || S.Count > (M->End - S.Address) / Word)
    return false;
  for (uint64_t Index : {uint64_t(0), S.Count - 1}) {
    std::optional<uint64_t> G = wordAt(S.Address + Index * Word);
    if (!G || !isGoroutine(*G))
      return false;
  }
  return true;
}

/// Looks for runtime.allgs and runtime.waitReasonStrings. Of several lists, as
/// copies that the garbage collector has made, the longest is the right one.
void GoroutineReader::searchIn(uint64_t Begin, uint64_t End) {
  constexpr uint64_t Piece = 1 << 16;
  std::vector<uint8_t> Bytes;
  for (uint64_t At = Begin; At < End; At += Piece) {
    // A structure that begins in this piece may end in the next one.
    Bytes.resize(std::min(Piece + 4 * Word, End - At));
    Bytes.resize(Space->readMemory(At, Bytes));
    size_t Last = std::min<size_t>(Piece, Bytes.size());
    for (size_t I = 0; I + 3 * Word <= Bytes.size() && I < Last; I += Word) {
      uint64_t W[4] = {};
      for (unsigned J = 0; J != 4; ++J)
        W[J] = number(Bytes, I + J * Word, Word);
      bool IsSlice = W[0] % Word == 0 && W[1] > All.Count && W[1] <= W[2];
      if (IsSlice && isList({W[0], W[1]}))
        All = {W[0], W[1]};
      bool AreReasons = WaitReasons == 0 && W[1] == 17 && W[3] == 7;
      if (AreReasons && textAt(W[0], 17) == "GC assist marking" &&
          textAt(W[2], 7) == "IO wait")
        WaitReasons = At + I - 2 * Word;
    }
  }
}

/// Searches the variables of all modules: what they have mapped from their
/// files, and the memory without a file that follows.
void GoroutineReader::searchVariables() {
  const MappingList &List = Space->mappings();
  uint64_t Left = MaxVariables, End = 0;
  for (const Mapping &M : List.mappings()) {
    const MappedFile &File = List.file(M);
    bool IsOfFile = File.Type == MappedFile::Kind::File && !M.Shared;
    bool Follows = File.Type == MappedFile::Kind::Anonymous &&
                   File.Path.empty() && M.Begin == End;
    if (M.Executable || !M.Readable || !(IsOfFile || Follows))
      continue;
    End = M.End;
    if (!M.Writable)
      continue;
    uint64_t Size = std::min(M.End - M.Begin, Left);
    Left -= Size;
    searchIn(M.Begin, M.Begin + Size);
  }
}

/// The addresses of the goroutines in the list that contain a pointer to
/// themselves, without duplicates.
std::vector<uint64_t> GoroutineReader::addresses() const {
  std::vector<uint64_t> Result;
  DenseSet<uint64_t> Known;
  constexpr uint64_t Piece = 1 << 13;
  std::vector<uint8_t> Bytes;
  for (uint64_t I = 0; I < All.Count; I += Piece) {
    Bytes.resize(std::min(Piece, All.Count - I) * Word);
    Bytes.resize(Space->readMemory(All.Address + I * Word, Bytes));
    for (size_t At = 0; At + Word <= Bytes.size(); At += Word) {
      uint64_t G = number(Bytes, At, Word);
      // DenseMap reserves two numbers.
      if (G != 0 && G % Word == 0 && Known.insert(G).second)
        Result.push_back(G);
    }
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

bool GoroutineReader::makesSense(const Struct &G) const {
  uint64_t Begin = G.word(BeginOfStack), End = G.word(EndOfStack);
  if (G.status() > DeadExtra || G.lock() > 1 || G.id() >= MaxID)
    return false;
  if (G.isDead())
    return true;
  uint64_t SyscallSP = G.at(G.syscallSP());
  return G.id() != 0 && Begin < End && G.hasOnStack(G.at(G.topSP())) &&
         (SyscallSP == 0 || G.hasOnStack(SyscallSP));
}

/// Finds the fields after the stack and the saved registers.
bool GoroutineReader::findLayout() {
  constexpr size_t Max = 1000;
  std::vector<Struct> Sample;
  for (uint64_t Address : addresses()) {
    if (Sample.size() == Max)
      break;
    if (std::optional<Struct> G = readStruct(Address))
      Sample.push_back(std::move(*G));
  }
  // The fields after them are at the same places in Go before 1.23 and from
  // 1.25 on, but the frame pointer is not.
  std::pair<size_t, size_t> Best;
  Layout BestLayout;
  for (unsigned SavedWords : {7, 6})
    for (bool HasSyscallFP : {false, true}) {
      TheLayout = {(FirstSaved + SavedWords) * Word, HasSyscallFP};
      DenseSet<uint64_t> IDs;
      std::pair<size_t, size_t> Good;
      for (const Struct &G : Sample) {
        if (!makesSense(G) || G.isDead() || !IDs.insert(G.id()).second)
          continue;
        ++Good.first;
        Good.second += G.hasOnStack(G.at(G.syscallSP() - Word));
      }
      if (Good > Best) {
        Best = Good;
        BestLayout = TheLayout;
      }
    }
  TheLayout = BestLayout;
  erase_if(Sample,
           [&](const Struct &G) { return !makesSense(G) || G.isDead(); });
  if (Best.first != 0)
    findCreator(Sample);
  return Best.first != 0;
}

/// Finds the address of the go statement, which two words before another
/// address of code.
void GoroutineReader::findCreator(ArrayRef<Struct> Sample) {
  unsigned First = Sample.front().waitReasonAt() + Word;
  for (unsigned At = First; At + 3 * Word <= WordsOfG * Word; At += Word) {
    size_t Good = count_if(Sample, [&](const Struct &G) {
      return isCode(G.at(At)) && !isCode(G.at(At + Word)) &&
             isCode(G.at(At + 2 * Word));
    });
    // A running goroutine may just be starting.
    if (Good * 10 < Sample.size() * 9)
      continue;
    TheLayout.CreatedAt = At;
    uint64_t Highest = 0;
    for (const Struct &G : Sample)
      Highest = std::max(Highest, G.id());
    auto Creator = [&](const Struct &G) { return G.longAt(At - 8); };
    if (all_of(Sample, [&](auto &G) { return Creator(G) <= Highest; }) &&
        any_of(Sample, [&](auto &G) { return Creator(G) != 0; }))
      TheLayout.Creator = At - 8;
    return;
  }
}

Expected<GoroutineReader> GoroutineReader::open(const AddressSpace &Space) {
  const UnwindMachine *Machine = Space.machine();
  if (!Machine)
    return make_error<UnsupportedError>(
        "", "goroutines: the machine of the program is not known");
  GoroutineReader R(Space, *Machine);
  R.searchVariables();
  if (R.All.Count == 0 || !R.findLayout())
    return make_error<MissingInformationError>(
        "", "no goroutines are found: the program is not of Go 1.11 or later, "
            "or the memory of its variables is missing");
  return R;
}

//===----------------------------------------------------------------------===//
// Goroutines
//===----------------------------------------------------------------------===//

std::string GoroutineReader::statusOf(const Struct &G) const {
  static constexpr StringLiteral Names[] = {
      "idle", "runnable", "running",   "syscall",   "waiting", "moribund",
      "dead", "enqueue",  "copystack", "preempted", "leaked",  "dead"};
  std::string Text = Names[std::min<uint32_t>(G.status(), DeadExtra)].str();
  bool Waits = G.status() == IsWaiting || G.status() == Leaked;
  if (Waits && G.waitReason() != 0 && WaitReasons != 0) {
    uint64_t At = WaitReasons + uint64_t(G.waitReason()) * 2 * Word;
    std::string Reason =
        textAt(wordAt(At).value_or(0), wordAt(At + Word).value_or(0));
    if (!Reason.empty())
      Text = Reason;
  }
  if (G.status() == Leaked)
    Text += " (leaked)";
  if (G.isScanned())
    Text += " (scan)";
  return Text;
}

/// The time since \p Since by the clock of this system; none if \p Since is
/// invalid.
static std::optional<uint64_t> timeSince(uint64_t Since) {
  struct timespec Now;
  if (Since == 0 || ::clock_gettime(CLOCK_MONOTONIC, &Now))
    return std::nullopt;
  uint64_t Nanoseconds =
      uint64_t(Now.tv_sec) * 1'000'000'000 + uint64_t(Now.tv_nsec);
  if (Nanoseconds < Since)
    return std::nullopt;
  return Nanoseconds - Since;
}

void GoroutineReader::setSaved(const Struct &From, Goroutine &G) const {
  unsigned EndOfSaved = From.syscallSP();
  uint64_t PC = From.word(SavedPC), SP = From.word(FirstSaved);
  uint64_t FP = From.at(EndOfSaved - Word);
  uint64_t LR = From.at(EndOfSaved - 2 * Word);
  if (From.status() == InSyscall && From.at(EndOfSaved) != 0) {
    SP = From.at(EndOfSaved);
    PC = From.at(EndOfSaved + Word);
    if (TheLayout.HasSyscallFP)
      FP = From.at(EndOfSaved + 2 * Word);
    LR = 0;
  }
  G.Saved.PC = PC;
  G.SavedSP = SP;
  G.Saved.set(Machine->SP, SP);
  G.Saved.set(Machine->FP, FP);
  if (!Machine->PushesReturnAddress && LR != 0)
    G.Saved.set(Machine->RA, LR);
  bool HasNotRun =
      TheLayout.CreatedAt && PC == From.at(TheLayout.CreatedAt + 2 * Word);
  G.SavedIsReturn = !HasNotRun;
}

std::optional<Goroutine> GoroutineReader::read(uint64_t Address) const {
  std::optional<Struct> From = readStruct(Address);
  if (!From || !makesSense(*From) || From->isDead())
    return std::nullopt;
  Goroutine G;
  G.ID = From->id();
  G.Address = Address;
  G.StackBegin = From->word(BeginOfStack);
  G.StackEnd = From->word(EndOfStack);
  G.IsRunning = From->status() == Running || From->status() == InSyscall;
  G.Status = statusOf(*From);
  if (Space->isLive() &&
      (From->status() == IsWaiting || From->status() == InSyscall))
    G.Waited = timeSince(From->waitSince());
  if (TheLayout.CreatedAt)
    G.CreatedAt = From->at(TheLayout.CreatedAt);
  if (TheLayout.Creator)
    G.Creator = From->longAt(TheLayout.Creator);
  setSaved(*From, G);
  if (!G.IsRunning)
    return G;
  // Of struct m: g0, registers, a number and a gap of 32 bits each.
  unsigned IDOfThread = Word + (From->syscallSP() - FirstSaved * Word) + 8;
  uint8_t Bytes[8];
  if (uint64_t M = From->word(TheM); M != 0)
    if (Space->readMemory(M + IDOfThread, Bytes) == sizeof(Bytes))
      G.Thread = number(Bytes, 0, 8);
  return G;
}

GoroutineList GoroutineReader::list() const {
  GoroutineList Result;
  std::vector<Goroutine> &List = Result.Goroutines;
  for (uint64_t Address : addresses()) {
    std::optional<Struct> From = readStruct(Address);
    if (From && makesSense(*From) && From->isDead())
      continue;
    if (std::optional<Goroutine> G = read(Address))
      List.push_back(std::move(*G));
    else
      ++Result.Damaged;
  }
  // Goroutines do not share stacks.
  std::vector<size_t> Order(List.size());
  for (size_t I = 0; I != Order.size(); ++I)
    Order[I] = I;
  llvm::sort(Order, [&](size_t A, size_t B) {
    return std::tie(List[A].StackBegin, A) < std::tie(List[B].StackBegin, B);
  });
  uint64_t End = 0;
  for (size_t I : Order) {
    if (List[I].StackBegin >= End) {
      End = List[I].StackEnd;
      continue;
    }
    List[I].ID = 0;
    ++Result.Damaged;
  }
  erase_if(List, [](const Goroutine &G) { return G.ID == 0; });
  return Result;
}

UnwoundStack GoroutineReader::unwind(Unwinder &U, const Goroutine &G,
                                     UnwindOptions Options) const {
  Options.IsReturnAddress = G.SavedIsReturn;
  auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) -> size_t {
    if (!G.hasOnStack(Address))
      return 0;
    return Space->readMemory(Address, To.take_front(std::min<uint64_t>(
                                          To.size(), G.StackEnd - Address)));
  };
  return U.unwind(G.Saved, Read, Options);
}

} // namespace lidia
