//===- LookupPrefetch.cpp - Lookups in archives far away ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A lookup reads a dozen places of an archive, and most of these places depend
/// on the contents of others. Each read of a file on another machine takes a
/// round trip, so the places are fetched in few rounds, for many addresses at
/// once:
///
/// 1. the entries of VAIX, and of RPAD's pages;
/// 2. the VAs of their pages, with all that belongs to the same ranges;
/// 3. the rows of the innermost ranges, and the strings of all ranges of the
///    chain that are known; for functions of thousands of ranges, the links and
///    ranges further back;
/// 4. the strings of those, and the files of single rows.
///
/// Opening has fetched what round 1 would, unless the archive is large. Round 4
/// is seldom needed. The lookups that follow find all parts in memory; if a
/// part is missing after all, they fetch it themselves.
///
//===----------------------------------------------------------------------===//

#include "LookupPrefetch.h"
#include "PagedMemory.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

namespace lidia {

class LookupPrefetch {
public:
  LookupPrefetch(const Archive &A, ArrayRef<uint64_t> Addresses,
                 bool AreReturns);

  void run();
  /// Does the same, but fetches nothing, and returns false where run() would.
  bool check();

private:
  /// An address and the places of its ranges.
  struct Search {
    uint64_t Address = 0;
    /// The part of the VA table that contains the range, unless the range is
    /// the one before the part.
    uint64_t Low = 0;
    uint64_t High = 0;
    /// The first range fetched with those of the page.
    uint64_t First = 0;
    /// The innermost range and the known ranges that enclose it.
    SmallVector<uint64_t, 8> Chain;
    bool IsChainComplete = false;
    /// The number of ranges of the chain whose entries are fetched or
    /// requested.
    size_t Fetched = 0;
    /// The number of ranges of the chain whose texts are requested.
    size_t Named = 0;
    /// The outermost range seen so far that covers the address.
    std::optional<uint64_t> Inner;
    bool IsDone = false;
  };

  /// Most enclosing ranges are at most this far before the innermost.
  static constexpr uint64_t Before = 128;
  /// Links are small, so that those of nearly all functions are fetched with
  /// the page.
  static constexpr uint64_t LinksBefore = 2048;
  /// The maximum number of bytes of an array that are fetched for an address.
  /// In a crafted archive, it could otherwise be the whole array.
  static constexpr uint64_t MaxBytes = 256 * 1024;
  /// Few strings are longer.
  static constexpr uint64_t StringSize = 256;

  void want(const FieldView &View, uint64_t First, uint64_t Count);
  void wantRanges(uint64_t First, uint64_t Count);
  void wantString(StringOffset Offset);
  /// Fetches everything that was requested, in one round. Returns false if only
  /// a check is made, and something is not there.
  bool fetch();
  bool isThere(StringRef Area) const;
  bool go();

  void wantIndex(uint64_t Address);
  void wantPads(uint64_t ReturnAddress, bool IsIndexThere);
  void readIndex(Search &S) const;
  void wantPage(Search &S);
  void readChain(Search &S) const;
  bool advance(Search &S);
  bool hasNextEntry(const Search &S) const;
  void wantTexts(Search &S, uint64_t I);
  void wantForeignFile(const Search &S);
  uint64_t rangeField(uint64_t Range, RangeField Field) const {
    return A.Ranges[Range * RF_FieldCount + Field];
  }

