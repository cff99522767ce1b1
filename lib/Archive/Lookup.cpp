//===- Lookup.cpp - From an address to its frames -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A lookup in a large archive spends nearly all of its time on cache misses
/// and mispredicted branches. Therefore:
///
/// - the VAIX section narrows the search to a page of the VA table, which costs
///   one cache line instead of ten;
/// - everything the search may touch is prefetched, before the search decides
///   which cache lines it reads;
/// - searches have no branch that depends on the address;
/// - field sizes are known at compile time;
/// - a batch processes its addresses in groups, one step at a time for all of
///   them, so that their cache misses overlap.
///
/// Compressed archives have instances of this code in which at() unpacks what
/// is read. The others must not pay for that, not even a branch.
///
//===----------------------------------------------------------------------===//

#include "PagedMemory.h"
#include "lidia/Archive/Archive.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

/// A field of an archive, at any alignment.
template <typename T>
using Packed = support::detail::packed_endian_specific_integral<
    T, llvm::endianness::little, support::unaligned>;

/// The number of addresses of a batch that take each step together: about as
/// many cache misses as a core can have outstanding.
static constexpr size_t GroupSize = 16;

/// What \p P points to, in an archive whose memory is \p Memory.
template <bool IsPaged, typename T>
LLVM_ATTRIBUTE_ALWAYS_INLINE static const T &at(const PagedMemory *Memory,
                                                const T *P) {
  if constexpr (IsPaged)
    Memory->load(P, sizeof(T));
  return *P;
}

/// Field \p I of \p View.
template <bool IsPaged>
LLVM_ATTRIBUTE_ALWAYS_INLINE static uint64_t fieldAt(const FieldView &View,
                                                     uint64_t I) {
  if constexpr (IsPaged)
    return View[I];
  return readField(View.Data, View.Width, I);
}

/// The number of leading elements not above \p Key, in an ascending array of
/// \p Count elements that begins at \p First; an element is the first of
/// \p Stride fields. Written so that the only branch is that of the loop, whose
/// number of iterations depends on Count alone.
template <bool IsPaged, unsigned Stride, typename T>
static uint64_t upperBound(const PagedMemory *Memory, const Packed<T> *First,
                           uint64_t Count, uint64_t Key) {
  T NarrowKey = T(std::min<uint64_t>(Key, std::numeric_limits<T>::max()));
  const Packed<T> *Base = First;
  if (Count == 0)
    return 0;
  while (Count > 1) {
    uint64_t Half = Count / 2;
    Base += (at<IsPaged>(Memory, Base + Half * Stride) <= NarrowKey) *
            (Half * Stride);
    Count -= Half;
  }
  return uint64_t(Base - First) / Stride +
         (at<IsPaged>(Memory, Base) <= NarrowKey);
}

/// Prefetches the memory from \p Begin to \p End, unless it is large.
static inline void prefetch(const void *Begin, const void *End) {
  constexpr uintptr_t Line = 64, MaxLines = 8;
  uintptr_t From = uintptr_t(Begin) & ~(Line - 1), To = uintptr_t(End);
  To = std::min(To, From + MaxLines * Line);
  for (uintptr_t P = From; P < To; P += Line)
    LLVM_PREFETCH(reinterpret_cast<const void *>(P), 0, 3);
}

/// The number of leading rows, of \p Count from \p First on, which begin at or
/// before \p Offset.
template <bool IsPaged>
static uint64_t rowsUpTo(const FieldView &Lines, uint64_t First, uint64_t Count,
                         uint64_t Offset) {
  const char *Rows = Lines.Data + First * 2 * Lines.Width;
  if constexpr (!IsPaged)
    prefetch(Rows, Rows + Count * 2 * Lines.Width);
  if (Lines.Width == 2)
    return upperBound<IsPaged, 2>(
        Lines.Memory, reinterpret_cast<const Packed<uint16_t> *>(Rows), Count,
        Offset);
  return upperBound<IsPaged, 2>(
      Lines.Memory, reinterpret_cast<const Packed<uint32_t> *>(Rows), Count,
      Offset);
}

