//===- ThreadTeamTest.cpp - Threads that help each other ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ADT/Threads.h"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace lidia;

namespace {
/// Lets calls of meet() return when as many threads are there as expected.
class MeetingPoint {
public:
  explicit MeetingPoint(unsigned Expected) : Expected(Expected) {}
  /// False if the others do not come: there is no time in which they must.
  bool meet() {
    std::unique_lock<std::mutex> Lock(Mutex);
    ++Present;
    Changed.notify_all();
    return Changed.wait_for(Lock, std::chrono::minutes(2),
                            [&] { return Present >= Expected; });
  }

private:
  unsigned Expected;
  unsigned Present = 0;
  std::mutex Mutex;
  std::condition_variable Changed;
};
} // namespace

/// One member has work, the other none: both do it, though the second looks for
/// it only after the first has begun.
TEST(ThreadTeam, IdleMembersHelp) {
  ThreadTeam Team;
  MeetingPoint Both(2);
  std::atomic<unsigned> Members{0}, Calls{0};
  bool Done = false;
  runOnThreads(2, [&] {
    ThreadTeam::Member Here(Team);
    if (Members++ == 0) {
      runOnThreads(2, [&] {
        ++Calls;
        EXPECT_TRUE(Both.meet());
      });
      Team.change([&] { Done = true; });
    }
    Team.helpUntil([&] { return Done; });
  });
  EXPECT_EQ(Calls, 2u);
}

/// No more help than asked for, however many are idle.
TEST(ThreadTeam, HelpIsLimited) {
  ThreadTeam Team;
  MeetingPoint Three(3);
  std::atomic<unsigned> Members{0}, Calls{0};
  bool Done = false;
  runOnThreads(8, [&] {
    ThreadTeam::Member Here(Team);
    if (Members++ == 0) {
      runOnThreads(3, [&] {
        ++Calls;
        EXPECT_TRUE(Three.meet());
        // A fourth would have come by now.
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      });
      Team.change([&] { Done = true; });
    }
    Team.helpUntil([&] { return Done; });
  });
  EXPECT_EQ(Calls, 3u);
}

/// A thread that is no member any more has threads of its own.
TEST(ThreadTeam, MembershipEnds) {
  ThreadTeam Team;
  {
    ThreadTeam::Member Here(Team);
  }
  MeetingPoint Both(2);
  runOnThreads(2, [&] { EXPECT_TRUE(Both.meet()); });
}
