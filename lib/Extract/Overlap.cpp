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
  void open(const Interval &I) { Open.push(I); }

private:
  void give(const Interval &Winner, uint64_t End);

  struct WorseRank {
    bool operator()(const Interval &A, const Interval &B) const {
      return A.Rank > B.Rank;
    }
  };
  std::vector<Interval> &Result;
  std::priority_queue<Interval, std::vector<Interval>, WorseRank> Open;
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

void Sweep::advance(uint64_t Limit) {
  while (!Open.empty() && Settled < Limit) {
    const Interval &Best = Open.top();
    if (Best.End <= Settled) {
      Open.pop();
      continue;
    }
    give(Best, std::min(Best.End, Limit));
  }
  Settled = std::max(Settled, Limit);
}

std::vector<Interval> resolveOverlaps(std::vector<Interval> Claims) {
  auto ByStart = [](const Interval &A, const Interval &B) {
    return A.Start != B.Start ? A.Start < B.Start : A.Rank < B.Rank;
  };
  if (!std::is_sorted(Claims.begin(), Claims.end(), ByStart))
    std::sort(Claims.begin(), Claims.end(), ByStart);
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
