//===- RemovedOnSignal.cpp - Files that a signal removes ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A table of names that a signal handler can read at any time: chunks are
/// never freed, and names are added and removed atomically. Slots are reused,
/// so the table is as large as the maximum number of names at one time.
///
//===----------------------------------------------------------------------===//

#include "lidia/Support/OutputFile.h"
#include <cstring>
#include <mutex>
#include <new>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace lidia;
using namespace llvm;

namespace {
struct Chunk {
  std::atomic<char *> Paths[64] = {};
  std::atomic<Chunk *> Next{nullptr};
};

/// For use outside of signal handlers.
struct FreeSlots {
  std::mutex Mutex;
  std::vector<std::atomic<char *> *> Slots;
};
} // namespace

/// The newest.
static std::atomic<Chunk *> Newest{nullptr};

/// Never destroyed: other threads may go on while the process exits.
static FreeSlots &freeSlots() {
  static auto *All = new FreeSlots;
  return *All;
}

static std::atomic<char *> *takeSlot() {
  FreeSlots &Free = freeSlots();
  std::lock_guard<std::mutex> Lock(Free.Mutex);
  if (Free.Slots.empty()) {
    auto *More = new (std::nothrow) Chunk;
    if (!More)
      return nullptr;
    More->Next = Newest.load();
    Newest = More;
    for (std::atomic<char *> &Slot : More->Paths)
      Free.Slots.push_back(&Slot);
  }
  std::atomic<char *> *Slot = Free.Slots.back();
  Free.Slots.pop_back();
  return Slot;
}

RemovedOnSignal::RemovedOnSignal(StringRef Path) : Slot(takeSlot()) {
  if (!Slot)
    return;
  char *Copy = ::strndup(Path.data(), Path.size());
  *Slot = Copy;
  if (Copy)
    return;
  FreeSlots &Free = freeSlots();
  std::lock_guard<std::mutex> Lock(Free.Mutex);
  Free.Slots.push_back(std::exchange(Slot, nullptr));
}

RemovedOnSignal::~RemovedOnSignal() {
  if (!Slot)
    return;
  ::free(Slot->exchange(nullptr));
  FreeSlots &Free = freeSlots();
  std::lock_guard<std::mutex> Lock(Free.Mutex);
  Free.Slots.push_back(Slot);
}

void lidia::removeFilesOnSignal() {
  for (const Chunk *C = Newest; C; C = C->Next)
    for (const std::atomic<char *> &Slot : C->Paths) {
      struct stat Status;
      if (const char *Path = Slot;
          Path && ::lstat(Path, &Status) == 0 && S_ISREG(Status.st_mode))
        ::unlink(Path);
    }
}
