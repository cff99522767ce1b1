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
  /// Bytes of the helper's private memory (RLIMIT_DATA); mapped files do not
  /// count.
  uint64_t Memory = 0;
  std::chrono::seconds Time{0};
};

/// How a program ended.
struct HelperResult {
  /// Its status, or -1 if a signal ended it.
  int Status = -1;
  bool TookTooLong = false;
  /// Its standard output and standard error, interleaved, up to 1 MiB.
  std::string Output;
};

/// Runs \p Program with \p Arguments, the first of which is the program's name,
/// and \p Environment ("NAME=value"). The program has no input, writes no core
/// file, and runs at low priority. Waits until it exits or is killed, because
/// of \p Limits or because \p Cancel is set. Returns an error if it cannot be
/// started.
llvm::Expected<HelperResult> runHelper(const std::string &Program,
                                       llvm::ArrayRef<std::string> Arguments,
                                       llvm::ArrayRef<std::string> Environment,
                                       const HelperLimits &Limits,
                                       const std::atomic<bool> &Cancel);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_HELPERPROCESS_H
