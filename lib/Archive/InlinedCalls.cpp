//===- InlinedCalls.cpp - The calls inlined into one function -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/InlinedCalls.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace lidia {

namespace {

class CallBuilder {
public:
  CallBuilder(const Archive &A, uint64_t Root, ArrayRef<CallNote> Notes)
      : A(A), Root(Root), Notes(Notes) {}

  std::vector<InlinedCall> build();

private:
  static constexpr uint32_t None = InlinedCall::None;

  void addRange(uint64_t Index, const RangeEntry &R);
  uint32_t addPiece(const CallCode &Piece, const RangeEntry &R,
                    uint32_t Number);
  uint32_t add(InlinedCall Call);
  void setStart(const CallNote &N);
  void addEmpty(const CallNote &N);

  /// The notes of \p Range, in ascending order.
  ArrayRef<CallNote> notesOf(uint32_t Range) const {
    auto *First = partition_point(
        Notes, [&](const CallNote &N) { return N.Range < Range; });
    return ArrayRef(First, Notes.end()).take_while([&](const CallNote &N) {
      return N.Range == Range;
    });
  }

  const Archive &A;
  const uint64_t Root;
  ArrayRef<CallNote> Notes;
  std::vector<InlinedCall> Calls;
  using Key = std::tuple<uint32_t, StringOffset, StringOffset, uint64_t,
                         uint32_t, uint32_t>;
  std::map<Key, uint32_t> Known;
  /// The call of each range after Root.
  std::vector<uint32_t> CallOf;
  /// A call, from an address on.
  struct Place {
    uint64_t Start;
    uint32_t Call;
  };
  /// Open[D] has the calls of depth D + 1 in the range that began last.
  SmallVector<SmallVector<Place, 1>, 16> Open;
  ArrayRef<Place> placesFrom(uint64_t Address) const;
  SmallVector<uint64_t, 2> cutsOf(const RangeEntry &R,
                                  ArrayRef<CallNote> Notes);
  /// How many times a range may still be split in two. Compilers alternate
  /// between calls a few times; the overlapping ranges of a damaged archive
  /// would multiply.
  unsigned CutsLeft = 1 << 16;
  /// The newest call of each parent, at the parent's index plus one.
  std::vector<uint32_t> Newest = {None};
};

} // namespace

/// Appends \p Call to the children of its parent.
uint32_t CallBuilder::add(InlinedCall Call) {
  uint32_t New = uint32_t(Calls.size()), Parent = Call.Parent;
  Calls.push_back(std::move(Call));
  Newest.push_back(None);
  // For None this is the first entry, that of the function itself.
  uint32_t &Last = Newest[Parent + 1u];
  if (Last != None)
    Calls[Last].NextSibling = New;
  else if (Parent != None)
    Calls[Parent].FirstChild = New;
  Last = New;
  return New;
}

/// The calls that enclose the code from \p Address on; not empty.
ArrayRef<CallBuilder::Place> CallBuilder::placesFrom(uint64_t Address) const {
  ArrayRef<Place> Places = Open.back();
  const Place *Behind = partition_point(
      Places, [&](const Place &P) { return P.Start <= Address; });
  return ArrayRef(Behind == Places.begin() ? Behind : Behind - 1, Places.end());
}

/// Where pieces of \p R begin, ascending: at its start, where the call that
/// encloses it changes, and where \p Notes say so.
SmallVector<uint64_t, 2> CallBuilder::cutsOf(const RangeEntry &R,
                                             ArrayRef<CallNote> Notes) {
  SmallVector<uint64_t, 2> Cuts = {R.VA};
  auto Add = [&](uint64_t Address) {
    if (Address > R.VA && Address - R.VA < R.Length && CutsLeft != 0) {
      Cuts.push_back(Address);
      --CutsLeft;
    }
  };
  if (!Open.empty())
    for (const Place &P : placesFrom(R.VA)) {
      if (P.Start >= R.VA + R.Length)
        break;
      Add(P.Start);
    }
  for (const CallNote &N : Notes)
    Add(N.Address);
  sort(Cuts);
  Cuts.erase(std::unique(Cuts.begin(), Cuts.end()), Cuts.end());
  return Cuts;
}

/// Adds \p Piece of the range \p R to the call with the number \p Number, which
/// is created if necessary. Returns the call.
uint32_t CallBuilder::addPiece(const CallCode &Piece, const RangeEntry &R,
                               uint32_t Number) {
  InlinedCall New;
  New.Parent = Open.empty() ? None : placesFrom(Piece.Start).front().Call;
  New.Function = R.Function;
  New.CallFile = R.CallFile;
  New.CallLine = uint32_t(R.CallLine);
  New.CallColumn = A.callColumn(Piece.Range);
  auto [It, IsNew] = Known.try_emplace(
      {New.Parent, R.Function, R.CallFile, R.CallLine, New.CallColumn, Number},
      uint32_t(Calls.size()));
  uint32_t Call = IsNew ? add(std::move(New)) : It->second;
  Calls[Call].Code.push_back(Piece);
  return Call;
}

