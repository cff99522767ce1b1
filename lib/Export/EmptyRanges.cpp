//===- EmptyRanges.cpp - Empty ranges that LLDB accepts -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptyRanges.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>
#include <utility>

using namespace llvm;

namespace lidia {

namespace {

constexpr unsigned MaxRounds = 8;

struct Piece {
  uint64_t Start = 0;
  uint64_t End = 0;

  bool contains(uint64_t Address) const {
    return Start <= Address && Address < End;
  }
};

/// The ranges of the blocks that LLDB creates from calls, in LLDB's order.
class BlockRanges {
public:
  explicit BlockRanges(ArrayRef<InlinedCall> Calls)
      : Calls(Calls), Blocks(Calls.size()) {}

  /// Returns for each call whether LLDB would fail to find some of its code.
  /// True for all calls of a function with too many ranges to determine this.
  std::vector<bool> findLost();

private:
  uint32_t next(uint32_t Call) const;
  void addCall(uint32_t Call);
  void addRange(uint32_t Call, Piece P);
  void finalize(uint32_t Call);
  bool contains(uint32_t Call, Piece P) const;
  bool losesCode(uint32_t Call) const;

  ArrayRef<InlinedCall> Calls;
  std::vector<SmallVector<Piece, 2>> Blocks;
  /// The number of ranges that may still be added. A range may be added to each
  /// enclosing call, so this limits memory.
  size_t Room = 1 << 20;
};

} // namespace

/// RangeVector::FindEntryThatContains, for a range or, if \p P is empty, for an
/// address. The ranges may be unsorted.
bool BlockRanges::contains(uint32_t Call, Piece P) const {
  ArrayRef<Piece> Ranges = Blocks[Call];
  const Piece *Pos = partition_point(
      Ranges, [&](const Piece &R) { return R.Start < P.Start; });
  auto Holds = [&](const Piece &R) {
    return R.contains(P.Start) && P.End <= R.End;
  };
  return (Pos != Ranges.end() && Holds(*Pos)) ||
         (Pos != Ranges.begin() && Holds(Pos[-1]));
}

/// Block::AddRange.
void BlockRanges::addRange(uint32_t Call, Piece P) {
  for (; Call != InlinedCall::None; Call = Calls[Call].Parent) {
    if (!Room)
      return;
    --Room;
    Blocks[Call].push_back(P);
    uint32_t Parent = Calls[Call].Parent;
    if (Parent == InlinedCall::None || contains(Parent, P))
      return;
  }
}

/// Block::FinalizeRanges.
void BlockRanges::finalize(uint32_t Call) {
  SmallVectorImpl<Piece> &Ranges = Blocks[Call];
  sort(Ranges, [](const Piece &L, const Piece &R) {
    return std::tie(L.Start, L.End) < std::tie(R.Start, R.End);
  });
  size_t Kept = 0;
  for (Piece P : Ranges) {
    if (Kept && P.Start <= Ranges[Kept - 1].End)
      Ranges[Kept - 1].End = std::max(Ranges[Kept - 1].End, P.End);
    else
      Ranges[Kept++] = P;
  }
  Ranges.truncate(Kept);
}

/// Adds the ranges of \p Call in the order of the exported range list.
void BlockRanges::addCall(uint32_t Call) {
  if (Calls[Call].Start)
    addRange(Call, {*Calls[Call].Start, *Calls[Call].Start});
  for (const CallCode &C : Calls[Call].Code)
    addRange(Call, {C.Start, C.End});
  finalize(Call);
}

bool BlockRanges::losesCode(uint32_t Call) const {
  return any_of(Calls[Call].Code, [&](const CallCode &C) {
    return !contains(Call, {C.Start, C.Start}) ||
           !contains(Call, {C.End - 1, C.End - 1});
  });
}

/// The call after \p Call in the order of DIEs.
uint32_t BlockRanges::next(uint32_t Call) const {
  if (Calls[Call].FirstChild != InlinedCall::None)
    return Calls[Call].FirstChild;
  while (Call != InlinedCall::None &&
         Calls[Call].NextSibling == InlinedCall::None)
    Call = Calls[Call].Parent;
  return Call == InlinedCall::None ? Call : Calls[Call].NextSibling;
}

std::vector<bool> BlockRanges::findLost() {
  for (uint32_t I = 0; I != InlinedCall::None && Room; I = next(I))
    addCall(I);
  std::vector<bool> Lost(Calls.size(), !Room);
  for (uint32_t I = 0; Room && I != Calls.size(); ++I)
    Lost[I] = losesCode(I);
  return Lost;
}

/// Whether LLDB adds the start of \p Call to the enclosing call.
static bool isAddedToParent(ArrayRef<InlinedCall> Calls,
                            const InlinedCall &Call) {
  if (!Call.Start || Call.Parent == InlinedCall::None)
    return false;
  ArrayRef<CallCode> Code = Calls[Call.Parent].Code;
  const CallCode *Behind = partition_point(
      Code, [&](const CallCode &C) { return C.Start <= *Call.Start; });
  return Behind == Code.begin() || *Call.Start >= Behind[-1].End;
}

/// Sets FirstChild and NextSibling of all calls from their parents.
static void linkSiblings(MutableArrayRef<InlinedCall> Calls) {
  for (InlinedCall &Call : Calls)
    Call.FirstChild = Call.NextSibling = InlinedCall::None;
  uint32_t FirstOuter = InlinedCall::None;
  for (uint32_t I = Calls.size(); I-- != 0;) {
    uint32_t Parent = Calls[I].Parent;
    uint32_t &First =
        Parent == InlinedCall::None ? FirstOuter : Calls[Parent].FirstChild;
    Calls[I].NextSibling = std::exchange(First, I);
  }
}

void moveEmptyCalls(MutableArrayRef<InlinedCall> Calls) {
  bool Moved = false;
  for (InlinedCall &Call : Calls)
    while (Call.Code.empty() && isAddedToParent(Calls, Call)) {
      Call.Parent = Calls[Call.Parent].Parent;
      Moved = true;
    }
  if (Moved)
    linkSiblings(Calls);
}

void removeHarmfulStarts(MutableArrayRef<InlinedCall> Calls) {
  std::vector<uint32_t> Added;
  for (uint32_t I = 0; I != Calls.size(); ++I)
    if (!Calls[I].Code.empty() && isAddedToParent(Calls, Calls[I]))
      Added.push_back(I);
  // After some starts were removed, others may become harmful. Few functions
  // take more than two rounds.
  for (unsigned Round = 0; !Added.empty(); ++Round) {
    std::vector<bool> Lost = BlockRanges(Calls).findLost();
    size_t Before = Added.size();
    erase_if(Added, [&](uint32_t I) {
      uint32_t Around = Calls[I].Parent;
      while (Around != InlinedCall::None && !Lost[Around] && Round < MaxRounds)
        Around = Calls[Around].Parent;
      bool IsHarmful = Around != InlinedCall::None;
      if (IsHarmful)
        Calls[I].Start.reset();
      return IsHarmful;
    });
    if (Added.size() == Before)
      return;
  }
}

} // namespace lidia
