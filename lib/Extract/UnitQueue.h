//===- UnitQueue.h - The units to read next ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_UNITQUEUE_H
#define LIDIA_LIB_EXTRACT_UNITQUEUE_H

#include "DWARF/Unit.h"
#include "Object/Binary.h"
#include "UnitBudgets.h"
#include <condition_variable>
#include <deque>
#include <mutex>

namespace lidia {

/// Distributes the units of .debug_info, in order, to the threads that read
/// them.
///
/// .debug_info is three quarters of the debug information, and a compressed
/// stream cannot be decompressed in parallel. So if no unit refers to another,
/// the same threads read units and decompress the following ones, and the
/// memory of units is released when they have been read: only a few megabytes
/// of the section are in memory at a time.
///
/// Thread-safe.
class UnitQueue {
public:
  struct Task {
    size_t Index = 0;
    dwarf::UnitHeader Header;
    /// The abbreviation table of the previous unit, if there is one.
    std::optional<uint64_t> TableBefore;
  };

  /// The units are \p Headers. Adds them to \p Budgets.
  UnitQueue(llvm::ArrayRef<dwarf::UnitHeader> Headers, UnitBudgets &Budgets);

  /// The units are those of \p S.Info, the output of \p Info, which has not
  /// decompressed anything yet; \p File has the input. \p Threads threads will
  /// read the units. All arguments must outlive this object.
  UnitQueue(const Binary &File, const dwarf::Sections &S, Unpacker &Info,
            unsigned Threads, UnitBudgets &Budgets);

  /// The next unit to be read; none if all have been given out. The calling
  /// thread may first have to decompress something, or to wait.
  std::optional<Task> next();

  /// The unit of \p T has been read.
  void finish(const Task &T);

  /// The errors of broken headers. Call this after next() has returned all
  /// units.
  std::vector<llvm::Error> takeHeaderErrors() {
    return std::move(HeaderErrors);
  }
  /// The error that ended decompression early, if any.
  llvm::Error takeError() {
    return Failure ? std::move(*Failure) : llvm::Error::success();
  }

private:
  void add(const dwarf::UnitHeader &H);
  void addReadyUnits();
  void unpack(std::unique_lock<std::mutex> &Lock);

  UnitBudgets &Budgets;
  const Binary *File = nullptr;
  Unpacker *Info = nullptr;
  /// The bytes of units to decompress ahead of those that read them.
  uint64_t Ahead = 0;
  std::optional<dwarf::UnitHeaderReader> HeaderReader;

  std::mutex Mutex;
  std::condition_variable Changed;
  /// Units that can be read, and their bytes.
  std::deque<Task> Ready;
  uint64_t BytesReady = 0;
  size_t Count = 0;
  std::optional<uint64_t> LastTable;
  bool Unpacking = false;
  /// Whether there will be no more units.
  bool Complete = true;
  std::vector<llvm::Error> HeaderErrors;
  std::optional<llvm::Error> Failure;
  /// For each unit from FirstUnread on, its end, and whether it is still to be
  /// read.
  std::deque<std::pair<uint64_t, bool>> Unread;
  size_t FirstUnread = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_UNITQUEUE_H
