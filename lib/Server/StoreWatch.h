//===- StoreWatch.h - Whether the store can be read -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_STOREWATCH_H
#define LIDIA_LIB_SERVER_STOREWATCH_H

#include "lidia/Store/SymbolStore.h"
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace lidia {

/// Checks on a thread of its own, from time to time and when asked, whether a
/// store can be read, because the check itself takes minutes if a bucket does
/// not answer. Thread-safe.
class StoreWatch {
public:
  /// \p MayBeEmpty: a store without archives is no problem.
  StoreWatch(SymbolStore &Store, bool MayBeEmpty);
  ~StoreWatch();

  using Writer = std::function<void(const std::string &)>;

  /// Starts the thread. \p Warn is called when the store fails, and \p Note
  /// when it can be read again.
  void start(Writer Warn, Writer Note);

  /// What is wrong with the store, for clients; empty if nothing is. Waits for
  /// at most two seconds.
  std::string problem();

  /// Whether the last check found no problem.
  bool isFine() const {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Problem.empty();
  }

private:
  using Clock = std::chrono::steady_clock;

  void run();
  void take(llvm::Error Result);

  SymbolStore &Store;
  const bool MayBeEmpty;
  Writer Warn, Note;
  mutable std::mutex Mutex;
  std::condition_variable Changes;
  bool IsAsked = false, IsRunning = false, IsEnding = false;
  /// Of the check that runs, and the end of the last one.
  Clock::time_point Start, End;
  std::string Problem;
  std::thread Thread;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_STOREWATCH_H
