//===- CallEdges.cpp - Which calls an archive keeps -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallEdges.h"
#include "lidia/Archive/Format.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

void dropUselessCalls(std::vector<SourceRanges> &Sources, size_t StringIDEnd) {
  BitVector HasTailCall(StringIDEnd);
  for (const SourceRanges &S : Sources)
    for (const UnitRanges &U : S.Units)
      for (StringID Name : U.TailCallers)
        HasTailCall.set(Name);
  for (SourceRanges &S : Sources)
    for (UnitRanges &U : S.Units) {
      erase_if(U.Calls, [&](const CallEdge &C) {
        return !(C.Flags & (format::CF_Tail | format::CF_Target)) &&
               !HasTailCall.test(C.Callee);
      });
      U.Calls.shrink_to_fit();
    }
}

void appendCalls(const UnitRanges &Unit, uint64_t Start, uint64_t End,
                 std::vector<CallEdge> &Out) {
  auto First = partition_point(
      Unit.Calls, [&](const CallEdge &C) { return C.Address < Start; });
  auto Last = std::find_if(First, Unit.Calls.end(),
                           [&](const CallEdge &C) { return C.Address >= End; });
  Out.insert(Out.end(), First, Last);
}

} // namespace lidia
