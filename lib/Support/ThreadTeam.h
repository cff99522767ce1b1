//===- ThreadTeam.h - Threads shared by several tasks -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SUPPORT_THREADTEAM_H
#define LIDIA_LIB_SUPPORT_THREADTEAM_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <condition_variable>
#include <mutex>

namespace lidia {

/// Threads that work on several tasks at the same time, each on its own. A
/// thread that has nothing to do helps another: when a member calls
/// runOnThreads(), no threads are created, but idle members join, even later.
class ThreadTeam {
public:
  /// Makes the calling thread a member as long as this object lives.
  class Member {
  public:
    explicit Member(ThreadTeam &Team) : Previous(current()) {
      current() = &Team;
    }
    ~Member() { current() = Previous; }
    Member(const Member &) = delete;
    Member &operator=(const Member &) = delete;

  private:
    ThreadTeam *Previous;
  };

  /// The team of which the calling thread is a member, or null.
  static ThreadTeam *&current() {
    static thread_local ThreadTeam *Team = nullptr;
    return Team;
  }

  /// Implements runOnThreads() for a member: calls \p Work, and lets up to
  /// \p Threads - 1 other members call it.
  void share(unsigned Threads, llvm::function_ref<void()> Work) {
    Shared S{Work, Threads ? Threads - 1 : 0};
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Open.push_back(&S);
    }
    Changed.notify_all();
    Work();
    std::unique_lock<std::mutex> Lock(Mutex);
    llvm::erase(Open, &S);
    Changed.wait(Lock, [&] { return S.Helpers == 0; });
  }

  /// Helps others until \p IsReady returns true. Calls of \p IsReady and of
  /// change()'s function do not overlap.
  void helpUntil(llvm::function_ref<bool()> IsReady) {
    std::unique_lock<std::mutex> Lock(Mutex);
    while (!IsReady()) {
      if (Shared *S = oneToHelp())
        help(*S, Lock);
      else
        Changed.wait(Lock);
    }
  }

  /// Calls \p Change, which may make another member's IsReady return true.
  void change(llvm::function_ref<void()> Change) {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      Change();
    }
    Changed.notify_all();
  }

private:
  struct Shared {
    llvm::function_ref<void()> Work;
    unsigned MaxHelpers;
    unsigned Helpers = 0;
  };

  Shared *oneToHelp() {
    auto *Found = llvm::find_if(
        Open, [](const Shared *S) { return S->Helpers < S->MaxHelpers; });
    return Found == Open.end() ? nullptr : *Found;
  }

  /// Called with \p Lock held. Releases it during the work.
  void help(Shared &S, std::unique_lock<std::mutex> &Lock) {
    ++S.Helpers;
    Lock.unlock();
    S.Work();
    Lock.lock();
    --S.Helpers;
    // Work returns when nothing is left to begin, so no others need to call it.
    llvm::erase(Open, &S);
    Changed.notify_all();
  }

  std::mutex Mutex;
  std::condition_variable Changed;
  /// Owned by the calls of share().
  llvm::SmallVector<Shared *, 8> Open;
};

} // namespace lidia

#endif // LIDIA_LIB_SUPPORT_THREADTEAM_H