void CallBuilder::addRange(uint64_t Index, const RangeEntry &R) {
  Open.truncate(std::min<uint64_t>(R.Depth - 1, Open.size()));
  // Callers may walk the calls recursively.
  if (Open.size() >= format::MaxDepth) {
    CallOf.push_back(None);
    return;
  }
  // The notes are in order of kind, then address.
  ArrayRef<CallNote> Notes =
      notesOf(uint32_t(Index - Root)).drop_while([](const CallNote &N) {
        return N.Kind != CallNote::Code;
      });
  SmallVector<uint64_t, 2> Cuts = cutsOf(R, Notes);
  SmallVector<Place, 1> Places;
  uint32_t Number = 0;
  for (size_t I = 0; I != Cuts.size(); ++I) {
    uint64_t End = I + 1 == Cuts.size() ? R.VA + R.Length : Cuts[I + 1];
    const CallNote *Note = partition_point(
        Notes, [&](const CallNote &N) { return N.Address < Cuts[I]; });
    if (Note != Notes.end() && Note->Address == Cuts[I])
      Number = Note->Call;
    else if (!Open.empty() && placesFrom(Cuts[I]).front().Start == Cuts[I])
      Number = 0;
    Places.push_back({Cuts[I], addPiece({Index, Cuts[I], End}, R, Number)});
  }
  CallOf.push_back(Places.front().Call);
  Open.push_back(std::move(Places));
}

void CallBuilder::setStart(const CallNote &N) {
  uint32_t Call = CallOf[N.Range - 1];
  if (Call != None && Calls[Call].Code.front().Start > N.Address)
    Calls[Call].Start = N.Address;
}

void CallBuilder::addEmpty(const CallNote &N) {
  InlinedCall New;
  New.Parent = N.Range ? CallOf[N.Range - 1] : None;
  if (N.Range && New.Parent == None)
    return;
  // Only the innermost ranges can have the depth MaxDepth.
  if (N.Range && A.range(Root + N.Range).Depth >= format::MaxDepth)
    return;
  New.Start = N.Address;
  New.Function = N.Function;
  New.CallFile = N.CallFile;
  New.CallLine = N.CallLine;
  New.CallColumn = N.CallColumn;
  add(std::move(New));
}

std::vector<InlinedCall> CallBuilder::build() {
  for (uint64_t I = Root + 1; I < A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth == 0)
      break;
    addRange(I, R);
  }
  RangeEntry Function = A.range(Root);
  for (const CallNote &N : Notes) {
    if (N.Range > CallOf.size() || N.Address - Function.VA >= Function.Length)
      continue;
    if (N.Kind == CallNote::Start && N.Range)
      setStart(N);
    else if (N.Kind == CallNote::Empty)
      addEmpty(N);
  }
  return std::move(Calls);
}

std::vector<InlinedCall> inlinedCalls(const Archive &A, uint64_t Root,
                                      ArrayRef<CallNote> Notes) {
  return CallBuilder(A, Root, Notes).build();
}

InnermostCalls::InnermostCalls(ArrayRef<InlinedCall> Calls, uint64_t Start,
                               uint64_t End) {
  struct Piece {
    uint64_t Start, End;
    uint32_t Call;
  };
  std::vector<Piece> Pieces;
  for (auto [I, C] : enumerate(Calls))
    for (const CallCode &Code : C.Code)
      Pieces.push_back({Code.Start, Code.End, uint32_t(I)});
  // Outer calls precede those inlined into them.
  llvm::sort(Pieces, [](const Piece &A, const Piece &B) {
    return std::tie(A.Start, A.Call) < std::tie(B.Start, B.Call);
  });

  struct Open {
    uint64_t End;
    uint32_t Call;
  };
  SmallVector<Open, 16> Stack = {{End, InlinedCall::None}};
  auto CloseUntil = [&](uint64_t Address) {
    while (Stack.size() > 1 && Stack.back().End <= Address) {
      uint64_t Closed = Stack.pop_back_val().End;
      addChange(Closed, Stack.back().Call);
    }
  };
  addChange(Start, InlinedCall::None);
  for (const Piece &P : Pieces) {
    CloseUntil(P.Start);
    // In damaged archives, a call may extend beyond the enclosing code.
    uint64_t PieceEnd = std::min(P.End, Stack.back().End);
    if (P.Start < Start || P.Start >= PieceEnd)
      continue;
    Stack.push_back({PieceEnd, P.Call});
    addChange(P.Start, P.Call);
  }
  CloseUntil(UINT64_MAX);
}

void InnermostCalls::addChange(uint64_t Address, uint32_t Call) {
  if (!Changes.empty() && Changes.back().Address == Address)
    Changes.back().Call = Call;
  else
    Changes.push_back({Address, Call});
}

uint32_t InnermostCalls::at(uint64_t Address) const {
  auto Behind = partition_point(
      Changes, [&](const Change &C) { return C.Address <= Address; });
  return Behind == Changes.begin() ? InlinedCall::None
                                   : std::prev(Behind)->Call;
}

} // namespace lidia
