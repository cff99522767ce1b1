//===- KeptCore.cpp - A core that can be read once ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptCore.h"
#include "Modules/ELFHeaders.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstring>
#include <set>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

size_t KeptBytes::read(uint64_t Offset, MutableArrayRef<uint8_t> To) const {
  size_t Done = 0;
  while (Done != To.size()) {
    const uint64_t At = Offset + Done;
    const uint64_t Rest = To.size() - Done;
    size_t Count = 0;
    if (auto After = Parts.upper_bound(At); After != Parts.begin()) {
      const auto &[Begin, Bytes] = *std::prev(After);
      if (At - Begin < Bytes.size()) {
        Count = std::min<uint64_t>(Rest, Bytes.size() - (At - Begin));
        std::memcpy(To.data() + Done, Bytes.data() + (At - Begin), Count);
      }
    }
    if (auto After = Zeros.upper_bound(At);
        Count == 0 && After != Zeros.begin() && At < std::prev(After)->second) {
      Count = std::min(Rest, std::prev(After)->second - At);
      std::memset(To.data() + Done, 0, Count);
    }
    if (Count == 0)
      break;
    Done += Count;
  }
  return Done;
}

uint64_t KeptBytes::add(uint64_t Offset, std::vector<uint8_t> Bytes) {
  constexpr size_t Page = 4096;
  auto IsZero = [&](size_t At) {
    size_t Size = std::min(Page, Bytes.size() - At);
    return Bytes[At] == 0 &&
           std::memcmp(&Bytes[At], &Bytes[At] + 1, Size - 1) == 0;
  };
  uint64_t Kept = 0;
  for (size_t At = 0; At != Bytes.size();) {
    const bool AreZeros = IsZero(At);
    size_t End = At;
    while (End != Bytes.size() && IsZero(End) == AreZeros)
      End = std::min(End + Page, Bytes.size());
    if (AreZeros) {
      Zeros[Offset + At] = Offset + End;
    } else {
      Kept += End - At;
      std::vector<uint8_t> &Part = Parts[Offset + At];
      if (End - At == Bytes.size()) {
        Part = std::move(Bytes);
        break;
      }
      Part.assign(Bytes.begin() + ptrdiff_t(At),
                  Bytes.begin() + ptrdiff_t(End));
    }
    At = End;
  }
  return Kept;
}

uint64_t KeptBytes::size() const {
  uint64_t Sum = 0;
  for (const auto &Part : Parts)
    Sum += Part.second.size();
  return Sum;
}

//===----------------------------------------------------------------------===//
// What to keep
//===----------------------------------------------------------------------===//

namespace {

/// A run of bytes of the core.
struct Wanted {
  uint64_t Offset;
  uint64_t End;
  /// Whether it is kept only as far as there is room when it is read.
  bool IsLimited = false;

  uint64_t size() const { return End - Offset; }
};

class Keeper {
public:
  Keeper(OpenStream Open, bool IsOnce, uint64_t Max, std::string Name)
      : Open(Open), IsOnce(IsOnce), Max(Max), Name(std::move(Name)) {
    Result.Bytes = std::make_unique<KeptBytes>();
  }

  Expected<KeptCore> run();

private:
  Error keep(uint64_t Offset, uint64_t End);
  Error skipTo(uint64_t Offset);
  Error open();
  Error keepHeaders();
  Error keepNotes();
  Error planMemory();
  bool isDumped(uint64_t Address) const;
  std::vector<uint64_t> stacksIn(const ELFSegment &S, uint64_t Size,
                                 ArrayRef<uint64_t> SPs) const;
  void planStacks(const CoreFile &Core);
  void planSmall();
  Error keepPlan();
  bool add(uint64_t Offset, uint64_t Size);

