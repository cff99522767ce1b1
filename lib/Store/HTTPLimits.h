//===- HTTPLimits.h - Time limits of HTTP requests --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPLIMITS_H
#define LIDIA_LIB_STORE_HTTPLIMITS_H

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lidia {

/// Limits on the time that a server may take.
struct HTTPLimits {
  static constexpr long ConnectSeconds = 10;
  /// How long the server may be slower than StallBytesPerSecond.
  long StallSeconds = 15;
  static constexpr long StallBytesPerSecond = 100;
  /// The time limit of a request: this, and a second for each SlowestSpeed
  /// bytes.
  static constexpr long RequestSeconds = 60;
  static constexpr uint64_t SlowestSpeed = 16 * 1024;
  static constexpr long Redirects = 5;
  /// Concurrent requests of a round.
  static constexpr long Connections = 16;
  static constexpr unsigned Attempts = 4;
  static constexpr std::chrono::milliseconds FirstDelay{200};
  /// How long a round retries.
  static constexpr std::chrono::seconds Retrying{30};
  /// The headers of an answer, including those of redirects.
  static constexpr size_t HeaderBytes = 64 * 1024;

  static HTTPLimits fromEnvironment();
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPLIMITS_H
