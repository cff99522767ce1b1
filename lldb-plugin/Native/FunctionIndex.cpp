//===- FunctionIndex.cpp - The functions of an archive, by unit ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionIndex.h"
#include "lidia/Archive/Copies.h"
#include "lidia/Archive/FunctionLines.h"
#include <cstring>

using namespace llvm;

namespace lidia {

bool isFunction(const Archive &A, uint64_t Root) {
  RangeEntry R = A.range(Root);
  return R.File || R.RowCount ||
         (Root + 1 < A.rangeCount() && A.range(Root + 1).Depth);
}

uint64_t nextRoot(const FieldView &Parents, uint64_t Start) {
  uint64_t I = Start;
  if (Parents.Width == sizeof(uint16_t))
    for (uint64_t Four; I + 4 <= Parents.Count; I += 4) {
      // Most ranges are inlined calls: skip four at a time. A field is zero if
      // subtracting one borrows into its highest bit.
      std::memcpy(&Four, Parents.Data + I * sizeof(uint16_t), sizeof(Four));
      if ((Four - 0x0001000100010001) & ~Four & 0x8000800080008000)
        break;
    }
  while (I < Parents.Count && Parents[I])
    ++I;
  return I;
}

static UnitOfFunctions realUnit(const FunctionUnit &U) {
  return {U.Name, UnitOfFunctions::RealMask | U.Number};
}

UnitOfFunctions unitOfFunction(const Archive &A, uint64_t Root) {
  FunctionUnit U = A.unit(Root);
  if (U.Number)
    return realUnit(U);
  StringOffset File = A.range(Root).File;
  return {File, File};
}

/// The index of \p U in Units, to which it is appended if it is new.
uint32_t FunctionIndex::numberOf(const UnitOfFunctions &U) {
  auto [It, New] = Numbers.try_emplace(U.ID, Units.size());
  if (New) {
    Units.push_back(U);
    Starts.push_back(0);
  }
  return It->second;
}

void FunctionIndex::addCopies(const Archive &A) {
  // LLDB shows less if the section is damaged.
  consumeError(visitCopies(A, [&](const UnitCopies &C) {
    UnitOfFunctions U = realUnit(C.Unit);
    std::vector<uint64_t> &OfUnit = Copies[U.ID];
    for (uint64_t Root : C.Roots)
      if (A.unit(Root).Number != C.Unit.Number)
        OfUnit.push_back(Root);
    if (!OfUnit.empty())
      numberOf(U);
  }));
}

FunctionIndex::FunctionIndex(const Archive &A) {
  // Count first, then distribute, so that nothing is moved or sorted.
  std::vector<uint32_t> UnitOf;
  std::vector<uint64_t> InOrder;
  visitRoots(A, [&](uint64_t I) {
    if (!isFunction(A, I))
      return;
    uint32_t Number = numberOf(unitOfFunction(A, I));
    ++Starts[Number];
    UnitOf.push_back(Number);
    InOrder.push_back(I);
  });
  addCopies(A);
  uint64_t Start = 0;
  for (uint64_t &Count : Starts)
    Start += std::exchange(Count, Start);
  Starts.push_back(Start);

  Roots.resize(Start);
  std::vector<uint64_t> Next = Starts;
  for (size_t I = 0; I < InOrder.size(); ++I)
    Roots[Next[UnitOf[I]]++] = InOrder[I];
}

ArrayRef<uint64_t> FunctionIndex::functions(lldb::user_id_t ID) const {
  auto It = Numbers.find(ID);
  if (It == Numbers.end())
    return {};
  uint64_t Start = Starts[It->second], End = Starts[It->second + 1];
  return ArrayRef(Roots).slice(Start, End - Start);
}

ArrayRef<uint64_t> FunctionIndex::copies(lldb::user_id_t ID) const {
  auto It = Copies.find(ID);
  if (It == Copies.end())
    return {};
  return It->second;
}

} // namespace lidia