/// The entry of RFIL for \p Row, as the index of its first field.
template <bool IsPaged>
static std::optional<uint64_t> foreignRow(const FieldView &ForeignRows,
                                          uint64_t Row) {
  uint64_t Count = ForeignRows.Count / 3, UpTo;
  if (ForeignRows.Width == 4)
    UpTo = upperBound<IsPaged, 3>(
        ForeignRows.Memory,
        reinterpret_cast<const Packed<uint32_t> *>(ForeignRows.Data), Count,
        Row);
  else
    UpTo = upperBound<IsPaged, 3>(
        ForeignRows.Memory,
        reinterpret_cast<const Packed<uint64_t> *>(ForeignRows.Data), Count,
        Row);
  if (UpTo == 0 || fieldAt<IsPaged>(ForeignRows, (UpTo - 1) * 3) != Row)
    return std::nullopt;
  return (UpTo - 1) * 3;
}

/// \p Value as a line or column, which are 32 bits wide; a larger one becomes
/// unknown rather than wrong.
static uint32_t narrow(uint64_t Value) {
  return Value <= UINT32_MAX ? uint32_t(Value) : 0;
}

template <bool IsPaged>
inline RowEntry Archive::rowAt(uint64_t Row, StringOffset RangeFile) const {
  RowEntry R;
  R.Offset = uint32_t(fieldAt<IsPaged>(Lines, Row * 2));
  R.Line = uint32_t(fieldAt<IsPaged>(Lines, Row * 2 + 1));
  R.File = RangeFile;
  if (Row < RowColumns.Count)
    R.Column = uint32_t(fieldAt<IsPaged>(RowColumns, Row));
  // Rows of other files have line 0 in the line table.
  if (R.Line != 0)
    return R;
  FieldView Late;
  if constexpr (IsPaged)
    Late = view(&ArchiveArrays::ForeignRows);
  const FieldView &Foreign = IsPaged ? Late : ForeignRows;
  if (Foreign.empty())
    return R;
  if (std::optional<uint64_t> Entry = foreignRow<IsPaged>(Foreign, Row)) {
    R.File = fieldAt<IsPaged>(Foreign, *Entry + 1);
    R.Line = narrow(fieldAt<IsPaged>(Foreign, *Entry + 2));
  }
  return R;
}

namespace lidia {

/// Looks addresses up in an archive whose VAs and range fields have these
/// types. If it is paged, the caller has a PagedRead.
template <typename VAType, typename FieldType, bool IsPaged>
class ArchiveLookup {
  using Entry = Packed<FieldType>[RF_FieldCount];

public:
  explicit ArchiveLookup(const Archive &A)
      : A(A), VAs(reinterpret_cast<const Packed<VAType> *>(A.VAs.Data)),
        Entries(reinterpret_cast<const Entry *>(A.Ranges.Data)) {}

  /// The memory of the archive if it is paged.
  const PagedMemory *memory() const {
    return IsPaged ? A.Memory.get() : nullptr;
  }

  /// A half-open interval of range indices.
  struct Part {
    uint64_t Low = 0;
    uint64_t High = 0;
  };

  /// The part of the VA table that contains the last range at or before
  /// \p Address, unless that is the one before the part. Prefetches it.
  Part page(uint64_t Address) const {
    Part All = {0, A.RangeCount};
    if (A.Pages.Count < 2)
      return All;
    if (Address < A.PageBase)
      return {};
    uint64_t Page = (Address - A.PageBase) >> A.PageShift;
    if (Page >= A.Pages.Count - 1)
      return {A.RangeCount, A.RangeCount};
    auto *Pages = reinterpret_cast<const Packed<uint32_t> *>(A.Pages.Data);
    // In a damaged archive the entries may have any value.
    uint64_t High = std::min<uint64_t>(at(Pages + Page + 1), All.High);
    uint64_t Low = std::min<uint64_t>(at(Pages + Page), High);
    if (IsPaged)
      return {Low, High};
    prefetch(VAs + Low, VAs + High);
    if (const char *Parents = A.Parents.Data)
      prefetch(Parents + Low * A.Parents.Width,
               Parents + High * A.Parents.Width);
    return {Low, High};
  }

  /// The number of ranges that begin at or before \p Address.
  uint64_t rangesUpTo(Part Page, uint64_t Address) const {
    return Page.Low + upperBound<IsPaged, 1>(memory(), VAs + Page.Low,
                                             Page.High - Page.Low, Address);
  }
  uint64_t rangesUpTo(uint64_t Address) const {
    return rangesUpTo(page(Address), Address);
  }

  /// The part of the VA table for \p Address, given that \p Low ranges begin
  /// before it. Takes time proportional to the logarithm of the distance.
  Part pageFrom(uint64_t Low, uint64_t Address) const {
    for (uint64_t Step = 1; Step <= MaxGallop; Step *= 2) {
      uint64_t High = Low + std::min(Step, A.RangeCount - Low);
      if (High == A.RangeCount || at(VAs + High - 1) > Address)
        return {Low, High};
      Low = High;
    }
    return page(Address);
  }

