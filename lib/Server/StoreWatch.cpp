//===- StoreWatch.cpp - Whether the store can be read ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreWatch.h"
#include "lidia/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

/// How often the store is checked without being asked, how long a result
/// holds, and how long callers wait.
static constexpr std::chrono::seconds WatchInterval{15}, Patience{2};
static constexpr std::chrono::milliseconds Lifetime{200};

StoreWatch::StoreWatch(SymbolStore &Store, bool MayBeEmpty)
    : Store(Store), MayBeEmpty(MayBeEmpty) {}

StoreWatch::~StoreWatch() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    IsEnding = true;
  }
  Changes.notify_all();
  if (Thread.joinable())
    Thread.join();
}

void StoreWatch::start(Writer TheWarning, Writer TheNote) {
  Warn = std::move(TheWarning);
  Note = std::move(TheNote);
  End = Clock::now();
  Thread = std::thread([this] { run(); });
}

static void measure(DiskRoom &D) {
  // A folder that is not there will be on the disk of the one above it.
  for (StringRef Folder = D.Folder; !Folder.empty();
       Folder = sys::path::parent_path(Folder))
    if (ErrorOr<sys::fs::space_info> Space = sys::fs::disk_space(Folder)) {
      D.Free = Space->available;
      D.Size = Space->capacity;
      return;
    }
}

void StoreWatch::run() {
  std::unique_lock<std::mutex> Lock(Mutex);
  while (true) {
    std::vector<DiskRoom> Measured = Disks;
    Lock.unlock();
    for (DiskRoom &D : Measured)
      measure(D);
    Lock.lock();
    Disks = std::move(Measured);
    Changes.wait_for(Lock, WatchInterval,
                     [this] { return IsAsked || IsEnding; });
    if (IsEnding)
      return;
    IsAsked = false;
    IsRunning = true;
    Start = Clock::now();
    Lock.unlock();
    Error Result = Store.checkFilled();
    Lock.lock();
    IsRunning = false;
    End = Clock::now();
    take(std::move(Result));
    Changes.notify_all();
  }
}

void StoreWatch::take(Error Result) {
  std::unique_ptr<LidiaError> Why;
  if (Result)
    Why = toLidiaError(std::move(Result));
  std::error_code Code = Why ? Why->convertToErrorCode() : std::error_code();
  bool IsEmpty = Code == std::errc::no_such_file_or_directory;
  if (IsEmpty && MayBeEmpty)
    Why.reset();
  std::string Before = std::exchange(
      Problem, !Why      ? ""
               : IsEmpty ? "the store is missing or empty"
                         : "the store cannot be read: " + Code.message());
  // The log, unlike clients, may know where the store is.
  if (Why && Before.empty())
    Warn("the store cannot be read: " + Why->message());
  if (!Why && !Before.empty())
    Note("the store can be read again");
}

std::string StoreWatch::problem() {
  std::unique_lock<std::mutex> Lock(Mutex);
  Clock::time_point Now = Clock::now();
  if (Now - End < Lifetime)
    return Problem;
  IsAsked = true;
  Changes.notify_all();
  // A check that has taken long is not waited for again.
  Clock::time_point Until = (IsRunning ? Start : Now) + Patience;
  if (Changes.wait_until(Lock, Until, [&] { return End >= Now || IsEnding; }))
    return Problem;
  auto Seconds = std::chrono::duration_cast<std::chrono::seconds>(
      Clock::now() - (IsRunning ? Start : Now));
  return "the store has not answered for " + std::to_string(Seconds.count()) +
         " seconds";
}

} // namespace lidia
