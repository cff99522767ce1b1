//===- Credentials.h - Keys for Amazon's services ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_CREDENTIALS_H
#define LIDIA_LIB_STORE_CREDENTIALS_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace lidia {

/// Keys, and when they expire.
struct Credentials {
  using Time = std::chrono::system_clock::time_point;

  std::string ID;
  std::string Secret;
  /// Empty for keys without a session.
  std::string Token;
  /// None for keys that do not expire.
  std::optional<Time> Expires;
};

/// The keys of this process, from the first source that has any, in the order
/// of Amazon's own programs: variables, web identity, profiles, the container,
/// the instance. They are renewed five minutes before they expire. Thread-safe:
/// one thread fetches, and the others wait.
class CredentialCache {
public:
  static CredentialCache &ofProcess();

  /// The error says what failed, without a secret and without a prefix.
  llvm::Expected<Credentials> get();

private:
  using Clock = std::chrono::steady_clock;

  bool isFresh() const;

  std::mutex Mutex;
  /// The values of the variables that Known and Failure belong to.
  std::string Configuration;
  std::optional<Credentials> Known;
  /// Why the last attempt failed; empty if it succeeded.
  std::string Failure;
  /// The earliest time of the next attempt, if the last one failed or returned
  /// keys that are about to expire.
  Clock::time_point NextAttempt;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_CREDENTIALS_H
