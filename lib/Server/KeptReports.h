//===- KeptReports.h - Answers that links show again ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_KEPTREPORTS_H
#define LIDIA_LIB_SERVER_KEPTREPORTS_H

#include "lidia/Cache/Cache.h"
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace lidia {

/// Reports in a cache, each under its hash, for a day. Thread-safe.
class KeptReports {
public:
  /// The maximum size of all reports in bytes; older ones are removed.
  static constexpr uint64_t MaxSize = uint64_t(1) << 30;

  explicit KeptReports(Cache &Files) : Files(Files) {}

  /// Keeps \p Report, and returns its hash, which nobody can guess who does not
  /// have the report. Empty if the cache cannot be written.
  std::string keep(llvm::StringRef Report);

  /// The path of the report with the hash \p Hash.
  std::optional<std::string> find(llvm::StringRef Hash);

private:
  struct Kept {
    std::string Path;
    uint64_t Size = 0;
    llvm::sys::TimePoint<> Made;
  };

  void readFolder();
  void add(Kept New);

  Cache &Files;
  std::mutex Mutex;
  bool IsRead = false;
  /// The oldest first.
  std::deque<Kept> Reports;
  uint64_t Size = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_KEPTREPORTS_H