  const Archive &A;
  /// The return addresses to look up among the return pads, or null.
  const ArrayRef<uint64_t> Returns;
  std::vector<Search> Searches;
  std::vector<StringRef> Wanted;
  bool IsCheck = false;
};

LookupPrefetch::LookupPrefetch(const Archive &A, ArrayRef<uint64_t> Addresses,
                               bool AreReturns)
    : A(A), Returns(AreReturns ? Addresses : ArrayRef<uint64_t>()) {
  Searches.resize(Addresses.size());
  for (auto [S, Address] : zip(Searches, Addresses))
    S.Address = Address - AreReturns;
}

void LookupPrefetch::want(const FieldView &View, uint64_t First,
                          uint64_t Count) {
  First = std::min(First, View.Count);
  Count = std::min({Count, View.Count - First, MaxBytes / View.Width});
  Wanted.emplace_back(View.Data + First * View.Width, Count * View.Width);
}

void LookupPrefetch::wantRanges(uint64_t First, uint64_t Count) {
  want(A.VAs, First, Count);
  want(A.Ranges, First * RF_FieldCount, Count * RF_FieldCount);
  want(A.Parents, First, Count);
  want(A.CallColumns, First, Count);
}

void LookupPrefetch::wantString(StringOffset Offset) {
  Wanted.push_back(
      A.StringTable.substr(std::min<uint64_t>(Offset, A.StringTable.size()))
          .take_front(StringSize));
}

bool LookupPrefetch::isThere(StringRef Area) const {
  return Area.empty() || A.Memory->isKept(Area) ||
         A.Memory->isLoaded(Area.data(), Area.size());
}

bool LookupPrefetch::fetch() {
  if (!IsCheck)
    A.Memory->prefetch(Wanted);
  else if (!all_of(Wanted, [&](StringRef Area) { return isThere(Area); }))
    return false;
  Wanted.clear();
  return true;
}

void LookupPrefetch::wantIndex(uint64_t Address) {
  if (A.Pages.Count < 2)
    // Another tool's archive, or a tiny one.
    want(A.VAs, 0, A.RangeCount);
  else if (Address >= A.PageBase)
    want(A.Pages, (Address - A.PageBase) >> A.PageShift, 2);
}

void LookupPrefetch::wantPads(uint64_t ReturnAddress, bool IsIndexThere) {
  const Archive::ReturnPadTable &Pads = A.Pads;
  uint64_t K = (ReturnAddress - Pads.Base) >> Pads.Shift;
  if (ReturnAddress < Pads.Base || K >= Pads.PageCount)
    return;
  if (!IsIndexThere) {
    Wanted.emplace_back(reinterpret_cast<const char *>(Pads.Pages + K),
                        2 * sizeof(ReturnPadPage));
    return;
  }
  auto [First, End] = Pads.page(K);
  Wanted.emplace_back(
      Pads.Entries + First * Pads.entrySize(),
      std::min((End - std::min(First, End)) * Pads.entrySize(), MaxBytes));
}

/// Like ArchiveLookup::page().
void LookupPrefetch::readIndex(Search &S) const {
  S.High = A.RangeCount;
  if (A.Pages.Count < 2)
    return;
  if (S.Address < A.PageBase) {
    S.High = 0;
    return;
  }
  uint64_t Page = (S.Address - A.PageBase) >> A.PageShift;
  if (Page >= A.Pages.Count - 1) {
    S.Low = S.High;
    return;
  }
  S.High = std::min(A.Pages[Page + 1], A.RangeCount);
  S.Low = std::min(A.Pages[Page], S.High);
}

void LookupPrefetch::wantPage(Search &S) {
  S.First = S.Low - std::min(S.Low, Before);
  wantRanges(S.First, S.High - S.First);
  uint64_t FirstLink = S.Low - std::min(S.Low, LinksBefore);
  want(A.Parents, FirstLink, S.First - FirstLink);
}

/// Follows the links that were fetched.
void LookupPrefetch::readChain(Search &S) const {
  if (S.Chain.empty()) {
    uint64_t UpTo = S.Low + lowerBound(S.High - S.Low, [&](uint64_t I) {
                      return A.VAs[S.Low + I] <= S.Address;
                    });
    if (UpTo != 0)
      S.Chain.push_back(UpTo - 1);
  }
  S.IsChainComplete = true;
  if (S.Chain.empty())
    return;
  while (S.Chain.size() <= MaxDepth) {
    std::optional<uint64_t> Parent = A.parent(S.Chain.back());
    if (!Parent)
      return;
    S.Chain.push_back(*Parent);
    if (!A.Memory->isLoaded(A.Parents.Data + *Parent * A.Parents.Width,
                            A.Parents.Width)) {
      S.IsChainComplete = false;
      return;
    }
  }
}

/// Whether the entry of the next range of the chain that has no texts yet was
/// fetched: for the chain, with the page, or because it is next to another.
bool LookupPrefetch::hasNextEntry(const Search &S) const {
  if (S.Named == S.Chain.size())
    return false;
  uint64_t I = S.Chain[S.Named];
  unsigned EntrySize = A.Ranges.Width * RF_FieldCount;
  return S.Named < S.Fetched || I >= S.First ||
         (A.Memory->isLoaded(A.VAs.Data + I * A.VAs.Width, A.VAs.Width) &&
          A.Memory->isLoaded(A.Ranges.Data + I * EntrySize, EntrySize));
}

/// Requests what \p S needs next, given what was fetched. Returns false if
/// nothing is needed after that.
bool LookupPrefetch::advance(Search &S) {
  if (S.IsDone)
    return false;
  if (!S.IsChainComplete)
    readChain(S);
  const bool HasRows = S.Inner.has_value();
  while (hasNextEntry(S))
    wantTexts(S, S.Chain[S.Named++]);
  for (uint64_t I : ArrayRef(S.Chain).drop_front(S.Fetched))
    wantRanges(I, 1);
  S.Fetched = S.Chain.size();
  if (!S.IsChainComplete || S.Named != S.Chain.size())
    return true;
  bool HasForeignRows = !A.view(&ArchiveArrays::ForeignRows).empty();
  if (HasForeignRows && HasRows)
    wantForeignFile(S);
  S.IsDone = !HasForeignRows || HasRows || !S.Inner;
  return !S.IsDone;
}

void LookupPrefetch::wantTexts(Search &S, uint64_t I) {
  if (S.Address - A.VAs[I] >= rangeField(I, RF_Length))
    return;
  wantString(rangeField(I, RF_Function));
  if (S.Inner) {
    wantString(rangeField(*S.Inner, RF_CallFile));
  } else {
    wantString(rangeField(I, RF_File));
    uint64_t First = std::min(rangeField(I, RF_FirstRow), A.RowCount);
    uint64_t Count = std::min(rangeField(I, RF_RowCount), A.RowCount - First);
    want(A.Lines, First * 2, Count * 2);
    want(A.RowColumns, First, Count);
  }
  S.Inner = I;
}

void LookupPrefetch::wantForeignFile(const Search &S) {
  SmallVector<Frame, 16> Frames;
  A.lookupPaged(S.Address, Frames);
  if (!Frames.empty())
    wantString(Frames.front().File);
}

void LookupPrefetch::run() { (void)go(); }

bool LookupPrefetch::check() {
  IsCheck = true;
  return go();
}

bool LookupPrefetch::go() {
  PagedRead Read(A.Memory.get());
  for (const Search &S : Searches)
    wantIndex(S.Address);
  for (uint64_t Address : Returns)
    wantPads(Address, /*IsIndexThere=*/false);
  if (!fetch())
    return false;
  for (Search &S : Searches) {
    readIndex(S);
    wantPage(S);
  }
  for (uint64_t Address : Returns)
    wantPads(Address, /*IsIndexThere=*/true);
  if (!fetch())
    return false;
  for (bool IsMoreNeeded = true; IsMoreNeeded;) {
    IsMoreNeeded = false;
    for (Search &S : Searches)
      IsMoreNeeded |= advance(S);
    if (!fetch())
      return false;
  }
  return true;
}

bool isPrefetched(const Archive &A, ArrayRef<uint64_t> Addresses) {
  return !A.isFar() ||
         LookupPrefetch(A, Addresses, /*AreReturns=*/false).check();
}

} // namespace lidia

void Archive::prefetch(ArrayRef<uint64_t> Addresses, bool AreReturns) const {
  if (isFar())
    LookupPrefetch(*this, Addresses, AreReturns).run();
}
