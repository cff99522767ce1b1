//===- FailedServers.h - Servers that have failed recently ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_FAILEDSERVERS_H
#define LIDIA_LIB_STORE_FAILEDSERVERS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include <chrono>
#include <mutex>
#include <string>

namespace lidia {

/// Remembers for a minute which servers have failed, in memory and, for other
/// processes, with an empty file in a folder whose modification time is that of
/// the failure. Thread-safe.
class FailedServers {
public:
  static constexpr std::chrono::seconds Lifetime{60};

  /// The folder need not exist.
  explicit FailedServers(std::string Folder) : Folder(std::move(Folder)) {}

  enum class State : uint8_t {
    Usable,
    /// Another process noticed the failure. Returned once.
    FailedElsewhere,
    Failed,
  };
  State state(llvm::StringRef Server);

  /// Returns whether the failure is new.
  bool add(llvm::StringRef Server);

private:
  std::string fileOf(llvm::StringRef Server) const;

  const std::string Folder;
  std::mutex Mutex;
  llvm::StringMap<llvm::sys::TimePoint<>> FailedAt;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_FAILEDSERVERS_H
