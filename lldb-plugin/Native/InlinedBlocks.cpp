//===- InlinedBlocks.cpp - Blocks of inlined calls ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlinedBlocks.h"
#include "llvm/ADT/STLExtras.h"

using lldb_private::Block;

namespace lidia {

InlinedBlocks::InlinedBlocks(llvm::ArrayRef<InlinedCall> InlinedCalls,
                             llvm::ArrayRef<Block *> Blocks, uint64_t Start,
                             uint64_t End)
    : Innermost(InlinedCalls, Start, End) {
  Calls.reserve(Blocks.size());
  for (auto [Call, B] : llvm::zip(InlinedCalls, Blocks))
    Calls.push_back({Call.Function, B});
}

Block *InlinedBlocks::at(uint64_t Address) const {
  uint32_t Call = Innermost.at(Address);
  return Call == InlinedCall::None ? nullptr : Calls[Call].B;
}

} // namespace lidia