  const OpenStream Open;
  const bool IsOnce;
  std::unique_ptr<ByteStream> In;
  /// How many more bytes may be kept.
  uint64_t Max;
  const std::string Name;
  KeptCore Result;
  /// The position of the stream.
  uint64_t Position = 0;
  /// Everything before this is kept.
  uint64_t Floor = 0;
  bool IsAtEnd = false;
  /// Whether the notes come after memory that is read once.
  bool NotesAreLate = false;
  ELFHeaders Headers;
  std::vector<Wanted> Plan;
  /// The dumped sizes of segments by their addresses.
  std::map<uint64_t, uint64_t> Dumped;
  /// The offsets of segments with stacks.
  std::set<uint64_t> HasStack;
};

/// Refers to bytes.
class BytesReference final : public ByteReader {
public:
  explicit BytesReference(const ByteReader &Bytes) : Bytes(Bytes) {}
  size_t read(uint64_t Offset, MutableArrayRef<uint8_t> To) const override {
    return Bytes.read(Offset, To);
  }

private:
  const ByteReader &Bytes;
};

} // namespace

/// Reads up to \p End, and keeps what is at \p Offset and after it.
Error Keeper::keep(uint64_t Offset, uint64_t End) {
  if (Error E = skipTo(Offset))
    return E;
  constexpr uint64_t Piece = 1 << 20;
  while (Position < End && Position >= Offset && !IsAtEnd) {
    uint64_t Begin = Position;
    std::vector<uint8_t> Bytes(
        std::min({Piece, End - Position, std::max<uint64_t>(Max, 1)}));
    size_t Done = 0;
    while (Done != Bytes.size() && !IsAtEnd) {
      Expected<size_t> Got = In->read(MutableArrayRef(Bytes).drop_front(Done));
      if (!Got)
        return Got.takeError();
      IsAtEnd = *Got == 0;
      Done += *Got;
    }
    Position += Done;
    Bytes.resize(Done);
    Bytes.shrink_to_fit();
    Max -= std::min(Max, Result.Bytes->add(Begin, std::move(Bytes)));
    if (Max == 0)
      break;
  }
  return Error::success();
}

Error Keeper::skipTo(uint64_t Offset) {
  if (Position >= Offset)
    return Error::success();
  std::vector<uint8_t> Unused(
      std::min<uint64_t>(256 * 1024, Offset - Position));
  while (Position < Offset && !IsAtEnd) {
    Expected<size_t> Got = In->read(MutableArrayRef(Unused).take_front(
        std::min<uint64_t>(Unused.size(), Offset - Position)));
    if (!Got)
      return Got.takeError();
    IsAtEnd = *Got == 0;
    Position += *Got;
  }
  return Error::success();
}

/// Opens the core again at its beginning.
Error Keeper::open() {
  Position = 0;
  IsAtEnd = false;
  Expected<std::unique_ptr<ByteStream>> Opened = Open();
  if (!Opened)
    return Opened.takeError();
  In = std::move(*Opened);
  return Error::success();
}

/// Keeps the headers, which are at the beginning.
Error Keeper::keepHeaders() {
  // The ELF header says where the program headers are.
  constexpr uint64_t FirstPage = 4096;
  if (Error E = keep(0, FirstPage))
    return E;
  if (Position == 0)
    return make_error<DamagedError>(Name, "is empty or cut off");
  Expected<ELFHeaders> First = readELFHeaders(*Result.Bytes, Name);
  if (!First)
    return First.takeError();
  if (First->Identity.Type != ELF::ET_CORE)
    return make_error<UnsupportedError>(Name, "an ELF file, but not a core");
  // Linux and gdb put the notes right after the headers.
  uint64_t End = UINT64_MAX;
  for (const ELFSegment &S : First->Segments)
    if (S.Type == ELF::PT_NOTE || S.FileSize != 0)
      End = std::min(End, S.Offset);
  if (Error E = keep(Position, std::max(End, FirstPage)))
    return E;
  Expected<ELFHeaders> All = readELFHeaders(*Result.Bytes, Name);
  if (!All)
    return All.takeError();
  Headers = std::move(*All);
  Floor = Position;
  return Error::success();
}

/// A segment's dumped bytes.
static uint64_t dumpedSize(const ELFSegment &S) {
  if (S.Type != ELF::PT_LOAD)
    return 0;
  return std::min({S.FileSize, S.MemorySize, UINT64_MAX - S.Offset,
                   UINT64_MAX - S.Address});
}

