//===- UnitQueue.cpp - The units to read next -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitQueue.h"

using namespace llvm;

namespace lidia {

/// The number of bytes to decompress ahead for each reading thread: larger than
/// most units, and small enough for caches.
static constexpr uint64_t AheadOfThread = 6 << 20;

UnitQueue::UnitQueue(ArrayRef<dwarf::UnitHeader> Headers, UnitBudgets &Budgets)
    : Budgets(Budgets) {
  for (const dwarf::UnitHeader &H : Headers)
    add(H);
}

UnitQueue::UnitQueue(const Binary &File, const dwarf::Sections &S,
                     Unpacker &Info, unsigned Threads, UnitBudgets &Budgets)
    : Budgets(Budgets), File(&File), Info(&Info),
      Ahead(Threads * AheadOfThread), HeaderReader(S), Complete(false) {}

void UnitQueue::add(const dwarf::UnitHeader &H) {
  Budgets.add(H);
  Ready.push_back({Count++, H, LastTable});
  BytesReady += H.End - H.Offset;
  LastTable = H.AbbrevOffset;
  if (Info)
    Unread.push_back({H.End, true});
}

/// Adds the units that have been decompressed.
void UnitQueue::addReadyUnits() {
  auto Report = [&](Error E) { HeaderErrors.push_back(std::move(E)); };
  while (std::optional<dwarf::UnitHeader> H =
             HeaderReader->next(Info->output().size(), Report))
    add(*H);
}

/// Decompresses a part, and releases \p Lock while doing so.
void UnitQueue::unpack(std::unique_lock<std::mutex> &Lock) {
  Unpacking = true;
  Lock.unlock();
  Error E = Info->step();
  // Where the decompressor was in a broken stream is not known.
  if (!E)
    File->release(Info->consumed());
  Lock.lock();
  Unpacking = false;
  if (E)
    Failure.emplace(std::move(E));
  else
    addReadyUnits();
  Complete = Failure || Info->atEnd();
  Changed.notify_all();
}

std::optional<UnitQueue::Task> UnitQueue::next() {
  std::unique_lock<std::mutex> Lock(Mutex);
  while (true) {
    if (!Complete && !Unpacking && BytesReady < Ahead) {
      unpack(Lock);
      continue;
    }
    if (!Ready.empty()) {
      Task T = Ready.front();
      Ready.pop_front();
      BytesReady -= T.Header.End - T.Header.Offset;
      return T;
    }
    if (Complete)
      return std::nullopt;
    Changed.wait(Lock);
  }
}

void UnitQueue::finish(const Task &T) {
  if (!Info)
    return;
  std::lock_guard<std::mutex> Lock(Mutex);
  Unread[T.Index - FirstUnread].second = false;
  uint64_t End = 0;
  while (!Unread.empty() && !Unread.front().second) {
    End = Unread.front().first;
    Unread.pop_front();
    ++FirstUnread;
  }
  if (End)
    Info->output().forget(End);
}

} // namespace lidia
