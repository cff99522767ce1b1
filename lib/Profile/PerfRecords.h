//===- PerfRecords.h - The records of a recording ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFRECORDS_H
#define LIDIA_LIB_PROFILE_PERFRECORDS_H

#include "PerfFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct ZSTD_DCtx_s;

namespace lidia {

/// A record, and the owner of its bytes if they are not in the file.
struct HeldRecord {
  PerfRecord Record;
  std::shared_ptr<const std::string> Holder;
};

/// Reads the records of a recording in order, including those that perf record
/// has compressed with zstd (-z). Compressed data form one stream, in which a
/// record may begin in one compressed record and end in another.
class PerfRecordReader {
public:
  /// The size of unpacked records is bounded by that of \p Records. Without
  /// \p Unpack, compressed records are returned as they are.
  PerfRecordReader(llvm::StringRef Records, llvm::endianness Order,
                   bool Unpack = true);
  ~PerfRecordReader();

  /// None at the end, or if nothing more can be read; then problem() is the
  /// reason.
  std::optional<HeldRecord> next();
  llvm::StringRef problem() const { return Problem; }
  /// The number of bytes of all records so far, unpacked.
  uint64_t bytesRead() const { return BytesRead; }

private:
  std::optional<PerfRecord> take(llvm::StringRef &From);
  bool unpack(const PerfRecord &R);

  llvm::StringRef Outer;
  const llvm::endianness Order;
  const uint64_t MaxUnpacked;
  const bool Unpack;
  /// The unpacked records, and the unread part of them.
  std::shared_ptr<const std::string> Chunk;
  llvm::StringRef Inner;
  ZSTD_DCtx_s *Context = nullptr;
  uint64_t Unpacked = 0;
  uint64_t BytesRead = 0;
  std::string Problem;
};

/// Sorts records by time. Each processor writes its own records, so a record
/// may follow newer ones. At the end of a round (PERF_RECORD_FINISHED_ROUND),
/// all records up to the newest of the previous round have been read.
class PerfRecordQueue {
public:
  using Visitor = llvm::function_ref<void(const PerfRecord &, uint64_t Time)>;

  void add(HeldRecord R, uint64_t Time);
  /// Visits the records whose order is final at the end of a round.
  void finishRound(Visitor Visit);
  /// The number of bytes of all unpacked records in the queue.
  uint64_t heldBytes() const { return HeldBytes; }
  /// Visits all remaining records.
  void finish(Visitor Visit);

private:
  struct Entry {
    uint64_t Time;
    HeldRecord Held;
  };

  void visitUntil(uint64_t Time, Visitor Visit);

  std::vector<Entry> Entries;
  bool IsSorted = true;
  uint64_t HeldBytes = 0;
  uint64_t Youngest = 0;
  uint64_t YoungestOfLastRound = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFRECORDS_H
