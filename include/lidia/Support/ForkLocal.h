//===- ForkLocal.h - What a child process must not share --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A child of fork() has one thread, and a copy of everything else: of locks
/// that other threads held, which nobody will unlock; of what these threads
/// were changing; and of connections to servers that the parent still uses.
/// Handlers of pthread_atfork() cannot wait until no thread holds a lock,
/// because conversions and answers of servers take seconds. So a child begins
/// with new objects, and never touches the old ones.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SUPPORT_FORKLOCAL_H
#define LIDIA_SUPPORT_FORKLOCAL_H

#include "llvm/Support/Error.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace lidia {

namespace detail {
/// The number of forks between the first process of the program and this one.
extern std::atomic<uint32_t> ForkCount;
} // namespace detail

inline uint32_t forkCount() {
  return detail::ForkCount.load(std::memory_order_relaxed);
}

/// A T that is made when a process first needs it: again in a child of fork().
/// That of the parent is then left alone, and takes memory that the child never
/// writes to. Thread-safe. Do not fork in functions that a T calls.
template <typename T> class ForkLocal {
public:
  ForkLocal() = default;
  ForkLocal(const ForkLocal &) = delete;
  ForkLocal &operator=(const ForkLocal &) = delete;
  ~ForkLocal() {
    Node *N = Now.load(std::memory_order_acquire);
    if (N && N->Forks == forkCount())
      delete N;
  }

  /// The T of this process. \p Arguments are those of its constructor.
  template <typename... Args> T &get(Args &&...Arguments) {
    Node *N = Now.load(std::memory_order_acquire);
    if (N && N->Forks == forkCount())
      return N->Value;
    auto *New = new Node(std::forward<Args>(Arguments)...);
    if (Now.compare_exchange_strong(N, New, std::memory_order_acq_rel))
      return New->Value;
    // Another thread was faster.
    delete New;
    return N->Value;
  }

private:
  struct Node {
    template <typename... Args>
    explicit Node(Args &&...Arguments)
        : Value(std::forward<Args>(Arguments)...) {}
    const uint32_t Forks = forkCount();
    T Value;
  };

  std::atomic<Node *> Now{nullptr};
};

/// The same for a T that cannot always be made.
template <typename T> class PerProcess {
public:
  /// \p Make returns a std::unique_ptr<T> or an error, which is not remembered.
  /// Other threads wait for it.
  template <typename Maker> llvm::Expected<T &> get(Maker Make) {
    Slot &S = SlotOfProcess.get();
    std::lock_guard<std::mutex> Lock(S.Mutex);
    if (!S.Value)
      if (llvm::Error E = Make().moveInto(S.Value))
        return E;
    return *S.Value;
  }

private:
  struct Slot {
    std::mutex Mutex;
    std::unique_ptr<T> Value;
  };

  ForkLocal<Slot> SlotOfProcess;
};

} // namespace lidia

#endif // LIDIA_SUPPORT_FORKLOCAL_H
