//===- UseRecorder.cpp - Records the use of archives in the store ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UseRecorder.h"
#include "lidia/Store/BuildIDLists.h"

using namespace llvm;

namespace lidia {

UseRecorder::UseRecorder(ServedModules &Modules, unsigned Seconds,
                         std::function<void(const std::string &)> Warn)
    : Modules(Modules), Warn(std::move(Warn)),
      Thread([this, Seconds] { run(Seconds); }) {}

UseRecorder::~UseRecorder() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    IsEnding = true;
  }
  Ends.notify_all();
  Thread.join();
  record();
}

void UseRecorder::run(unsigned Seconds) {
  std::unique_lock<std::mutex> Lock(Mutex);
  while (!Ends.wait_for(Lock, std::chrono::seconds(Seconds),
                        [this] { return IsEnding; })) {
    Lock.unlock();
    record();
    Lock.lock();
  }
}

void UseRecorder::record() {
  Error E = recordUse(Modules.store(), Modules.takeUsed());
  bool Failed = bool(E);
  std::string Message = toString(std::move(E));
  if (Failed && !HasFailed)
    Warn("cannot record in the store what was used: " + Message);
  HasFailed = Failed;
}

} // namespace lidia
