//===- RequestTotals.h - What requests to a store have cost -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_REQUESTTOTALS_H
#define LIDIA_STORE_REQUESTTOTALS_H

#include <atomic>
#include <cstdint>

namespace lidia {

/// Sums over all requests of a store, whose archives may outlive the store.
/// Thread-safe.
struct RequestTotals {
  /// The number of requests, including retries.
  std::atomic<uint64_t> Requests{0};
  std::atomic<uint64_t> Retries{0};
  /// Bytes of bodies, without headers.
  std::atomic<uint64_t> BytesRead{0};
  std::atomic<uint64_t> BytesWritten{0};
};

} // namespace lidia

#endif // LIDIA_STORE_REQUESTTOTALS_H
