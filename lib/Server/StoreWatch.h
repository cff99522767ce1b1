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

/// The room on the disk of a folder.
struct DiskRoom {
  /// The name in metrics.
  const char *Name;
  std::string Folder;
  /// For this user; both are 0 before the first check.
  uint64_t Free = 0;
  uint64_t Size = 0;
};

/// Checks on a thread of its own, from time to time and when asked, whether a
/// store can be read, because the check itself takes minutes if a bucket does
/// not answer. Thread-safe.
class StoreWatch {
public:
  /// \p MayBeEmpty: a store without archives is no problem.
  StoreWatch(SymbolStore &Store, bool MayBeEmpty);
  ~StoreWatch();

  using Writer = std::function<void(const std::string &)>;

  /// Measures the disk of \p Folder, too, which may not be there yet.
  void addDisk(const char *Name, llvm::StringRef Folder) {
    Disks.push_back({Name, Folder.str()});
  }

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

  /// The room on disks at the last check.
  std::vector<DiskRoom> disks() const {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Disks;
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
  std::vector<DiskRoom> Disks;
  std::thread Thread;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_STOREWATCH_H
