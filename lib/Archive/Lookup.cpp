//===- Lookup.cpp - From an address to its frames -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A lookup in a large archive spends nearly all of its time waiting for
/// memory: in the archive of ceph-osd, which has 1.95 million ranges, it reads
/// 13 cache lines for 6.8 frames (docs/Performance.md). Therefore:
///
/// - the VAIX section narrows the search to a page of the VA table, and the
///   position of the address in its page narrows it to four cache lines;
/// - everything that a step may read is prefetched before the step: the links
///   alone determine which ranges may cover an address (start(), climb()), so
///   all of these are being fetched when the first one is read (fill());
/// - the rows are prefetched as soon as the range is known, and read last;
/// - searches have no branch that depends on the address;
/// - field sizes are known at compile time;
/// - a batch processes its addresses in groups, and does each step for the
///   whole group, so that its cache misses overlap. A climb stops at a link in
///   a cache line that has not been fetched yet, so that the others can go on;
/// - a large batch whose order does not matter is sorted, so that neighbouring
///   addresses share cache lines.
///
/// For compressed archives, there are instances of this code in which at()
/// unpacks what is read. The other instances do not even have a branch for
/// this.
///
//===----------------------------------------------------------------------===//

#include "PagedMemory.h"
#include "lidia/Archive/Archive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

/// A field of an archive, at any alignment.
template <typename T>
using Packed = support::detail::packed_endian_specific_integral<
    T, llvm::endianness::little, support::unaligned>;

/// The number of addresses of a batch that are processed together: about as
/// many as the cache misses that a core can have outstanding.
static constexpr size_t GroupSize = 32;

/// The value at \p P, in an archive whose memory is \p Memory.
template <bool IsPaged, typename T>
LLVM_ATTRIBUTE_ALWAYS_INLINE static const T &at(const PagedMemory *Memory,
                                                const T *P) {
  if constexpr (IsPaged)
    Memory->load(P, sizeof(T));
  return *P;
}

