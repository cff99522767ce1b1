//===- ThreadTeamTest.cpp - Threads that help each other ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/Threads.h"
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

using namespace lidia;

namespace {
/// Blocks calls of meet() until the expected number of threads has arrived.
class MeetingPoint {
public:
  explicit MeetingPoint(unsigned Expected) : Expected(Expected) {}
  /// Returns false if the other threads do not arrive within a long time.
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

/// One member has work, the other one has none: both do it, even if the second
/// one asks for work only after the first has begun.
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

/// Only the requested number of members help, however many are idle.
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
        // A fourth thread would have arrived by now.
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      });
      Team.change([&] { Done = true; });
    }
    Team.helpUntil([&] { return Done; });
  });
  EXPECT_EQ(Calls, 3u);
}

/// A thread that is no longer a member uses its own threads.
TEST(ThreadTeam, MembershipEnds) {
  ThreadTeam Team;
  {
    ThreadTeam::Member Here(Team);
  }
  MeetingPoint Both(2);
  runOnThreads(2, [&] { EXPECT_TRUE(Both.meet()); });
}
