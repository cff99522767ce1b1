//===- RangeQueue.h - Writes ranges on another thread -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_RANGEQUEUE_H
#define LIDIA_LIB_EXTRACT_RANGEQUEUE_H

#include "lidia/Archive/ArchiveWriter.h"
#include <condition_variable>
#include <deque>
#include <mutex>

namespace lidia {

/// Passes merged ranges to an ArchiveWriter in batches, which another thread
/// writes while the next are merged. The order of ranges stays.
///
/// Meanwhile the thread that merges may add strings to the writer, and nothing
/// else: addRange() does not touch them.
class RangeQueue {
public:
  explicit RangeQueue(ArchiveWriter &Writer) : Writer(Writer) {}

  /// Calls \p Merge on one of \p Threads threads, and returns when all ranges
  /// that it added are written. The error is that of the first that could not
  /// be.
  llvm::Error run(unsigned Threads, llvm::function_ref<void()> Merge);

  /// Adds \p R, and a copy of what it refers to.
  void add(const ArchiveRange &R);

private:
  struct Batch {
    struct Entry {
      ArchiveRange R;
      size_t Rows, Statements, Calls;
    };
    std::vector<Entry> Entries;
    /// Those of all entries, one after the other.
    std::vector<ArchiveRow> Rows;
    std::vector<Statement> Statements;
    std::vector<CallNote> Calls;

    void clear();
  };
  using UniqueLock = std::unique_lock<std::mutex>;

  static constexpr size_t FullBatch = 2048, MostWaiting = 4;

  void write(const ArchiveRange &R);
  void write(Batch &B);
  void writeFirst(UniqueLock &Lock);
  void pass(UniqueLock &Lock);
  void finish();
  void writeUntilEnd();

  ArchiveWriter &Writer;
  /// Whether there is no other thread.
  bool Alone = true;
  /// Of the thread that writes.
  std::optional<llvm::Error> Failure;
  /// Of the thread that merges.
  std::unique_ptr<Batch> Filling;

  std::mutex Mutex;
  std::condition_variable Changed;
  std::deque<std::unique_ptr<Batch>> Waiting;
  /// Empty ones, to reuse their memory.
  std::vector<std::unique_ptr<Batch>> Spare;
  bool Merging = false;
  bool Writing = false;
  bool Complete = false;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_RANGEQUEUE_H
