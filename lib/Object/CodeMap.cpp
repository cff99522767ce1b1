//===- CodeMap.cpp - The code addresses of a binary -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeMap.h"
#include <algorithm>

namespace lidia {

CodeMap::CodeMap(std::vector<Area> Unsorted) {
  std::sort(Unsorted.begin(), Unsorted.end(), [](const Area &A, const Area &B) {
    return A.Start != B.Start ? A.Start < B.Start : A.End < B.End;
  });
  for (const Area &A : Unsorted) {
    if (A.Start >= A.End)
      continue;
    if (!Areas.empty() && A.Start < Areas.back().End)
      Areas.back().End = std::max(Areas.back().End, A.End);
    else
      Areas.push_back(A);
  }
}

const CodeMap::Area *CodeMap::find(uint64_t Address) const {
  auto It = std::upper_bound(
      Areas.begin(), Areas.end(), Address,
      [](uint64_t Address, const Area &A) { return Address < A.Start; });
  if (It == Areas.begin() || Address >= std::prev(It)->End)
    return nullptr;
  return &*std::prev(It);
}

bool CodeMap::clip(uint64_t &Start, uint64_t &End) const {
  const Area *A = find(Start);
  if (!A)
    return false;
  End = std::min(End, A->End);
  return Start < End;
}

} // namespace lidia
