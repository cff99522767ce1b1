//===- Overlap.cpp - Resolves overlapping intervals -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Overlap.h"
#include <algorithm>
#include <queue>

namespace lidia {

/// Whether no two of \p Claims, which are sorted, overlap or touch, and none is
/// empty.
static bool areApart(const std::vector<Interval> &Claims) {
  for (size_t I = 0; I < Claims.size(); ++I)
    if (Claims[I].Start >= Claims[I].End ||
        (I && Claims[I].Start <= Claims[I - 1].End))
      return false;
  return true;
}

namespace {

/// Sweeps over addresses in ascending order, tracking the open intervals.
class Sweep {
public:
  explicit Sweep(std::vector<Interval> &Result) : Result(Result) {}

  /// Assigns all addresses below \p Limit.
  void advance(uint64_t Limit);
  /// Opens \p I, which starts at or below the limit of advance(). It must exist
  /// until the end.
  void open(const Interval &I);

private:
  void dropEnded();
  const Interval *best() const;
  void give(const Interval &Winner, uint64_t End);

  struct WorseRank {
    bool operator()(const Interval *A, const Interval *B) const {
      return A->Rank > B->Rank;
    }
  };
  std::vector<Interval> &Result;
  /// Open intervals, each of better rank than those before it. Calls are inside
  /// their function, so nearly all are here.
  std::vector<const Interval *> Nested;
  /// The other open intervals.
  std::priority_queue<const Interval *, std::vector<const Interval *>,
                      WorseRank>
      Others;
  uint64_t Settled = 0;
};

} // namespace

void Sweep::give(const Interval &Winner, uint64_t End) {
  uint64_t Start = std::max(Settled, Winner.Start);
  if (!Result.empty() && Result.back().End == Start &&
      Result.back().Rank == Winner.Rank)
    Result.back().End = End;
  else
    Result.push_back({Start, End, Winner.Rank, Winner.Item});
  Settled = End;
}

void Sweep::dropEnded() {
  while (!Nested.empty() && Nested.back()->End <= Settled)
    Nested.pop_back();
  while (!Others.empty() && Others.top()->End <= Settled)
    Others.pop();
}

void Sweep::open(const Interval &I) {
  dropEnded();
  if (Nested.empty() || I.Rank < Nested.back()->Rank)
    Nested.push_back(&I);
  else
    Others.push(&I);
}

/// The open interval of best rank; null if there is none.
const Interval *Sweep::best() const {
  if (Others.empty())
    return Nested.empty() ? nullptr : Nested.back();
  const Interval *Other = Others.top();
  return Nested.empty() || Other->Rank < Nested.back()->Rank ? Other
                                                             : Nested.back();
}

void Sweep::advance(uint64_t Limit) {
  while (Settled < Limit) {
    dropEnded();
    const Interval *Best = best();
    if (!Best)
      break;
    give(*Best, std::min(Best->End, Limit));
  }
  Settled = std::max(Settled, Limit);
}

/// Sorts \p Claims by start if none has a worse rank than the one before, as
/// the calls of a function have. Sorting numbers is several times as fast as
/// sorting intervals. Returns false if the claims do not fit.
static bool sortNested(std::vector<Interval> &Claims) {
  uint64_t Lowest = Claims.front().Start, Highest = Lowest;
  for (size_t I = 1; I < Claims.size(); ++I) {
    if (Claims[I].Rank > Claims[I - 1].Rank)
      return false;
    Lowest = std::min(Lowest, Claims[I].Start);
    Highest = std::max(Highest, Claims[I].Start);
  }
  if (Highest - Lowest > UINT32_MAX || Claims.size() > UINT32_MAX)
    return false;
  std::vector<uint64_t> Keys(Claims.size());
  for (size_t I = 0; I < Claims.size(); ++I)
    Keys[I] = (Claims[I].Start - Lowest) << 32 | I;
  std::sort(Keys.begin(), Keys.end());
  std::vector<Interval> Sorted;
  Sorted.reserve(Claims.size());
  for (uint64_t Key : Keys)
    Sorted.push_back(Claims[uint32_t(Key)]);
  Claims = std::move(Sorted);
  return true;
}

std::vector<Interval> resolveOverlaps(std::vector<Interval> Claims) {
  if (!std::is_sorted(Claims.begin(), Claims.end(), ByStart()) &&
      !sortNested(Claims))
    std::sort(Claims.begin(), Claims.end(), ByStart());
  // Most functions have one range, and many have no inlined calls.
  if (areApart(Claims))
    return Claims;
  std::vector<Interval> Result;
  Result.reserve(Claims.size());
  Sweep S(Result);
  for (const Interval &I : Claims) {
    if (I.Start >= I.End)
      continue;
    S.advance(I.Start);
    S.open(I);
  }
  S.advance(UINT64_MAX);
  return Result;
}

std::vector<Interval> subtract(llvm::ArrayRef<Interval> Claims,
                               llvm::ArrayRef<Interval> Taken) {
  std::vector<Interval> Result;
  const Interval *T = Taken.begin();
  for (Interval I : Claims) {
    while (T != Taken.end() && T->End <= I.Start)
      ++T;
    for (const Interval *U = T; U != Taken.end() && U->Start < I.End; ++U) {
      if (I.Start < U->Start)
        Result.push_back({I.Start, U->Start, I.Rank, I.Item});
      I.Start = std::min(I.End, U->End);
    }
    if (I.Start < I.End)
      Result.push_back(I);
  }
  return Result;
}

} // namespace lidia
