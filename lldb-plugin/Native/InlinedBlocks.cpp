//===- InlinedBlocks.cpp - Blocks of inlined calls ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlinedBlocks.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using lldb_private::Block;

namespace lidia {

InlinedBlocks::InlinedBlocks(llvm::ArrayRef<InlinedCall> InlinedCalls,
                             llvm::ArrayRef<Block *> Blocks, uint64_t Start,
                             uint64_t End) {
  struct Piece {
    uint64_t Start, End;
    size_t Call;
  };
  std::vector<Piece> Pieces;
  Calls.reserve(Blocks.size());
  for (auto [I, C] : llvm::enumerate(InlinedCalls)) {
    Calls.push_back({C.Function, Blocks[I]});
    for (const CallCode &Code : C.Code)
      Pieces.push_back({Code.Start, Code.End, I});
  }
  // Outer calls precede those inlined into them.
  llvm::sort(Pieces, [](const Piece &A, const Piece &B) {
    return std::tie(A.Start, A.Call) < std::tie(B.Start, B.Call);
  });

  struct Open {
    uint64_t End;
    Block *B;
  };
  llvm::SmallVector<Open, 16> Stack = {{End, nullptr}};
  auto CloseUntil = [&](uint64_t Address) {
    while (Stack.size() > 1 && Stack.back().End <= Address) {
      uint64_t Closed = Stack.pop_back_val().End;
      addChange(Closed, Stack.back().B);
    }
  };
  addChange(Start, nullptr);
  for (const Piece &P : Pieces) {
    CloseUntil(P.Start);
    // In damaged archives, a call may extend beyond the enclosing code.
    uint64_t PieceEnd = std::min(P.End, Stack.back().End);
    if (P.Start < Start || P.Start >= PieceEnd)
      continue;
    Stack.push_back({PieceEnd, Blocks[P.Call]});
    addChange(P.Start, Blocks[P.Call]);
  }
  CloseUntil(UINT64_MAX);
}

void InlinedBlocks::addChange(uint64_t Address, Block *Innermost) {
  if (!Changes.empty() && Changes.back().Address == Address)
    Changes.back().Innermost = Innermost;
  else
    Changes.push_back({Address, Innermost});
}

Block *InlinedBlocks::at(uint64_t Address) const {
  auto Behind = llvm::partition_point(
      Changes, [&](const Change &C) { return C.Address <= Address; });
  return Behind == Changes.begin() ? nullptr : std::prev(Behind)->Innermost;
}

} // namespace lidia
