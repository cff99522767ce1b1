//===- FormerReader.cpp - The former lookup, for comparison ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A copy of a former version of lib/Archive/Lookup.cpp, reduced to single
/// lookups. Do not improve it.
///
//===----------------------------------------------------------------------===//

#include "FormerReader.h"
#include <limits>

using namespace llvm;
using namespace lidia::format;

namespace lidia {

template <typename T>
using Packed = support::detail::packed_endian_specific_integral<
    T, llvm::endianness::little, support::unaligned>;

template <unsigned Stride, typename T>
static uint64_t upperBound(const Packed<T> *First, uint64_t Count,
                           uint64_t Key) {
  T NarrowKey = T(std::min<uint64_t>(Key, std::numeric_limits<T>::max()));
  const Packed<T> *Base = First;
  if (Count == 0)
    return 0;
  while (Count > 1) {
    uint64_t Half = Count / 2;
    Base += (Base[Half * Stride] <= NarrowKey) * (Half * Stride);
    Count -= Half;
  }
  return uint64_t(Base - First) / Stride + (*Base <= NarrowKey);
}

static inline void prefetch(const void *Begin, const void *End) {
  constexpr uintptr_t Line = 64, MaxLines = 8;
  uintptr_t From = uintptr_t(Begin) & ~(Line - 1), To = uintptr_t(End);
  To = std::min(To, From + MaxLines * Line);
  for (uintptr_t P = From; P < To; P += Line)
    LLVM_PREFETCH(reinterpret_cast<const void *>(P), 0, 3);
}

static uint64_t rowsUpTo(const FieldView &Lines, uint64_t First, uint64_t Count,
                         uint64_t Offset) {
  const char *Rows = Lines.Data + First * 2 * Lines.Width;
  prefetch(Rows, Rows + Count * 2 * Lines.Width);
  if (Lines.Width == 2)
    return upperBound<2>(reinterpret_cast<const Packed<uint16_t> *>(Rows),
                         Count, Offset);
  return upperBound<2>(reinterpret_cast<const Packed<uint32_t> *>(Rows), Count,
                       Offset);
}

static std::optional<uint64_t> foreignRow(const FieldView &ForeignRows,
                                          uint64_t Row) {
  uint64_t Count = ForeignRows.Count / 3, UpTo;
  if (ForeignRows.Width == 4)
    UpTo = upperBound<3>(
        reinterpret_cast<const Packed<uint32_t> *>(ForeignRows.Data), Count,
        Row);
  else
    UpTo = upperBound<3>(
        reinterpret_cast<const Packed<uint64_t> *>(ForeignRows.Data), Count,
        Row);
  if (UpTo == 0 || ForeignRows[(UpTo - 1) * 3] != Row)
    return std::nullopt;
  return (UpTo - 1) * 3;
}

static uint32_t narrow(uint64_t Value) {
  return Value <= UINT32_MAX ? uint32_t(Value) : 0;
}

template <typename VAType, typename FieldType> class FormerLookup {
  using Entry = Packed<FieldType>[RF_FieldCount];

public:
  explicit FormerLookup(const FormerReader &A)
      : A(A), VAs(reinterpret_cast<const Packed<VAType> *>(A.VAs)),
        Entries(reinterpret_cast<const Entry *>(A.Ranges)) {}

  uint64_t rangesUpTo(uint64_t Address) const {
    auto [Low, High] = page(Address);
    return Low + upperBound<1>(VAs + Low, High - Low, Address);
  }

  void chain(uint64_t UpTo, uint64_t Address,
             SmallVectorImpl<Frame> &Frames) const {
    Frames.clear();
    if (UpTo == 0)
      return;
    uint64_t I = UpTo - 1;
    const Entry *Inner = nullptr;
    for (uint64_t Steps = 0; Steps <= MaxDepth; ++Steps) {
      addFrame(I, Address, Inner, Frames);
      uint64_t Distance = A.Parents[I];
      if (Distance == 0 || Distance > I)
        return;
      I -= Distance;
    }
  }

private:
  std::pair<uint64_t, uint64_t> page(uint64_t Address) const {
    if (Address < A.PageBase)
      return {};
    uint64_t Page = (Address - A.PageBase) >> A.PageShift;
    if (Page >= A.Pages.Count - 1)
      return {A.RangeCount, A.RangeCount};
    auto *Pages = reinterpret_cast<const Packed<uint32_t> *>(A.Pages.Data);
    uint64_t High = std::min<uint64_t>(Pages[Page + 1], A.RangeCount);
    uint64_t Low = std::min<uint64_t>(Pages[Page], High);
    prefetch(VAs + Low, VAs + High);
    const char *Parents = A.Parents.Data;
    prefetch(Parents + Low * A.Parents.Width, Parents + High * A.Parents.Width);
    return {Low, High};
  }

  LLVM_ATTRIBUTE_ALWAYS_INLINE void
  addFrame(uint64_t I, uint64_t Address, const Entry *&Inner,
           SmallVectorImpl<Frame> &Frames) const {
    const Entry &E = Entries[I];
    uint64_t Offset = Address - VAs[I];
    if (Offset >= E[RF_Length])
      return;
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

  void setCall(const Entry &Inner, uint64_t InnerRange, Frame &F) const {
    F.File = Inner[RF_CallFile];
    F.Line = narrow(Inner[RF_CallLine]);
    F.Column = InnerRange < A.CallColumns.Count
                   ? uint32_t(A.CallColumns[InnerRange])
                   : 0;
  }

  void setPosition(const Entry &E, uint64_t Offset, Frame &F) const {
    F.File = E[RF_File];
    uint64_t First = E[RF_FirstRow];
    if (First >= A.RowCount)
      return;
    uint64_t Count = std::min<uint64_t>(E[RF_RowCount], A.RowCount - First);
    if (uint64_t UpTo = rowsUpTo(A.Lines, First, Count, Offset))
      setRow(First + UpTo - 1, F);
  }

  void setRow(uint64_t Row, Frame &F) const {
    F.Line = uint32_t(A.Lines[Row * 2 + 1]);
    F.Column =
        Row < A.RowColumns.Count ? uint32_t(A.RowColumns[Row]) : uint32_t(0);
    if (F.Line != 0 || A.ForeignRows.empty())
      return;
    if (std::optional<uint64_t> Entry = foreignRow(A.ForeignRows, Row)) {
      F.File = A.ForeignRows[*Entry + 1];
      F.Line = narrow(A.ForeignRows[*Entry + 2]);
    }
  }

  const FormerReader &A;
  const Packed<VAType> *VAs;
  const Entry *Entries;
};

Expected<FormerReader> FormerReader::create(const Archive &A) {
  std::optional<FieldView> Parents = A.array(ET_Parents);
  std::optional<StringRef> Index = A.extensionSection(ET_VAIndex);
  if (A.isPaged() || !Parents || !Index || Index->size() < 24)
    return createStringError(A.name() + ": the former reader needs an archive "
                                        "that is not compressed and has the "
                                        "sections PRNT and VAIX");
  const Header &H = A.header();
  const char *Data = A.buffer().getBufferStart();
  FormerReader R;
  R.RangeCount = A.rangeCount();
  R.RowCount = A.rowCount();
  R.VASize = unsigned(H.VAs.FieldSize);
  R.FieldSize = unsigned(H.Ranges.FieldSize);
  R.VAs = Data + H.VAs.Offset;
  R.Ranges = Data + H.Ranges.Offset;
  R.Lines = {Data + H.Lines.Offset, R.RowCount * 2,
             unsigned(H.Lines.FieldSize)};
  R.Parents = *Parents;
  R.ForeignRows = A.array(ET_ForeignRows).value_or(FieldView());
  R.RowColumns = A.array(ET_RowColumns).value_or(FieldView());
  R.CallColumns = A.array(ET_CallColumns).value_or(FieldView());
  auto &Pages = *reinterpret_cast<const VAIndexHeader *>(Index->data());
  R.Pages = {Index->data() + sizeof(Pages), (Index->size() - sizeof(Pages)) / 4,
             4};
  R.PageBase = Pages.Base;
  R.PageShift = Pages.Shift;
  return R;
}

void FormerReader::lookup(uint64_t Address,
                          SmallVectorImpl<Frame> &Frames) const {
  auto Do = [&](auto Lookup) {
    Lookup.chain(Lookup.rangesUpTo(Address), Address, Frames);
  };
  if (VASize == 4 && FieldSize == 4)
    Do(FormerLookup<uint32_t, uint32_t>(*this));
  else if (VASize == 4)
    Do(FormerLookup<uint32_t, uint64_t>(*this));
  else if (FieldSize == 4)
    Do(FormerLookup<uint64_t, uint32_t>(*this));
  else
    Do(FormerLookup<uint64_t, uint64_t>(*this));
}

} // namespace lidia
