//===- FunctionLines.cpp - The lines of one function ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/FunctionLines.h"
#include "LineWalk.h"

using namespace llvm;

namespace lidia {

uint64_t functionEnd(const Archive &A, uint64_t Root) {
  uint64_t End = Root + 1;
  while (End < A.rangeCount() && A.range(End).Depth)
    ++End;
  return End;
}

void visitFunctionLines(const Archive &A, uint64_t Root,
                        function_ref<void(const FunctionLine &)> Visit) {
  LineWalk(A, UINT64_MAX, Visit).run(Root);
}

} // namespace lidia
