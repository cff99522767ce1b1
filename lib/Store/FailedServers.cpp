//===- FailedServers.cpp - Servers that have failed recently --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FailedServers.h"
#include "Support/URLText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lidia;
using namespace llvm;

using WallClock = std::chrono::system_clock;

/// Hashes the URL without its password, which could be guessed from the name.
std::string FailedServers::fileOf(StringRef Server) const {
  SmallString<256> Path(Folder);
  uint64_t Hash = xxh3_64bits(urlForMessages(Server));
  sys::path::append(Path, utohexstr(Hash, /*LowerCase=*/true, /*Width=*/16));
  return Path.str().str();
}

static bool isRecent(sys::TimePoint<> Time) {
  auto Age = WallClock::now() - Time;
  return Age >= Age.zero() && Age < FailedServers::Lifetime;
}

FailedServers::State FailedServers::state(StringRef Server) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto It = FailedAt.find(Server);
      It != FailedAt.end() && isRecent(It->second))
    return State::Failed;
  sys::fs::file_status Status;
  if (sys::fs::status(fileOf(Server), Status) ||
      !isRecent(Status.getLastModificationTime()))
    return State::Usable;
  FailedAt[Server] = Status.getLastModificationTime();
  return State::FailedElsewhere;
}

bool FailedServers::add(StringRef Server) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto [It, IsNew] = FailedAt.try_emplace(Server);
  IsNew |= !isRecent(It->second);
  It->second = WallClock::now();
  // Without the file, only this process knows of the failure.
  (void)sys::fs::create_directories(Folder);
  int FD =
      ::open(fileOf(Server).c_str(),
             O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (FD >= 0) {
    ::futimens(FD, nullptr);
    ::close(FD);
  }
  return IsNew;
}
