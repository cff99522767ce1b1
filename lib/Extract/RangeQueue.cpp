//===- RangeQueue.cpp - Writes ranges on another thread -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeQueue.h"
#include "Support/Threads.h"

using namespace llvm;

namespace lidia {

void RangeQueue::Batch::clear() {
  Entries.clear();
  Rows.clear();
  Statements.clear();
  Calls.clear();
}

void RangeQueue::write(const ArchiveRange &R) {
  if (Failure)
    return;
  if (Error E = Writer.addRange(R))
    Failure.emplace(std::move(E));
}

void RangeQueue::write(Batch &B) {
  ArrayRef<ArchiveRow> Rows = B.Rows;
  ArrayRef<Statement> Statements = B.Statements;
  ArrayRef<CallNote> Calls = B.Calls;
  for (Batch::Entry &E : B.Entries) {
    E.R.Rows = Rows.take_front(E.Rows);
    E.R.Statements = Statements.take_front(E.Statements);
    E.R.Calls = Calls.take_front(E.Calls);
    Rows = Rows.drop_front(E.Rows);
    Statements = Statements.drop_front(E.Statements);
    Calls = Calls.drop_front(E.Calls);
    write(E.R);
  }
}

/// Writes the first waiting batch, and releases \p Lock while doing so.
void RangeQueue::writeFirst(UniqueLock &Lock) {
  std::unique_ptr<Batch> B = std::move(Waiting.front());
  Waiting.pop_front();
  Writing = true;
  Lock.unlock();
  write(*B);
  B->clear();
  Lock.lock();
  Writing = false;
  Spare.push_back(std::move(B));
  Changed.notify_all();
}

/// Puts Filling into the queue. If too many batches wait and no thread writes
/// them, for example because none could be created, this thread does.
void RangeQueue::pass(UniqueLock &Lock) {
  while (Waiting.size() >= MaxWaiting) {
    if (Writing)
      Changed.wait(Lock);
    else
      writeFirst(Lock);
  }
  Waiting.push_back(std::move(Filling));
  Changed.notify_all();
}

void RangeQueue::add(const ArchiveRange &R) {
  if (Alone)
    return write(R);
  if (!Filling) {
    UniqueLock Lock(Mutex);
    if (Spare.empty()) {
      Filling = std::make_unique<Batch>();
    } else {
      Filling = std::move(Spare.back());
      Spare.pop_back();
    }
  }
  Batch &B = *Filling;
  B.Entries.push_back({R, R.Rows.size(), R.Statements.size(), R.Calls.size()});
  B.Rows.insert(B.Rows.end(), R.Rows.begin(), R.Rows.end());
  B.Statements.insert(B.Statements.end(), R.Statements.begin(),
                      R.Statements.end());
  B.Calls.insert(B.Calls.end(), R.Calls.begin(), R.Calls.end());
  if (B.Entries.size() == FullBatch) {
    UniqueLock Lock(Mutex);
    pass(Lock);
  }
}

/// Called by the merging thread when everything has been added.
void RangeQueue::finish() {
  UniqueLock Lock(Mutex);
  if (Filling)
    pass(Lock);
  Complete = true;
  Changed.notify_all();
  while (Writing || !Waiting.empty()) {
    if (Writing)
      Changed.wait(Lock);
    else
      writeFirst(Lock);
  }
}

void RangeQueue::writeUntilEnd() {
  UniqueLock Lock(Mutex);
  while (!Complete || !Waiting.empty()) {
    if (Writing || Waiting.empty())
      Changed.wait(Lock);
    else
      writeFirst(Lock);
  }
}

Error RangeQueue::run(unsigned Threads, function_ref<void()> Merge) {
  Alone = Threads < 2;
  runOnThreads(std::min(Threads, 2u), [&] {
    UniqueLock Lock(Mutex);
    bool Merges = !std::exchange(Merging, true);
    Lock.unlock();
    if (!Merges)
      return writeUntilEnd();
    Merge();
    finish();
  });
  return Failure ? std::move(*Failure) : Error::success();
}

} // namespace lidia
