//===- PrefixMap.cpp - Replaces prefixes of paths -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Symbolize/PrefixMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

bool PrefixMap::addPair(StringRef OldAndNew) {
  if (!OldAndNew.contains('='))
    return false;
  auto [Old, New] = OldAndNew.split('=');
  add(Old, New);
  return true;
}

std::optional<std::string> PrefixMap::map(StringRef Path, size_t *Index) const {
  for (const auto &Pair : reverse(Pairs)) {
    const auto &[Old, New] = Pair;
    StringRef Rest = Path;
    if (!Rest.consume_front(Old) ||
        !(Rest.empty() || Rest.front() == '/' ||
          StringRef(Old).ends_with("/") || Old.empty()))
      continue;
    if (Index)
      *Index = &Pair - Pairs.data();
    // Without the prefix, the path is relative.
    if (New.empty())
      Rest.consume_front("/");
    return New + Rest.str();
  }
  return std::nullopt;
}

} // namespace lidia
