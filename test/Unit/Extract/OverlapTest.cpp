//===- OverlapTest.cpp - Intervals against a model by address -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extract/Overlap.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace lidia;
using namespace llvm;

namespace {

constexpr uint64_t Size = 24;

class RandomIntervals {
public:
  explicit RandomIntervals(uint64_t Seed) : Random(Seed) {}

  uint64_t below(uint64_t Count) { return Random() % Count; }

  /// Of all orders and shapes: nested as calls are or not, some empty.
  std::vector<Interval> any() {
    std::vector<Interval> Claims(below(8));
    std::vector<uint64_t> Ranks(Claims.size());
    std::iota(Ranks.rbegin(), Ranks.rend(), 1);
    if (below(2))
      std::shuffle(Ranks.begin(), Ranks.end(), Random);
    for (size_t I = 0; I != Claims.size(); ++I) {
      uint64_t Start = below(Size);
      Claims[I] = {Start, Start + below(Size + 1 - Start), Ranks[I], 100 + I};
      if (below(12) == 0)
        std::swap(Claims[I].Start, Claims[I].End);
    }
    return Claims;
  }

  /// Sorted intervals that may touch but do not overlap.
  std::vector<Interval> apart() {
    std::vector<Interval> All;
    for (uint64_t At = below(3), Count = below(6); Count && At < Size;
         --Count) {
      uint64_t End = At + 1 + below(Size - At);
      All.push_back({At, End, Count, 100 + Count});
      At = End + below(3);
    }
    return All;
  }

private:
  std::mt19937_64 Random;
};

bool covers(const Interval &I, uint64_t Address) {
  return I.Start <= Address && Address < I.End;
}

/// The runs of addresses that \p WinnerAt gives to one interval.
std::vector<Interval> runs(function_ref<const Interval *(uint64_t)> WinnerAt) {
  std::vector<Interval> Result;
  const Interval *Last = nullptr;
  for (uint64_t At = 0; At != Size; ++At) {
    const Interval *Winner = WinnerAt(At);
    if (Winner && Winner == Last)
      ++Result.back().End;
    else if (Winner)
      Result.push_back({At, At + 1, Winner->Rank, Winner->Item});
    Last = Winner;
  }
  return Result;
}

std::string text(ArrayRef<Interval> Intervals, uint64_t Base = 0) {
  std::string Text;
  for (const Interval &I : Intervals)
    Text += std::to_string(I.Start - Base) + "-" +
            std::to_string(I.End - Base) + " rank " + std::to_string(I.Rank) +
            " item " + std::to_string(I.Item) + "\n";
  return Text;
}

} // namespace

TEST(OverlapTest, EachAddressHasTheBestRank) {
  for (uint64_t Seed = 0; Seed != 20'000; ++Seed) {
    RandomIntervals R(Seed);
    const std::vector<Interval> Claims = R.any();
    std::string Expected = text(runs([&](uint64_t At) {
      const Interval *Best = nullptr;
      for (const Interval &I : Claims)
        if (covers(I, At) && (!Best || I.Rank < Best->Rank))
          Best = &I;
      return Best;
    }));
    // The same at the end of the address space, and far apart.
    for (uint64_t Base : {uint64_t(0), UINT64_MAX - Size}) {
      std::vector<Interval> Moved = Claims;
      for (Interval &I : Moved) {
        I.Start += Base;
        I.End += Base;
      }
      ASSERT_EQ(text(resolveOverlaps(Moved), Base), Expected)
          << "seed " << Seed << "\n"
          << text(Claims);
    }
  }
}

/// Distances that fit into 31 and 32 bits, and those that do not.
TEST(OverlapTest, IntervalsMayBeFarApart) {
  for (uint64_t Far : {uint64_t(1) << 31, uint64_t(UINT32_MAX),
                       uint64_t(1) << 32, uint64_t(1) << 33}) {
    Far += 5;
    EXPECT_EQ(
        text(resolveOverlaps(
            {{Far, Far + 9, 3, 7}, {5, 8, 2, 8}, {Far + 2, Far + 3, 1, 9}})),
        text(std::vector<Interval>{{5, 8, 2, 8},
                                   {Far, Far + 2, 3, 7},
                                   {Far + 2, Far + 3, 1, 9},
                                   {Far + 3, Far + 9, 3, 7}}));
  }
}

TEST(OverlapTest, SubtractLeavesWhatIsNotTaken) {
  for (uint64_t Seed = 0; Seed != 20'000; ++Seed) {
    RandomIntervals R(Seed);
    const std::vector<Interval> Claims = R.apart(), Taken = R.apart();
    std::string Expected = text(runs([&](uint64_t At) {
      auto Covers = [&](const Interval &I) { return covers(I, At); };
      auto Claim = find_if(Claims, Covers);
      return Claim == Claims.end() || any_of(Taken, Covers) ? nullptr : &*Claim;
    }));
    ASSERT_EQ(text(subtract(Claims, Taken)), Expected) << "seed " << Seed;
  }
}