  /// Whether \p Address is so close behind the first \p Low ranges that
  /// pageFrom() is cheaper than the index, whose misses for many addresses
  /// overlap. Always true without an index.
  bool isNear(uint64_t Low, uint64_t Address) const {
    uint64_t Far = Low + MaxGallop;
    return A.Pages.Count < 2 || Far >= A.RangeCount || at(VAs + Far) > Address;
  }

  /// Prefetches the memory that chain() reads first.
  void prefetchRange(uint64_t UpTo) const {
    if (!IsPaged && UpTo != 0)
      LLVM_PREFETCH(Entries + (UpTo - 1), 0, 3);
  }

  /// Prefetches the rows of the last of the ranges.
  void prefetchRows(uint64_t UpTo) const {
    if (IsPaged || UpTo == 0)
      return;
    const Entry &E = Entries[UpTo - 1];
    uint64_t First = E[RF_FirstRow], Count = E[RF_RowCount];
    if (First >= A.RowCount || Count > A.RowCount - First)
      return;
    const char *Rows = A.Lines.Data;
    unsigned Size = A.Lines.Width * 2;
    prefetch(Rows + First * Size, Rows + (First + Count) * Size);
  }

  /// Stores the frames of \p Address, given that \p UpTo ranges begin at or
  /// before it.
  void chain(uint64_t UpTo, uint64_t Address,
             SmallVectorImpl<Frame> &Frames) const {
    Frames.clear();
    if (UpTo == 0)
      return;
    if (A.Parents.Data)
      climb(UpTo - 1, Address, Frames);
    else
      walkBack(UpTo, Address, Frames);
  }

  /// Stores the frames of the address before \p Pad, whose range is known.
  /// verify() checks that the ranges cover it; checking here would cost a cache
  /// line for each frame.
  void chain(const ReturnPad &Pad, SmallVectorImpl<Frame> &Frames) const {
    uint64_t I = *Pad.Range;
    if (I >= A.RangeCount)
      return;
    if (!A.Parents.Data)
      return walkBack(I + 1, Pad.Address - 1, Frames);
    // Prefetch all ranges of the frames before reading any of them.
    for (uint64_t Steps = 0; Steps <= MaxDepth; ++Steps) {
      if (!IsPaged)
        LLVM_PREFETCH(Entries + I, 0, 3);
      if (!IsPaged && A.CallColumns.Data)
        LLVM_PREFETCH(A.CallColumns.Data + I * A.CallColumns.Width, 0, 3);
      Frames.resize_for_overwrite(Frames.size() + 1);
      Frames.back().Range = I;
      uint64_t Distance = fieldAt<IsPaged>(A.Parents, I);
      if (Distance == 0 || Distance > I)
        break;
      I -= Distance;
    }
    const Entry *Inner = nullptr;
    for (Frame &F : Frames) {
      const Entry &E = at(Entries + F.Range);
      F.Function = E[RF_Function];
      if (Inner)
        setCall(*Inner, (&F)[-1].Range, F);
      else
        setPosition(E, Pad.Row, F);
      Inner = &E;
    }
  }

private:
  template <typename T> const T &at(const T *P) const {
    return ::at<IsPaged>(memory(), P);
  }

  /// How far ahead a batch searches for the next address before it uses the
  /// index.
  static constexpr uint64_t MaxGallop = 64;

  /// A range that covers an address is either \p I, the last one that begins at
  /// or before it, or encloses \p I: otherwise it would overlap \p I. Links
  /// strictly decrease, so this terminates even if they are wrong; MaxDepth
  /// bounds the cost of crafted chains.
  void climb(uint64_t I, uint64_t Address,
             SmallVectorImpl<Frame> &Frames) const {
    const Entry *Inner = nullptr;
    for (uint64_t Steps = 0; Steps <= MaxDepth; ++Steps) {
      addFrame(I, Address, Inner, Frames);
      uint64_t Distance = fieldAt<IsPaged>(A.Parents, I);
      if (Distance == 0 || Distance > I)
        return;
      I -= Distance;
    }
  }

