//===- FlameEvents.cpp - The threads and the time of a flame graph --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlameEvents.h"
#include "lidia/Profile/BaseProfile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace lidia {

/// Threads of a page. Those that come later are one, without a name.
static constexpr size_t MaxThreads = 2000;

FlameEvents::FlameEvents(const FlameTree &Tree, ArrayRef<uint32_t> Boxes,
                         size_t Max) {
  const std::vector<Profile::Event> &Events = Tree.profile().Events;
  HasBase = baseType(Tree.profile()).has_value();
  HasTimes = !Events.empty() && Events.front().Time != Events.back().Time;
  if (Events.empty())
    addSamples(Tree, Boxes);
  else
    addEvents(Tree, Boxes);
  if (!HasTimes || Rows.size() > Max) {
    LacksTimes = HasTimes;
    sortThreads();
    mergeAll();
  }
  LacksThreads = Threads.size() > 1 && Rows.size() > Max;
  if (Rows.size() > Max || (Threads.size() < 2 && (LacksTimes || !HasTimes)))
    Rows.clear();
  if (LacksTimes || Rows.empty())
    HasTimes = false;
}

uint32_t FlameEvents::threadIndex(SampleThread T) {
  // Two runs have other numbers for the same threads.
  if (HasBase)
    T.PID = T.TID = 0;
  // A program may give a thread another name; a profile may have only names.
  ThreadKey Key(T.PID, T.TID, T.TID ? StringRef() : T.Name);
  auto [It, IsNew] = ThreadIndices.try_emplace(Key, uint32_t(Threads.size()));
  if (!IsNew) {
    // The last name of a recording's thread, else one whatever the order.
    if (SampleThread &Its = Threads[It->second];
        !T.Name.empty() && (HasTimes || T.Name > Its.Name) &&
        It->second < MaxThreads)
      Its.Name = T.Name;
    return It->second;
  }
  if (Threads.size() < MaxThreads)
    Threads.push_back(T);
  else if (Threads.size() == MaxThreads)
    Threads.push_back({});
  It->second = std::min<uint32_t>(It->second, MaxThreads);
  return It->second;
}

/// Adds to the last row if that differs in the time alone.
void FlameEvents::add(uint32_t Box, uint32_t Thread, uint32_t Type,
                      uint64_t Value, uint64_t Time) {
  if (!Rows.empty()) {
    Row &Last = Rows.back();
    if (Last.Box == Box && Last.Thread == Thread && Last.Type == Type) {
      Last.Value = SaturatingAdd(Last.Value, Value);
      ++Last.Count;
      return;
    }
  }
  Rows.push_back({Box, Thread, Type, Value, 1, Time});
}

void FlameEvents::addEvents(const FlameTree &Tree, ArrayRef<uint32_t> Boxes) {
  const Profile &P = Tree.profile();
  const uint64_t Start = P.Events.front().Time;
  std::vector<uint32_t> TypeOf(P.SampleTypes.size(), Profile::None);
  for (auto [I, Type] : enumerate(Tree.valueTypes()))
    TypeOf[Type] = uint32_t(I);
  for (const Profile::Event &E : P.Events) {
    FlameTree::BoxID Box = Tree.boxOfSample(E.Sample);
    if (Box == FlameTree::Root || TypeOf[E.Type] == Profile::None)
      continue;
    add(Boxes[Box], threadIndex(threadOf(P, E)), TypeOf[E.Type],
        uint64_t(std::max<int64_t>(E.Value, 0)), (E.Time - Start) / 1000);
  }
}

void FlameEvents::addSamples(const FlameTree &Tree, ArrayRef<uint32_t> Boxes) {
  const Profile &P = Tree.profile();
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    FlameTree::BoxID Box = Tree.boxOfSample(I);
    if (Box == FlameTree::Root)
      continue;
    uint32_t Thread = threadIndex(threadOf(P, P.Samples[I]));
    for (auto [T, Type] : enumerate(Tree.valueTypes()))
      if (int64_t Value = P.values(I)[Type]; Value > 0)
        add(Boxes[Box], Thread, uint32_t(T), uint64_t(Value), 0);
  }
}

/// Numbers threads so that the order of samples does not matter.
void FlameEvents::sortThreads() {
  std::vector<uint32_t> NewIndex(Threads.size());
  std::vector<SampleThread> Sorted;
  for (auto &[Key, Index] : ThreadIndices) {
    if (Index >= MaxThreads)
      continue;
    NewIndex[Index] = uint32_t(Sorted.size());
    Sorted.push_back(Threads[Index]);
  }
  if (Threads.size() > MaxThreads) {
    NewIndex[MaxThreads] = uint32_t(Sorted.size());
    Sorted.push_back({});
  }
  Threads = std::move(Sorted);
  for (Row &R : Rows)
    R.Thread = NewIndex[R.Thread];
}

/// Gives up the order.
void FlameEvents::mergeAll() {
  auto Key = [](const Row &R) {
    return std::make_tuple(R.Box, R.Thread, R.Type);
  };
  llvm::sort(Rows, [&](const Row &A, const Row &B) { return Key(A) < Key(B); });
  std::vector<Row> All = std::move(Rows);
  Rows.clear();
  for (const Row &R : All) {
    if (!Rows.empty() && Key(Rows.back()) == Key(R)) {
      Rows.back().Value = SaturatingAdd(Rows.back().Value, R.Value);
      Rows.back().Count += R.Count;
    } else {
      Rows.push_back(R);
    }
  }
}

} // namespace lidia
