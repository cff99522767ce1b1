//===- StableSort.h - A stable sort -----------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_STABLESORT_H
#define LIDIA_LIB_SUPPORT_STABLESORT_H

#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace lidia {

/// Sorts \p Values, a random-access range, by \p Key; values with equal keys
/// keep their order. Not std::stable_sort, because clang warns about a function
/// that GCC 12's calls.
template <typename RangeT, typename KeyFunction>
void stableSort(RangeT &&Values, KeyFunction Key) {
  using T = std::decay_t<decltype(*std::begin(Values))>;
  std::vector<std::pair<decltype(Key(*std::begin(Values))), size_t>> Order;
  for (size_t I = 0; I != Values.size(); ++I)
    Order.emplace_back(Key(Values[I]), I);
  llvm::sort(Order);
  std::vector<T> Sorted;
  Sorted.reserve(Values.size());
  for (const auto &Entry : Order)
    Sorted.push_back(std::move(Values[Entry.second]));
  std::move(Sorted.begin(), Sorted.end(), std::begin(Values));
}

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_STABLESORT_H