  /// For archives without links to enclosing ranges: every range between the
  /// last function and the address may enclose it.
  void walkBack(uint64_t UpTo, uint64_t Address,
                SmallVectorImpl<Frame> &Frames) const {
    const Entry *Inner = nullptr;
    for (uint64_t I = UpTo; I-- > 0 && Frames.size() <= MaxDepth;) {
      addFrame(I, Address, Inner, Frames);
      if (at(Entries + I)[RF_Depth] == 0)
        return;
    }
  }

  /// Adds the frame of range \p I if it covers \p Address. \p Inner is the last
  /// range that did: it has the position of its call in this one.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void
  addFrame(uint64_t I, uint64_t Address, const Entry *&Inner,
           SmallVectorImpl<Frame> &Frames) const {
    const Entry &E = at(Entries + I);
    uint64_t Offset = Address - at(VAs + I);
    if (Offset >= E[RF_Length])
      return;
    // Construct the frame in place: copying one would read it before its stores
    // have retired, which stalls.
    uint64_t InnerRange = Inner ? Frames.back().Range : 0;
    Frames.resize_for_overwrite(Frames.size() + 1);
    Frame &F = Frames.back();
    F.Function = E[RF_Function];
    F.Range = I;
    if (Inner)
      setCall(*Inner, InnerRange, F);
    else
      setPosition(E, Offset, F);
    Inner = &E;
  }

  /// Sets the file, line and column of \p F to the call site of \p Inner, which
  /// is range \p InnerRange.
  void setCall(const Entry &Inner, uint64_t InnerRange, Frame &F) const {
    F.File = Inner[RF_CallFile];
    F.Line = narrow(Inner[RF_CallLine]);
    F.Column = InnerRange < A.CallColumns.Count
                   ? uint32_t(fieldAt<IsPaged>(A.CallColumns, InnerRange))
                   : 0;
  }

  /// Sets the file, line and column of \p F from the rows of its range.
  void setPosition(const Entry &E, uint64_t Offset, Frame &F) const {
    F.File = E[RF_File];
    uint64_t First = E[RF_FirstRow];
    if (First >= A.RowCount)
      return;
    uint64_t Count = std::min<uint64_t>(E[RF_RowCount], A.RowCount - First);
    if (uint64_t UpTo = rowsUpTo<IsPaged>(A.Lines, First, Count, Offset))
      setRow(First + UpTo - 1, F);
  }

  /// The same if the row in force, \p Row among those of the range, is known.
  void setPosition(const Entry &E, std::optional<uint64_t> Row,
                   Frame &F) const {
    F.File = E[RF_File];
    F.Line = F.Column = 0;
    uint64_t First = E[RF_FirstRow];
    if (Row && First < A.RowCount &&
        *Row < std::min<uint64_t>(E[RF_RowCount], A.RowCount - First))
      setRow(First + *Row, F);
  }

  void setRow(uint64_t Row, Frame &F) const {
    RowEntry R = A.template rowAt<IsPaged>(Row, F.File);
    F.File = R.File;
    F.Line = R.Line;
    F.Column = R.Column;
  }

  const Archive &A;
  const Packed<VAType> *VAs;
  const Entry *Entries;
};

} // namespace lidia

RowEntry Archive::row(const RangeEntry &Range, uint64_t Index) const {
  assert(Index < Range.RowCount && "row outside its range");
  if (Range.FirstRow >= RowCount || Index >= RowCount - Range.FirstRow)
    return {};
  if (!Memory)
    return rowAt<false>(Range.FirstRow + Index, Range.File);
  PagedRead Read(Memory.get());
  return rowAt<true>(Range.FirstRow + Index, Range.File);
}

/// Calls \p Do with the lookup specialised for the field sizes of \p A.
template <bool IsPaged, typename Function>
static void withLookup(const Archive &A, Function Do) {
  bool WideVAs = A.header().VAs.FieldSize == 8;
  bool WideFields = A.header().Ranges.FieldSize == 8;
  if (!WideVAs && !WideFields)
    Do(ArchiveLookup<uint32_t, uint32_t, IsPaged>(A));
  else if (!WideVAs)
    Do(ArchiveLookup<uint32_t, uint64_t, IsPaged>(A));
  else if (!WideFields)
    Do(ArchiveLookup<uint64_t, uint32_t, IsPaged>(A));
  else
    Do(ArchiveLookup<uint64_t, uint64_t, IsPaged>(A));
}

