//===- StableSort.h - Sorting that keeps the order of equals ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_STABLESORT_H
#define LIDIA_LIB_PROCESS_STABLESORT_H

#include "llvm/ADT/STLExtras.h"
#include <numeric>
#include <vector>

namespace lidia {

/// Sorts \p Values by \p Key, and those with equal keys by their place. Not
/// std::stable_sort: clang warns about what GCC 12's calls.
template <typename T, typename KeyFunction>
void stableSort(std::vector<T> &Values, KeyFunction Key) {
  std::vector<size_t> Order(Values.size());
  std::iota(Order.begin(), Order.end(), size_t(0));
  llvm::sort(Order, [&](size_t A, size_t B) {
    auto KeyA = Key(Values[A]), KeyB = Key(Values[B]);
    return KeyA != KeyB ? KeyA < KeyB : A < B;
  });
  std::vector<T> Sorted;
  Sorted.reserve(Values.size());
  for (size_t I : Order)
    Sorted.push_back(std::move(Values[I]));
  Values = std::move(Sorted);
}

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_STABLESORT_H
