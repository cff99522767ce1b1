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
/// writes while the next ranges are merged. The order of ranges is preserved.
///
/// During this time, the merging thread may add strings to the writer, which
/// addRange() does not access, and nothing else.
class RangeQueue {
public:
  explicit RangeQueue(ArchiveWriter &Writer) : Writer(Writer) {}

  /// Calls \p Merge on one of \p Threads threads, and returns when all ranges
  /// that it added are written. The error is that of the first range that could
  /// not be written.
  llvm::Error run(unsigned Threads, llvm::function_ref<void()> Merge);

  /// Adds \p R with copies of everything that it refers to.
  void add(const ArchiveRange &R);

private:
  struct Batch {
    struct Entry {
      ArchiveRange R;
      size_t Rows, Statements, Calls;
    };
    std::vector<Entry> Entries;
    /// The rows of all entries, one after the other.
    std::vector<ArchiveRow> Rows;
    std::vector<Statement> Statements;
    std::vector<CallNote> Calls;

    void clear();
  };
  using UniqueLock = std::unique_lock<std::mutex>;

  static constexpr size_t FullBatch = 2048, MaxWaiting = 4;

  void write(const ArchiveRange &R);
  void write(Batch &B);
  void writeFirst(UniqueLock &Lock);
  void pass(UniqueLock &Lock);
  void finish();
  void writeUntilEnd();

  ArchiveWriter &Writer;
  /// Whether there is no other thread.
  bool Alone = true;
  /// The error of the writing thread.
  std::optional<llvm::Error> Failure;
  /// The batch that the merging thread fills.
  std::unique_ptr<Batch> Filling;

  std::mutex Mutex;
  std::condition_variable Changed;
  std::deque<std::unique_ptr<Batch>> Waiting;
  /// Empty batches, to reuse their memory.
  std::vector<std::unique_ptr<Batch>> Spare;
  bool Merging = false;
  bool Writing = false;
  bool Complete = false;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_RANGEQUEUE_H
