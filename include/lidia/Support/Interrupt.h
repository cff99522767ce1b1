//===- Interrupt.h - Waits that a caller can end ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Waits for servers happen far below the code that knows whether somebody
/// still wants the answer: in Python, only the interpreter knows about Ctrl-C.
/// So that not each function in between passes a callback on, the callback
/// belongs to the thread.
///
/// Needs only the standard library, because code with exceptions uses it, too,
/// and must not share LLVM's classes.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SUPPORT_INTERRUPT_H
#define LIDIA_SUPPORT_INTERRUPT_H

#include <chrono>
#include <functional>
#include <mutex>

namespace lidia {

/// While it lives, waits of this thread end soon after \p GoOn returns false:
/// the operation then fails with std::errc::operation_canceled. \p GoOn is
/// called by this thread, every InterruptPause while it waits, and with locks
/// held that other threads wait for.
class InterruptScope {
public:
  explicit InterruptScope(std::function<bool()> GoOn);
  ~InterruptScope();
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  std::function<bool()> GoOn;
  const std::function<bool()> *Outer;
};

constexpr std::chrono::milliseconds InterruptPause{50};

/// Whether this thread has an InterruptScope, so that waits must be short.
bool isInterruptible();

/// Whether this thread is to stop.
bool isInterrupted();

/// Waits. Returns false if the thread is to stop.
bool sleepUnlessInterrupted(std::chrono::milliseconds Time);

/// Locks \p Mutex. The result does not own it if the thread is to stop.
std::unique_lock<std::timed_mutex>
lockUnlessInterrupted(std::timed_mutex &Mutex);

} // namespace lidia

#endif // LIDIA_SUPPORT_INTERRUPT_H
