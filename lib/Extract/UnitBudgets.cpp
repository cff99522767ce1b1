//===- UnitBudgets.cpp - The work budget of each unit ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitBudgets.h"

using namespace llvm;

namespace lidia {

void UnitBudgets::add(const dwarf::UnitHeader &Header) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Units.emplace_back().Own = Factor * (Header.End - Header.Offset);
}

uint64_t UnitBudgets::begin(size_t Index) {
  std::unique_lock<std::mutex> Lock(Mutex);
  Settled.wait(Lock, [&] { return Index == Next || Pending <= Pool / 8; });
  // The pool only shrinks until the unit is settled.
  return Units[Index].Own + Pool / 2;
}

uint64_t UnitBudgets::addSplit(size_t Index, StringRef File, uint64_t FileBytes,
                               uint64_t UnitBytes) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto [It, New] = SplitFunds.try_emplace(File.str(), Factor * FileBytes);
  Units[Index].Parts.push_back({File.str(), Factor * UnitBytes});
  return std::min(It->second, Factor * UnitBytes);
}

void UnitBudgets::settle(Unit &U) {
  for (const SplitPart &Part : U.Parts) {
    uint64_t &Fund = SplitFunds[Part.File];
    uint64_t Given = std::min(Fund, Part.Bytes);
    Fund -= Given;
    U.Own += Given;
  }
  uint64_t Max = Pool / 2;
  U.Exceeds = overdraft(U) > Max;
  if (U.Exceeds) {
    Pool -= Max;
    return;
  }
  if (U.Used > U.Own)
    Pool -= U.Used - U.Own;
  TotalUsed += U.Used;
}

void UnitBudgets::finish(size_t Index, uint64_t Used, uint64_t Peak) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Unit &U = Units[Index];
  U.Used = Used;
  U.Peak = Peak;
  U.Finished = true;
  Pending += overdraft(U);
  while (Next < Units.size() && Units[Next].Finished) {
    Pending -= overdraft(Units[Next]);
    settle(Units[Next++]);
  }
  Settled.notify_all();
}

} // namespace lidia
