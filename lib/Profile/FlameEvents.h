//===- FlameEvents.h - The threads and the time of a flame graph -*- C++
//-*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_FLAMEEVENTS_H
#define LIDIA_LIB_PROFILE_FLAMEEVENTS_H

#include "FlameTree.h"
#include "SampleThread.h"
#include <map>

namespace lidia {

/// What each thread adds to the boxes of a flame graph, in order of time if the
/// profile has times.
struct FlameEvents {
  struct Row {
    /// In the page.
    uint32_t Box;
    /// Index in Threads.
    uint32_t Thread;
    /// Index in FlameTree::valueTypes().
    uint32_t Type;
    uint64_t Value;
    /// How many events it stands for, and when the first was, in microseconds
    /// since the first of all.
    uint64_t Count;
    uint64_t Time;
  };

  std::vector<SampleThread> Threads;
  std::vector<Row> Rows;
  /// Whether the rows are in order of time.
  bool HasTimes = false;
  /// Whether there are more than \p Max rows in order of time, so that they
  /// are not in that order; whether there are too many in any order, so that
  /// there are none.
  bool LacksTimes = false;
  bool LacksThreads = false;

  /// \p Boxes has the box in the page of each box of \p Tree. At most \p Max
  /// rows.
  FlameEvents(const FlameTree &Tree, llvm::ArrayRef<uint32_t> Boxes,
              size_t Max);

private:
  uint32_t threadIndex(SampleThread T);
  void add(uint32_t Box, uint32_t Thread, uint32_t Type, uint64_t Value,
           uint64_t Time);
  void addEvents(const FlameTree &Tree, llvm::ArrayRef<uint32_t> Boxes);
  void addSamples(const FlameTree &Tree, llvm::ArrayRef<uint32_t> Boxes);
  void mergeAll();
  void sortThreads();

  /// Whether the profile has the values of another one.
  bool HasBase = false;
  using ThreadKey = std::tuple<int64_t, int64_t, llvm::StringRef>;
  std::map<ThreadKey, uint32_t> ThreadIndices;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_FLAMEEVENTS_H
