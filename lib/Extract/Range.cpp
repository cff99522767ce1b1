//===- Range.cpp - What a source of symbols gives -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/Range.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

StringID mainFile(ArrayRef<Row> Rows) {
  SmallVector<std::pair<StringID, unsigned>, 8> Counts;
  for (const Row &R : Rows) {
    if (!R.File)
      continue;
    auto *It = find_if(Counts, [&](auto &C) { return C.first == R.File; });
    if (It == Counts.end())
      Counts.push_back({R.File, 1});
    else
      ++It->second;
  }
  auto *Best =
      std::max_element(Counts.begin(), Counts.end(),
                       [](auto &A, auto &B) { return A.second < B.second; });
  return Best == Counts.end() ? 0 : Best->first;
}

} // namespace lidia
