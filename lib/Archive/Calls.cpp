//===- Calls.cpp - Calls that debuggers need ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Archive/Calls.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

uint64_t Archive::callCount() const {
  return view(&ArchiveArrays::Calls).Count / 2;
}

/// The section counts addresses from that of the first range.
FunctionCall Archive::call(uint64_t Index) const {
  const FieldView Calls = view(&ArchiveArrays::Calls);
  uint64_t Place = Calls[Index * 2];
  FunctionCall C;
  C.Address = range(0).VA + (Place >> CallFlagBits);
  C.Flags = Place & ((1 << CallFlagBits) - 1);
  C.Callee = Calls[Index * 2 + 1];
  return C;
}

void lidia::visitCalls(const Archive &A, uint64_t Start, uint64_t End,
                       function_ref<void(const FunctionCall &)> Visit) {
  if (!A.rangeCount())
    return;
  uint64_t First = lowerBound(A.callCount(), [&](uint64_t Index) {
    return A.call(Index).Address < Start;
  });
  for (uint64_t I = First; I != A.callCount(); ++I) {
    FunctionCall C = A.call(I);
    if (C.Address < Start || C.Address >= End)
      return;
    Visit(C);
  }
}
