//===- Interrupt.cpp - Waits that a caller can end ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Support/Interrupt.h"
#include <algorithm>
#include <thread>

using namespace lidia;

static thread_local const std::function<bool()> *GoOnOfThread = nullptr;

InterruptScope::InterruptScope(std::function<bool()> GoOn)
    : GoOn(std::move(GoOn)), Outer(GoOnOfThread) {
  GoOnOfThread = &this->GoOn;
}

InterruptScope::~InterruptScope() { GoOnOfThread = Outer; }

bool lidia::isInterruptible() { return GoOnOfThread != nullptr; }

bool lidia::isInterrupted() { return GoOnOfThread && !(*GoOnOfThread)(); }

bool lidia::sleepUnlessInterrupted(std::chrono::milliseconds Time) {
  if (!isInterruptible()) {
    std::this_thread::sleep_for(Time);
    return true;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point End = Clock::now() + Time;
  while (!isInterrupted()) {
    Clock::time_point Now = Clock::now();
    if (Now >= End)
      return true;
    std::this_thread::sleep_for(
        std::min<Clock::duration>(End - Now, InterruptPause));
  }
  return false;
}

std::unique_lock<std::timed_mutex>
lidia::lockUnlessInterrupted(std::timed_mutex &Mutex) {
  if (!isInterruptible())
    return std::unique_lock<std::timed_mutex>(Mutex);
  std::unique_lock<std::timed_mutex> Lock(Mutex, std::defer_lock);
  while (!Lock.try_lock_for(InterruptPause) && !isInterrupted())
    ;
  return Lock;
}