Error Keeper::keepNotes() {
  uint64_t FirstMemory = UINT64_MAX;
  for (const ELFSegment &S : Headers.Segments)
    if (dumpedSize(S) != 0)
      FirstMemory = std::min(FirstMemory, S.Offset);
  bool AreLate = false;
  for (const ELFSegment &S : Headers.Segments) {
    if (S.Type != ELF::PT_NOTE || S.FileSize > UINT64_MAX - S.Offset)
      continue;
    AreLate |= S.Offset > FirstMemory;
    if (AreLate && IsOnce)
      NotesAreLate |= add(S.Offset, S.FileSize);
    else if (Error E =
                 keep(std::max(S.Offset, Position), S.Offset + S.FileSize))
      return E;
  }
  if (!AreLate)
    Floor = std::max(Floor, Position);
  return AreLate && !IsOnce ? open() : Error::success();
}

/// Plans to keep \p Size bytes at \p Offset, if there is room.
bool Keeper::add(uint64_t Offset, uint64_t Size) {
  if (Size > Max)
    return false;
  Plan.push_back({Offset, Offset + Size});
  Max -= Size;
  return true;
}

/// The stack pointers of \p Core, ascending.
static std::vector<uint64_t> stackPointers(const CoreFile &Core) {
  std::vector<uint64_t> SPs;
  for (const ThreadState &T : Core.threads())
    if (T.HasRegisters && Core.machine())
      SPs.push_back(T.Registers.get(Core.machine()->SP).value_or(0));
  llvm::sort(SPs);
  SPs.erase(std::unique(SPs.begin(), SPs.end()), SPs.end());
  return SPs;
}

/// Whether the memory at \p Address was dumped.
bool Keeper::isDumped(uint64_t Address) const {
  auto After = Dumped.upper_bound(Address);
  return After != Dumped.begin() &&
         Address - std::prev(After)->first < std::prev(After)->second;
}

/// The offsets in the segment \p S, whose dumped bytes are \p Size, above which
/// stacks are; ascending. \p SPs are all stack pointers.
std::vector<uint64_t> Keeper::stacksIn(const ELFSegment &S, uint64_t Size,
                                       ArrayRef<uint64_t> SPs) const {
  // After a stack overflow, the stack pointer is below the stack.
  constexpr uint64_t Guard = 64 * 1024;
  std::vector<uint64_t> Offsets;
  const uint64_t *SP =
      llvm::lower_bound(SPs, S.Address - std::min(S.Address, Guard));
  for (; SP != SPs.end() && *SP < S.Address; ++SP)
    // The stack below may end in the guard's place.
    if (Offsets.empty() && !isDumped(*SP))
      Offsets.push_back(0);
  for (; SP != SPs.end() && *SP - S.Address < Size; ++SP)
    Offsets.push_back(*SP - S.Address);
  return Offsets;
}

/// The largest size of a stack with which \p Stacks are not larger than
/// \p Max together.
static uint64_t fairSize(ArrayRef<Wanted> Stacks, uint64_t Max) {
  std::vector<uint64_t> Sizes;
  for (const Wanted &W : Stacks)
    Sizes.push_back(W.size());
  llvm::sort(Sizes);
  for (size_t I = 0; I != Sizes.size(); ++I) {
    uint64_t Each = Max / (Sizes.size() - I);
    if (Sizes[I] > Each)
      return Each;
    Max -= Sizes[I];
  }
  return UINT64_MAX;
}

