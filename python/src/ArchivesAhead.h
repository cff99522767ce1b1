//===- ArchivesAhead.h - Archives opened before they are needed -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PYTHON_SRC_ARCHIVESAHEAD_H
#define LIDIA_PYTHON_SRC_ARCHIVESAHEAD_H

#include "lidia/Arrow/ArchiveAnswers.h"
#include "lidia/Error.h"
#include "lidia/Support/Interrupt.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace lidia::python {

/// Opens the archives of a store on other machines, in the order in which they
/// will be taken, on several threads: each takes two round trips.
class ArchivesAhead {
public:
  using Opened = llvm::Expected<std::shared_ptr<arrow::ArchiveAnswers>>;
  using OpenFunction = std::function<Opened(size_t Number)>;

  /// Opens at most \p Ahead of \p Count archives that were not taken yet.
  ArchivesAhead(size_t Count, size_t Ahead, OpenFunction Open)
      : Open(std::move(Open)), Ahead(Ahead), Slots(Count) {
    constexpr size_t MaxThreads = 8;
    size_t Wanted = std::min({MaxThreads, Ahead, Count > 1 ? Count : 0});
    for (size_t I = 0; I != Wanted; ++I)
      Threads.emplace_back([this] { openAll(); });
  }

  ~ArchivesAhead() {
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      IsStopped = true;
    }
    Changed.notify_all();
    for (std::thread &T : Threads)
      T.join();
    for (Slot &S : Slots)
      if (S.Result)
        llvm::consumeError(S.Result->takeError());
  }

  /// The archive \p Number. Opens it on this thread if no other has begun, or
  /// if it was taken before.
  Opened take(size_t Number) {
    std::unique_lock<std::mutex> Lock(Mutex);
    Slot &S = Slots[Number];
    Taken = std::max(Taken, Number);
    Changed.notify_all();
    if (!S.IsBegun || S.IsTaken) {
      S.IsBegun = S.IsTaken = true;
      Lock.unlock();
      return Open(Number);
    }
    while (!S.Result) {
      Changed.wait_for(Lock, InterruptPause);
      if (!S.Result && isInterrupted())
        return cancelledError("");
    }
    S.IsTaken = true;
    Opened Result = std::move(*S.Result);
    S.Result.reset();
    return Result;
  }

private:
  struct Slot {
    bool IsBegun = false;
    bool IsTaken = false;
    std::optional<Opened> Result;
  };

  /// The next archive that nobody opens; none if all are open.
  std::optional<size_t> begin(std::unique_lock<std::mutex> &Lock) {
    while (true) {
      while (Next != Slots.size() && Slots[Next].IsBegun)
        ++Next;
      if (IsStopped || Next == Slots.size())
        return std::nullopt;
      if (Next <= Taken + Ahead)
        break;
      Changed.wait(Lock);
    }
    Slots[Next].IsBegun = true;
    return Next;
  }

  void openAll() {
    InterruptScope Scope([this] { return !IsStopped; });
    std::unique_lock<std::mutex> Lock(Mutex);
    while (std::optional<size_t> Number = begin(Lock)) {
      Lock.unlock();
      Opened Result = Open(*Number);
      Lock.lock();
      Slots[*Number].Result.emplace(std::move(Result));
      Changed.notify_all();
    }
  }

  const OpenFunction Open;
  const size_t Ahead;
  std::atomic<bool> IsStopped{false};
  /// Guards the members below.
  std::mutex Mutex;
  std::condition_variable Changed;
  std::vector<Slot> Slots;
  size_t Taken = 0;
  size_t Next = 0;
  std::vector<std::thread> Threads;
};

} // namespace lidia::python

#endif // LIDIA_PYTHON_SRC_ARCHIVESAHEAD_H
