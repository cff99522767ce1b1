//===- RecentlyUsed.h - A bounded map of recently used values ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SUPPORT_RECENTLYUSED_H
#define LIDIA_SUPPORT_RECENTLYUSED_H

#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <list>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace lidia {

/// A map that keeps only the most recently used values. Not thread-safe.
template <typename T, typename Key = std::string> class RecentlyUsed {
public:
  using KeyRef = std::conditional_t<std::is_same_v<Key, std::string>,
                                    llvm::StringRef, Key>;

  /// Keeps at most \p TheMax values, but at least one, with a total cost of at
  /// most \p TheMaxCost unless a single value costs more.
  explicit RecentlyUsed(size_t TheMax, uint64_t TheMaxCost = UINT64_MAX)
      : Max(std::max<size_t>(TheMax, 1)), MaxCost(TheMaxCost) {}

  /// The value of \p Name, which is marked as used now; null if there is none.
  /// The pointer is valid until the next call of add().
  T *find(KeyRef Name) {
    auto It = ByName.find(Name);
    if (It == ByName.end())
      return nullptr;
    Values.splice(Values.begin(), Values, It->second);
    return &Values.front().Value;
  }

  /// Adds \p Value under \p Name, which must be new, and drops the least
  /// recently used values if there are too many or they cost too much. The
  /// reference is valid until the next call of add().
  T &add(KeyRef Name, T Value, uint64_t Cost = 0) {
    while (!Values.empty() && (Values.size() == Max || isTooMuch(Cost)))
      dropLast();
    Values.push_front({Key(Name), std::move(Value), Cost});
    TotalCost += Cost;
    ByName[Name] = Values.begin();
    return Values.front().Value;
  }

  size_t size() const { return Values.size(); }
  size_t max() const { return Max; }
  /// The total cost of the values that are kept.
  uint64_t totalCost() const { return TotalCost; }
  uint64_t maxCost() const { return MaxCost; }
  /// The number of values that add() has dropped.
  uint64_t dropped() const { return Dropped; }

private:
  struct Entry {
    Key Name;
    T Value;
    uint64_t Cost;
  };
  using List = std::list<Entry>;
  using Iterator = typename List::iterator;

  /// Whether adding a value that costs \p Cost would exceed the limit. Sums of
  /// costs may overflow.
  bool isTooMuch(uint64_t Cost) const {
    return Cost > MaxCost || TotalCost > MaxCost - Cost;
  }

  void dropLast() {
    const Entry &Last = Values.back();
    TotalCost -= Last.Cost;
    ByName.erase(Last.Name);
    Values.pop_back();
    ++Dropped;
  }

  const size_t Max;
  const uint64_t MaxCost;
  uint64_t TotalCost = 0;
  uint64_t Dropped = 0;
  /// The most recently used first.
  List Values;
  std::conditional_t<std::is_same_v<Key, std::string>,
                     llvm::StringMap<Iterator>,
                     std::unordered_map<Key, Iterator>>
      ByName;
};

} // namespace lidia

#endif // LIDIA_SUPPORT_RECENTLYUSED_H