/// Field \p I of \p View. If the archive is paged, the caller must hold a
/// PagedRead.
template <bool IsPaged>
LLVM_ATTRIBUTE_ALWAYS_INLINE static uint64_t fieldAt(const FieldView &View,
                                                     uint64_t I) {
  if constexpr (IsPaged)
    View.Memory->load(View.Data + I * View.Width, View.Width);
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

/// Looks up addresses in an archive whose VAs and range fields have these
/// types. If the archive is paged, the caller must hold a PagedRead.
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

  /// A half-open interval of range indices, and the part of it in which the
  /// range of an address is likely to be.
  struct Part {
    Part() = default;
    Part(uint64_t Low, uint64_t High)
        : Low(Low), High(High), NearLow(Low), NearHigh(High) {}

    uint64_t Low = 0;
    uint64_t High = 0;
    uint64_t NearLow = 0;
    uint64_t NearHigh = 0;
  };

  /// The part of the VA table that contains the last range at or before
  /// \p Address, unless that range is the one before the part. Prefetches the
  /// entries that are likely to be read.
  Part page(uint64_t Address) const {
    if (A.Pages.Count < 2)
      return {0, A.RangeCount};
    if (Address < A.PageBase)
      return {};
    uint64_t Page = (Address - A.PageBase) >> A.PageShift;
    if (Page >= A.Pages.Count - 1)
      return {A.RangeCount, A.RangeCount};
    auto *Pages = reinterpret_cast<const Packed<uint32_t> *>(A.Pages.Data);
    // In a damaged archive the entries may have any value.
    uint64_t High = std::min<uint64_t>(at(Pages + Page + 1), A.RangeCount);
    uint64_t Low = std::min<uint64_t>(at(Pages + Page), High);
    Part P(Low, High);
    if (IsPaged)
      return P;
    uint64_t Guess = Low + ((High - Low) * fractionOfPage(Address) >> 16);
    P.NearLow = Guess - std::min(Guess - Low, MaxNear);
    P.NearHigh = Guess + std::min(High - Guess, MaxNear);
    prefetch(VAs + P.NearLow, VAs + P.NearHigh);
    return P;
  }

  /// The position of \p Address in its page of the index, as a fraction of
  /// 65536.
  uint64_t fractionOfPage(uint64_t Address) const {
    uint64_t Offset =
        (Address - A.PageBase) & ((uint64_t(1) << A.PageShift) - 1);
    return A.PageShift > 16 ? Offset >> (A.PageShift - 16)
                            : Offset << (16 - A.PageShift);
  }

  /// Prefetches the entry of the index that page() reads.
  void prefetchPage(uint64_t Address) const {
    uint64_t Page = (Address - A.PageBase) >> A.PageShift;
    if (!IsPaged && Page < A.Pages.Count)
      LLVM_PREFETCH(A.Pages.Data + Page * 4, 0, 3);
  }

  /// Prefetches the links that a climb from a range near the expected one in
  /// \p P is likely to follow.
  void prefetchParents(const Part &P) const {
    const char *Parents = A.Parents.Data;
    if (IsPaged || !Parents)
      return;
    uint64_t Low = P.NearLow - std::min(P.NearLow, MaxClimb);
    prefetch(Parents + Low * A.Parents.Width,
             Parents + P.NearHigh * A.Parents.Width);
  }

  /// The number of ranges that begin at or before \p Address.
  uint64_t rangesUpTo(const Part &P, uint64_t Address) const {
    uint64_t UpTo = rangesUpTo(P.NearLow, P.NearHigh, Address);
    if (LLVM_UNLIKELY(UpTo == P.NearLow && P.Low != P.NearLow))
      return rangesUpTo(P.Low, P.NearLow, Address);
    if (LLVM_UNLIKELY(UpTo == P.NearHigh && P.High != P.NearHigh))
      return rangesUpTo(P.NearHigh, P.High, Address);
    return UpTo;
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

  /// Whether \p Address is so close after the first \p Low ranges that
  /// pageFrom() is cheaper than the index, whose misses for many addresses
  /// overlap. Always true without an index.
  bool isNear(uint64_t Low, uint64_t Address) const {
    uint64_t Far = Low + MaxGallop;
    return A.Pages.Count < 2 || Far >= A.RangeCount || at(VAs + Far) > Address;
  }

  /// Prefetches the memory that climb() reads first, given that \p UpTo ranges
  /// begin at or before the address.
  void prefetchRange(uint64_t UpTo) const {
    if (IsPaged || UpTo == 0)
      return;
    prefetchEntry(UpTo - 1);
    if (const char *Parents = A.Parents.Data)
      LLVM_PREFETCH(Parents + (UpTo - 1) * A.Parents.Width, 0, 3);
  }

  /// The ranges that may cover an address are the last one that begins at or
  /// before it, and the ranges that enclose that one: any other would overlap
  /// it. start() makes a frame with only the first range, given that \p UpTo
  /// ranges begin at or before \p Address. climb() adds the enclosing ranges,
  /// and fill() completes the frames. Each of them prefetches what the next one
  /// reads.
  void start(uint64_t UpTo, uint64_t Address,
             SmallVectorImpl<Frame> &Frames) const {
    Frames.clear();
    if (UpTo == 0)
      return;
    if (A.Parents.Data)
      addLink</*ReadsVA=*/true>(UpTo - 1, Frames);
    else
      walkBack(UpTo, Address, Frames);
  }

  /// Adds the ranges that enclose the last of \p Frames, as far as the cache
  /// line with its link leads. Returns false if there are no more.
  ///
  /// Links strictly decrease, so this ends even if they are wrong; MaxDepth
  /// bounds the cost of crafted chains.
  template <bool ReadsVAs = true>
  bool climb(SmallVectorImpl<Frame> &Frames) const {
    const char *Parents = A.Parents.Data;
    if (!Parents || Frames.empty())
      return false;
    uint64_t I = Frames.back().Range;
    auto Line = [&] { return uintptr_t(Parents + I * A.Parents.Width) / 64; };
    uintptr_t First = Line();
    do {
      uint64_t Distance = fieldAt<IsPaged>(A.Parents, I);
      if (Distance == 0 || Distance > I || Frames.size() > MaxDepth)
        return false;
      I -= Distance;
      addLink<ReadsVAs>(I, Frames);
    } while (Line() == First);
    if (!IsPaged)
      LLVM_PREFETCH(Parents + I * A.Parents.Width, 0, 3);
    return true;
  }

  /// Prefetches the rows of the innermost range that covers \p Address, given
  /// the frames made for it so far.
  void prefetchRows(uint64_t Address, ArrayRef<Frame> Frames) const {
    if (IsPaged)
      return;
    for (const Frame &F : Frames) {
      const Entry &E = Entries[F.Range];
      if (covers(F.Range, E, Address))
        return prefetchRows(E);
    }
  }

  /// Completes the frames made for \p Address, and removes those whose range
  /// does not cover it.
  void fill(uint64_t Address, SmallVectorImpl<Frame> &Frames) const {
    const Entry *Innermost = nullptr, *Inner = nullptr;
    size_t Count = 0;
    for (const Frame &Link : Frames) {
      uint64_t I = Link.Range;
      const Entry &E = at(Entries + I);
      if (!covers(I, E, Address))
        continue;
      Frame &F = Frames[Count];
      F.Function = E[RF_Function];
      F.Range = I;
      if (Inner) {
        setCall(*Inner, Frames[Count - 1].Range, F);
      } else {
        Innermost = &E;
        prefetchRows(E);
      }
      Inner = &E;
      ++Count;
    }
    Frames.truncate(Count);
    // Last, because the rows take longest to arrive.
    if (Innermost)
      setPosition(*Innermost, Address - at(VAs + Frames.front().Range),
                  Frames.front());
  }

  /// Stores the frames of the address before \p Pad, whose range is known.
  /// verify() checks that the ranges cover it; checking here would cost a cache
  /// line for each frame.
  void chain(const ReturnPad &Pad, SmallVectorImpl<Frame> &Frames) const {
    uint64_t I = *Pad.Range;
    if (I >= A.RangeCount)
      return;
    if (!A.Parents.Data) {
      start(I + 1, Pad.Address - 1, Frames);
      return fill(Pad.Address - 1, Frames);
    }
    addLink</*ReadsVA=*/false>(I, Frames);
    while (climb</*ReadsVAs=*/false>(Frames))
      ;
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

  /// Like rangesUpTo() above, given that the result is at least \p Low and at
  /// most \p High.
  uint64_t rangesUpTo(uint64_t Low, uint64_t High, uint64_t Address) const {
    return Low +
           upperBound<IsPaged, 1>(memory(), VAs + Low, High - Low, Address);
  }

  /// How many ranges on either side of the expected one are prefetched. The
  /// expected range assumes that the ranges of a page are evenly spread; for
  /// nine of ten addresses of ceph-osd, the actual range is among the
  /// prefetched ones.
  static constexpr uint64_t MaxNear = 24;

  /// The number of ranges before these whose links are also prefetched. Half of
  /// the climbs in ceph-osd end among them.
  static constexpr uint64_t MaxClimb = 96;

  /// How far ahead a batch searches for the next address before it uses the
  /// index.
  static constexpr uint64_t MaxGallop = 64;

  bool covers(uint64_t I, const Entry &E, uint64_t Address) const {
    return Address - at(VAs + I) < E[RF_Length];
  }

  void prefetchEntry(uint64_t I) const {
    // Most entries lie in two cache lines.
    LLVM_PREFETCH(Entries + I, 0, 3);
    LLVM_PREFETCH(reinterpret_cast<const char *>(Entries + I + 1) - 1, 0, 3);
  }

  /// Prefetches the rows of the range with entry \p E.
  void prefetchRows(const Entry &E) const {
    uint64_t First = E[RF_FirstRow], Count = E[RF_RowCount];
    if (IsPaged || First >= A.RowCount || Count > A.RowCount - First)
      return;
    const char *Rows = A.Lines.Data;
    unsigned Size = A.Lines.Width * 2;
    prefetch(Rows + First * Size, Rows + (First + Count) * Size);
  }

  template <bool ReadsVA>
  void addLink(uint64_t I, SmallVectorImpl<Frame> &Frames) const {
    if (!IsPaged) {
      prefetchEntry(I);
      if (ReadsVA)
        LLVM_PREFETCH(VAs + I, 0, 3);
      if (A.CallColumns.Data)
        LLVM_PREFETCH(A.CallColumns.Data + I * A.CallColumns.Width, 0, 3);
    }
    Frames.resize_for_overwrite(Frames.size() + 1);
    Frames.back().Range = I;
  }

  /// For archives without links to enclosing ranges: every range between the
  /// last function and the address may enclose it.
  void walkBack(uint64_t UpTo, uint64_t Address,
                SmallVectorImpl<Frame> &Frames) const {
    for (uint64_t I = UpTo; I-- > 0 && Frames.size() <= MaxDepth;) {
      const Entry &E = at(Entries + I);
      if (covers(I, E, Address))
        addLink</*ReadsVA=*/false>(I, Frames);
      if (E[RF_Depth] == 0)
        return;
    }
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

  /// Like setPosition() above, if the row in force is known: \p Row is its
  /// index among the rows of the range.
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

/// Stores the frames of \p Address.
template <typename Lookup>
static void lookUpOne(const Lookup &L, uint64_t Address,
                      SmallVectorImpl<Frame> &Frames) {
  auto Page = L.page(Address);
  L.prefetchParents(Page);
  L.start(L.rangesUpTo(Page, Address), Address, Frames);
  if (L.climb(Frames)) {
    L.prefetchRows(Address, Frames);
    while (L.climb(Frames))
      ;
  }
  L.fill(Address, Frames);
}

void Archive::lookup(uint64_t Address, SmallVectorImpl<Frame> &Frames) const {
  if (LLVM_UNLIKELY(Memory != nullptr)) {
    prefetch(Address);
    return lookupPaged(Address, Frames);
  }
  withLookup<false>(*this,
                    [&](auto Lookup) { lookUpOne(Lookup, Address, Frames); });
}

LLVM_ATTRIBUTE_NOINLINE void
Archive::lookupPaged(uint64_t Address, SmallVectorImpl<Frame> &Frames) const {
  PagedRead Read(Memory.get());
  withLookup<true>(*this,
                   [&](auto Lookup) { lookUpOne(Lookup, Address, Frames); });
}

bool Archive::lookupReturn(uint64_t ReturnAddress,
                           SmallVectorImpl<Frame> &Frames) const {
  Frames.clear();
  if (LLVM_UNLIKELY(Memory != nullptr) && Memory->isFar())
    prefetch(ReturnAddress, /*AreReturns=*/true);
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
    L.prefetchPage(Addresses[I]);
  for (size_t I = 0; !Ascends && I != Addresses.size(); ++I)
    Pages[I] = L.page(Addresses[I]);
  for (size_t I = 0; I != Addresses.size(); ++I) {
    if (Ascends)
      Pages[I] = L.pageFrom(UpTo, Addresses[I]);
    UpTo = Counts[I] = L.rangesUpTo(Pages[I], Addresses[I]);
    L.prefetchRange(UpTo);
  }
  Last = Addresses.back();
}

/// Makes the frames of \p Addresses up to Lookup::fill().
template <typename Lookup>
static void climbGroup(const Lookup &L, ArrayRef<uint64_t> Addresses,
                       ArrayRef<uint64_t> Counts,
                       MutableArrayRef<SmallVector<Frame, 16>> Frames) {
  uint8_t Climbing[GroupSize];
  size_t Left = 0;
  for (size_t I = 0; I != Addresses.size(); ++I) {
    L.start(Counts[I], Addresses[I], Frames[I]);
    if (L.climb(Frames[I]))
      Climbing[Left++] = uint8_t(I);
  }
  for (size_t I = 0; I != Addresses.size(); ++I)
    L.prefetchRows(Addresses[I], Frames[I]);
  while (Left != 0) {
    size_t Still = 0;
    for (size_t I = 0; I != Left; ++I)
      if (L.climb(Frames[Climbing[I]]))
        Climbing[Still++] = Climbing[I];
    Left = Still;
  }
}

namespace {
/// Looks up addresses in groups.
template <typename Lookup> class GroupLookup {
public:
  explicit GroupLookup(const Lookup &L) : L(L) {}

  /// Calls \p Visit(index, frames) for each of at most GroupSize \p Addresses.
  template <typename Function>
  void run(ArrayRef<uint64_t> Addresses, Function Visit) {
    uint64_t Counts[GroupSize];
    searchGroup(L, Addresses, UpTo, Last, Counts);
    climbGroup(L, Addresses, Counts, Frames);
    for (size_t I = 0; I != Addresses.size(); ++I) {
      L.fill(Addresses[I], Frames[I]);
      Visit(I, Frames[I]);
    }
  }

private:
  const Lookup L;
  uint64_t UpTo = 0, Last = 0;
  SmallVector<Frame, 16> Frames[GroupSize];
};
} // namespace

void Archive::expectLookups(uint64_t Count) const {
  if (Memory)
    Memory->expectReads(Count);
}

void Archive::lookupBatch(
    ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  if (Memory)
    return lookupBatchOfPaged(Addresses, Visit);
  withLookup<false>(*this, [&](auto Lookup) {
    GroupLookup Groups(Lookup);
    for (size_t Start = 0; Start < Addresses.size(); Start += GroupSize)
      Groups.run(
          Addresses.drop_front(Start).take_front(GroupSize),
          [&](size_t I, ArrayRef<Frame> Found) { Visit(Start + I, Found); });
  });
}

/// The indices of \p Addresses in roughly ascending order of address: they are
/// sorted by the leading bits of their positions among the ranges, so addresses
/// close to each other are in any order.
std::vector<uint32_t>
Archive::ascendingOrder(ArrayRef<uint64_t> Addresses) const {
  uint64_t First = 0, Last = 0;
  if (RangeCount != 0) {
    First = range(0).VA;
    Last = std::max(First, range(RangeCount - 1).VA);
  }
  constexpr unsigned DigitBits = 11, KeyBits = 2 * DigitBits;
  constexpr size_t Digits = size_t(1) << DigitBits;
  unsigned Width = Log2_64(std::max<uint64_t>(Last - First, 1)) + 1;
  unsigned Shift = Width - std::min(Width, KeyBits);
  // The key in the upper half, the index in the lower.
  std::vector<uint64_t> Items(Addresses.size()), Sorted(Addresses.size());
  for (size_t I = 0; I != Addresses.size(); ++I)
    Items[I] =
        (std::clamp(Addresses[I], First, Last) - First) >> Shift << 32 | I;
  for (unsigned Low : {32u, 32u + DigitBits}) {
    uint32_t Starts[Digits + 1] = {};
    auto Digit = [&](uint64_t Item) { return Item >> Low & (Digits - 1); };
    for (uint64_t Item : Items)
      ++Starts[Digit(Item) + 1];
    std::partial_sum(std::begin(Starts), std::end(Starts), Starts);
    for (uint64_t Item : Items)
      Sorted[Starts[Digit(Item)]++] = Item;
    Items.swap(Sorted);
  }
  return std::vector<uint32_t>(Items.begin(), Items.end());
}

void Archive::lookupUnordered(
    ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  // Sorting takes 20 bytes for each.
  constexpr size_t MinSorted = 1024, MaxSorted = 1024 * 1024;
  if (is_sorted(Addresses) || (!Memory && Addresses.size() < MinSorted))
    return lookupBatch(Addresses, Visit);
  for (size_t Start = 0; Start < Addresses.size(); Start += MaxSorted) {
    ArrayRef<uint64_t> Now = Addresses.drop_front(Start).take_front(MaxSorted);
    lookupInOrder(
        Now, ascendingOrder(Now),
        [&](size_t I, ArrayRef<Frame> Found) { Visit(Start + I, Found); });
  }
}

/// lookupInOrder() for a compressed archive on this machine.
void Archive::lookupPagedInOrder(
    ArrayRef<uint64_t> Addresses, ArrayRef<uint32_t> Order,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  // The parts that a group needs are in memory together.
  constexpr size_t PagedGroup = 16;
  SmallVector<Frame, 16> Frames[PagedGroup];
  for (size_t Start = 0; Start < Order.size(); Start += PagedGroup) {
    ArrayRef<uint32_t> Now = Order.slice(Start).take_front(PagedGroup);
    {
      PagedRead Read(Memory.get());
      withLookup<true>(*this, [&](auto Lookup) {
        for (auto [I, Found] : zip(Now, Frames))
          lookUpOne(Lookup, Addresses[I], Found);
      });
    }
    for (auto [I, Found] : zip(Now, Frames))
      Visit(I, Found);
  }
}

/// Looks up \p Addresses and visits them in \p Order.
void Archive::lookupInOrder(
    ArrayRef<uint64_t> Addresses, ArrayRef<uint32_t> Order,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  if (isFar()) {
    // One by one, so that each tries again to fetch what the last could not.
    SmallVector<Frame, 16> Frames;
    for (size_t At = 0; At != Order.size(); ++At) {
      if (At % FarGroup == 0)
        prefetch(map_to_vector(Order.slice(At).take_front(FarGroup),
                               [&](uint32_t I) { return Addresses[I]; }));
      lookup(Addresses[Order[At]], Frames);
      Visit(Order[At], Frames);
    }
    return;
  }
  if (Memory)
    return lookupPagedInOrder(Addresses, Order, Visit);
  withLookup<false>(*this, [&](auto Lookup) {
    GroupLookup Groups(Lookup);
    for (size_t Start = 0; Start < Order.size(); Start += GroupSize) {
      ArrayRef<uint32_t> Now = Order.drop_front(Start).take_front(GroupSize);
      uint64_t Group[GroupSize];
      for (size_t I = 0; I != Now.size(); ++I)
        Group[I] = Addresses[Now[I]];
      Groups.run(
          ArrayRef(Group, Now.size()),
          [&](size_t I, ArrayRef<Frame> Found) { Visit(Now[I], Found); });
    }
  });
}

/// Looks up the addresses in ascending order, so that no part is unpacked
/// twice, and visits them in their original order.
void Archive::lookupBatchOfPaged(
    ArrayRef<uint64_t> Addresses,
    function_ref<void(size_t, ArrayRef<Frame>)> Visit) const {
  expectLookups(Addresses.size());
  // The number of addresses whose frames are in memory at once.
  constexpr size_t MaxSorted = 64 * 1024;
  for (size_t Start = 0; Start < Addresses.size(); Start += MaxSorted) {
    ArrayRef<uint64_t> Now = Addresses.drop_front(Start).take_front(MaxSorted);
    if (is_sorted(Now)) {
      std::vector<uint32_t> Order(Now.size());
      std::iota(Order.begin(), Order.end(), 0);
      lookupInOrder(Now, Order, [&](size_t I, ArrayRef<Frame> Found) {
        Visit(Start + I, Found);
      });
      continue;
    }
    std::vector<Frame> All;
    std::vector<std::pair<size_t, size_t>> Places(Now.size());
    lookupInOrder(Now, ascendingOrder(Now),
                  [&](size_t I, ArrayRef<Frame> Found) {
                    Places[I] = {All.size(), Found.size()};
                    All.insert(All.end(), Found.begin(), Found.end());
                  });
    for (size_t I = 0; I != Now.size(); ++I)
      Visit(Start + I, ArrayRef(All).slice(Places[I].first, Places[I].second));
  }
}
