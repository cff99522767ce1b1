//===- InlinedCalls.cpp - The calls inlined into one function -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/InlinedCalls.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace lidia {

std::vector<InlinedCall> inlinedCalls(const Archive &A, uint64_t Root) {
  constexpr uint32_t None = InlinedCall::None;
  std::vector<InlinedCall> Calls;
  using Key =
      std::tuple<uint32_t, StringOffset, StringOffset, uint64_t, uint32_t>;
  std::map<Key, uint32_t> Known;
  // Open[D] is the call of depth D + 1 whose range began last; Newest holds the
  // newest call of each parent, at the parent's index plus one.
  SmallVector<uint32_t, 16> Open;
  std::vector<uint32_t> Newest = {None};
  for (uint64_t I = Root + 1; I < A.rangeCount(); ++I) {
    RangeEntry R = A.range(I);
    if (R.Depth == 0)
      break;
    Open.truncate(std::min<uint64_t>(R.Depth - 1, Open.size()));
    // Callers may walk the calls recursively.
    if (Open.size() >= format::MaxDepth)
      continue;
    uint32_t Parent = Open.empty() ? None : Open.back();
    auto [It, New] = Known.try_emplace(
        {Parent, R.Function, R.CallFile, R.CallLine, A.callColumn(I)},
        uint32_t(Calls.size()));
    uint32_t Call = It->second;
    if (New) {
      Calls.emplace_back().Parent = Parent;
      Newest.push_back(None);
      // For None this is the first entry, that of the function itself.
      uint32_t &Last = Newest[Parent + 1u];
      if (Last != None)
        Calls[Last].NextSibling = Call;
      else if (Parent != None)
        Calls[Parent].FirstChild = Call;
      Last = Call;
    }
    Calls[Call].Ranges.push_back(I);
    Open.push_back(Call);
  }
  return Calls;
}

} // namespace lidia
