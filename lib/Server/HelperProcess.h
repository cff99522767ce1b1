//===- HelperProcess.h - Runs a program with limits -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_HELPERPROCESS_H
#define LIDIA_LIB_SERVER_HELPERPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <chrono>
#include <string>

namespace lidia {

struct HelperLimits {
  /// Bytes of memory that is its own (RLIMIT_DATA): files that it maps do not
  /// count.
  uint64_t Memory = 0;
  std::chrono::seconds Time{0};
};

/// How a program ended.
struct HelperResult {
  /// Its status, or -1 if a signal ended it.
  int Status = -1;
  bool TookTooLong = false;
  /// What it printed to its standard output and error, in order, up to a MiB.
  std::string Output;
};

/// Runs \p Program with \p Arguments, the name of the program first, and
/// \p Environment ("NAME=value"). It has no input, leaves no core, and gives
/// way to other programs. Waits until it ends or is killed: because of
/// \p Limits, or when \p Cancel is set. An error if it cannot be started.
llvm::Expected<HelperResult> runHelper(const std::string &Program,
                                       llvm::ArrayRef<std::string> Arguments,
                                       llvm::ArrayRef<std::string> Environment,
                                       const HelperLimits &Limits,
                                       const std::atomic<bool> &Cancel);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_HELPERPROCESS_H
