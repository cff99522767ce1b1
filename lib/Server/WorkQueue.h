//===- WorkQueue.h - A thread pool with a bounded queue ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_WORKQUEUE_H
#define LIDIA_LIB_SERVER_WORKQUEUE_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace lidia {

/// Threads that process a bounded queue.
class WorkQueue {
public:
  /// \p Max is the maximum number of waiting entries.
  WorkQueue(unsigned Threads, size_t Max) : Max(Max) {
    auto Run = [](void *Queue) -> void * {
      static_cast<WorkQueue *>(Queue)->run();
      return nullptr;
    };
    // std::thread would report a failure with an exception.
    pthread_t Thread;
    while (Team.size() < Threads &&
           !::pthread_create(&Thread, nullptr, Run, this))
      Team.push_back(Thread);
  }

  WorkQueue(const WorkQueue &) = delete;
  ~WorkQueue() { finish(); }

  /// Processes the waiting entries, and accepts no more.
  void finish() {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      IsEnding = true;
    }
    HasWork.notify_all();
    for (pthread_t Thread : Team)
      ::pthread_join(Thread, nullptr);
    Team.clear();
  }

  /// Whether there is a thread at all.
  bool hasThreads() const { return !Team.empty(); }

  /// Returns false if the queue is full, unless \p Always, or if it is ending.
  bool add(std::function<void()> Work, bool Always = false) {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      if ((Waiting.size() >= Max && !Always) || IsEnding)
        return false;
      Waiting.push_back(std::move(Work));
    }
    HasWork.notify_one();
    return true;
  }

  size_t waiting() const {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Waiting.size();
  }

private:
  void run() {
    std::unique_lock<std::mutex> Lock(Mutex);
    while (true) {
      HasWork.wait(Lock, [&] { return IsEnding || !Waiting.empty(); });
      if (Waiting.empty())
        return;
      std::function<void()> Work = std::move(Waiting.front());
      Waiting.pop_front();
      Lock.unlock();
      Work();
      Lock.lock();
    }
  }

  const size_t Max;
  mutable std::mutex Mutex;
  std::condition_variable HasWork;
  std::deque<std::function<void()>> Waiting;
  bool IsEnding = false;
  std::vector<pthread_t> Team;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_WORKQUEUE_H
