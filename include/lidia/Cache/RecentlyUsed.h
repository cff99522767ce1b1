//===- RecentlyUsed.h - A bounded map of recently used values ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_RECENTLYUSED_H
#define LIDIA_CACHE_RECENTLYUSED_H

#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <list>
#include <string>
#include <utility>

namespace lidia {

/// Values by name, of which only those used most recently are kept. Not
/// thread-safe.
template <typename T> class RecentlyUsed {
public:
  /// Keeps \p Most values, at least one.
  explicit RecentlyUsed(size_t Most) : Most(std::max<size_t>(Most, 1)) {}

  /// The value named \p Name, which counts as used now; null if there is none.
  /// Valid until the next call of add().
  T *find(llvm::StringRef Name) {
    auto It = ByName.find(Name);
    if (It == ByName.end())
      return nullptr;
    Values.splice(Values.begin(), Values, It->second);
    return &Values.front().second;
  }

  /// Adds \p Value under \p Name, which must be new, and drops the value whose
  /// last use is longest ago if there are too many. Valid as with find().
  T &add(llvm::StringRef Name, T Value) {
    if (Values.size() == Most) {
      ByName.erase(Values.back().first);
      Values.pop_back();
      ++Dropped;
    }
    Values.emplace_front(Name.str(), std::move(Value));
    ByName[Name] = Values.begin();
    return Values.front().second;
  }

  /// The number of values that add() has dropped.
  uint64_t dropped() const { return Dropped; }

private:
  using List = std::list<std::pair<std::string, T>>;

  const size_t Most;
  uint64_t Dropped = 0;
  /// The most recently used first.
  List Values;
  llvm::StringMap<typename List::iterator> ByName;
};

} // namespace lidia

#endif // LIDIA_CACHE_RECENTLYUSED_H