void Archive::lookup(uint64_t Address, SmallVectorImpl<Frame> &Frames) const {
  if (LLVM_UNLIKELY(Memory != nullptr))
    return lookupPaged(Address, Frames);
  withLookup<false>(*this, [&](auto Lookup) {
    Lookup.chain(Lookup.rangesUpTo(Address), Address, Frames);
  });
}

LLVM_ATTRIBUTE_NOINLINE void
Archive::lookupPaged(uint64_t Address, SmallVectorImpl<Frame> &Frames) const {
  PagedRead Read(Memory.get());
  withLookup<true>(*this, [&](auto Lookup) {
    Lookup.chain(Lookup.rangesUpTo(Address), Address, Frames);
  });
}

bool Archive::lookupReturn(uint64_t ReturnAddress,
                           SmallVectorImpl<Frame> &Frames) const {
  Frames.clear();
  PagedRead Read(Memory.get());
  std::optional<ReturnPad> Pad = Pads.find(ReturnAddress);
  auto Do = [&](auto Lookup) { Lookup.chain(*Pad, Frames); };
  if (Pad && Pad->Range) {
    if (Memory)
      withLookup<true>(*this, Do);
    else
      withLookup<false>(*this, Do);
  }
  return Pad.has_value();
}

/// Computes for each of \p Addresses how many ranges begin at or before it.
/// \p UpTo and \p Last are those of the previous address, and are updated.
template <typename Lookup>
static void searchGroup(const Lookup &L, ArrayRef<uint64_t> Addresses,
                        uint64_t &UpTo, uint64_t &Last,
                        MutableArrayRef<uint64_t> Counts) {
  typename Lookup::Part Pages[GroupSize];
  bool Ascends = Addresses.front() >= Last && is_sorted(Addresses) &&
                 L.isNear(UpTo, Addresses.back());
  for (size_t I = 0; !Ascends && I != Addresses.size(); ++I)
    Pages[I] = L.page(Addresses[I]);
  for (size_t I = 0; I != Addresses.size(); ++I) {
    if (Ascends)
      Pages[I] = L.pageFrom(UpTo, Addresses[I]);
    UpTo = Counts[I] = L.rangesUpTo(Pages[I], Addresses[I]);
    L.prefetchRange(UpTo);
  }
  for (size_t I = 0; I != Addresses.size(); ++I)
    L.prefetchRows(Counts[I]);
  Last = Addresses.back();
}

void Archive::lookupBatch(
    ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  if (Memory)
    return lookupBatchOfPaged(Addresses, Visit);
  withLookup<false>(*this, [&](auto Lookup) {
    SmallVector<Frame, 16> Frames;
    uint64_t Counts[GroupSize];
    uint64_t UpTo = 0, Last = 0;
    for (size_t Start = 0; Start != Addresses.size();) {
      ArrayRef<uint64_t> Group = Addresses.drop_front(Start).take_front(
          std::min(GroupSize, Addresses.size() - Start));
      searchGroup(Lookup, Group, UpTo, Last, Counts);
      for (size_t I = 0; I != Group.size(); ++I) {
        // A repeated address, as in the samples of a hot loop, reuses the
        // frames.
        if (I == 0 || Group[I] != Group[I - 1])
          Lookup.chain(Counts[I], Group[I], Frames);
        Visit(Start + I, Frames);
      }
      Start += Group.size();
    }
  });
}

/// Looks the addresses up in ascending order, so that no part is unpacked
/// twice, and visits them in theirs.
void Archive::lookupBatchOfPaged(
    ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  // The frames of so many are in memory at once.
  constexpr size_t MaxSorted = 64 * 1024;
  for (size_t Start = 0; Start != Addresses.size();) {
    ArrayRef<uint64_t> Now = Addresses.drop_front(Start).take_front(
        std::min(MaxSorted, Addresses.size() - Start));
    auto Order = to_vector<0>(seq<uint32_t>(0, uint32_t(Now.size())));
    llvm::sort(Order, [&](uint32_t L, uint32_t R) {
      return std::pair(Now[L], L) < std::pair(Now[R], R);
    });
    std::vector<Frame> All;
    std::vector<std::pair<size_t, size_t>> Places(Now.size());
    SmallVector<Frame, 16> Frames;
    for (uint32_t I : Order) {
      lookup(Now[I], Frames);
      Places[I] = {All.size(), Frames.size()};
      All.insert(All.end(), Frames.begin(), Frames.end());
    }
    for (size_t I = 0; I != Now.size(); ++I)
      Visit(Start + I, ArrayRef(All).slice(Places[I].first, Places[I].second));
    Start += Now.size();
  }
}