/// Plans to keep the memory above each stack pointer, up to the next one or to
/// the end of the segment, and the program's initial stack.
void Keeper::planStacks(const CoreFile &Core) {
  // A leaf function may use the red zone below its stack pointer.
  constexpr uint64_t RedZone = 512, LargestStack = 16 << 20;
  for (const ELFSegment &S : Headers.Segments)
    if (uint64_t Size = dumpedSize(S))
      Dumped[S.Address] = std::max(Dumped[S.Address], Size);
  std::vector<uint64_t> SPs = stackPointers(Core);
  std::vector<Wanted> Stacks;
  for (const ELFSegment &S : Headers.Segments) {
    uint64_t Size = dumpedSize(S);
    if (Size == 0)
      continue;
    std::vector<uint64_t> Offsets = stacksIn(S, Size, SPs);
    if (Offsets.empty() && Core.firstStack() - S.Address < Size)
      Offsets.push_back(Size - std::min(Size, LargestStack));
    if (Offsets.empty())
      continue;
    HasStack.insert(S.Offset);
    for (size_t I = 0; I != Offsets.size(); ++I) {
      auto Begin = [&](size_t Of) {
        return Offsets[Of] - std::min(Offsets[Of], RedZone);
      };
      uint64_t End = I + 1 == Offsets.size() ? Size : Begin(I + 1);
      End = std::min(End, Begin(I) + LargestStack);
      if (Begin(I) < End)
        Stacks.push_back({S.Offset + Begin(I), S.Offset + End});
    }
  }
  uint64_t Each = fairSize(Stacks, Max);
  for (const Wanted &W : Stacks) {
    Result.StacksShortened |= W.size() > Each;
    add(W.Offset, std::min(W.size(), Each));
  }
}

/// Plans to keep the first page of files, the vdso, and writable memory, the
/// smallest pieces first.
void Keeper::planSmall() {
  constexpr uint64_t Page = 4096, LargestImage = 64 * 1024;
  constexpr uint64_t LargestData = 16 << 20;
  std::vector<Wanted> Data;
  for (const ELFSegment &S : Headers.Segments) {
    uint64_t Size = dumpedSize(S);
    if (Size == 0 || HasStack.count(S.Offset))
      continue;
    if (!(S.Flags & ELF::PF_W))
      add(S.Offset, Size <= LargestImage ? Size : Page);
    else if (Size <= LargestData)
      Data.push_back({S.Offset, S.Offset + Size});
    else
      Result.LeftOut += Size;
  }
  llvm::sort(Data, [](const Wanted &A, const Wanted &B) {
    return std::make_pair(A.size(), A.Offset) <
           std::make_pair(B.size(), B.Offset);
  });
  for (const Wanted &W : Data)
    // How much of it is zeros turns out when it is read.
    if (NotesAreLate)
      Plan.push_back({W.Offset, W.End, /*IsLimited=*/true});
    else if (!add(W.Offset, W.size()))
      Result.LeftOut += W.size();
}

/// Keeps what was planned. What is left of the limit is for memory of which it
/// is not known how much is zeros.
Error Keeper::keepPlan() {
  uint64_t Rest = Max;
  for (const Wanted &W : Plan) {
    Max = W.IsLimited ? std::min(W.size(), Rest) : W.size();
    const uint64_t Before = Max;
    if (W.IsLimited && Max == 0) {
      Result.LeftOut += W.size();
      continue;
    }
    if (Error E = keep(std::max({Position, Floor, W.Offset}), W.End))
      return E;
    if (!W.IsLimited)
      continue;
    Rest -= Before - Max;
    if (Max == 0 && Position < W.End)
      Result.LeftOut += W.End - Position;
  }
  return Error::success();
}

/// Plans which parts of memory to keep, from the threads in the notes.
Error Keeper::planMemory() {
  Expected<std::unique_ptr<CoreFile>> Core =
      CoreFile::ofBytes(std::make_unique<BytesReference>(*Result.Bytes),
                        UINT64_MAX, Name, CoreOptions(), [](const Twine &) {});
  if (!Core)
    return Core.takeError();
  planStacks(**Core);
  planSmall();
  llvm::sort(Plan, [](const Wanted &A, const Wanted &B) {
    return std::make_pair(A.Offset, A.End) < std::make_pair(B.Offset, B.End);
  });
  return Error::success();
}

Expected<KeptCore> Keeper::run() {
  for (auto Step : {&Keeper::open, &Keeper::keepHeaders, &Keeper::keepNotes,
                    &Keeper::planMemory, &Keeper::keepPlan})
    if (Error E = (this->*Step)())
      return E;
  if (IsAtEnd)
    Result.CutAt = Position;
  return std::move(Result);
}

Expected<KeptCore> keepCore(OpenStream Open, bool IsOnce, uint64_t Max,
                            const Twine &Name) {
  return Keeper(Open, IsOnce, Max, Name.str()).run();
}

} // namespace lidia
