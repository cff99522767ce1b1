//===- HTTPHandles.h - libcurl's handles for a file -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPHANDLES_H
#define LIDIA_LIB_STORE_HTTPHANDLES_H

#include "HTTPLimits.h"
#include "HTTPTransfer.h"
#include "Location.h"

namespace lidia {

/// Sets where requests of \p Easy go, and who asks.
void setTarget(const Curl &C, CURL *Easy, const Location &Where);

/// Signs requests of \p Easy by the keys that \p Where has now, if any.
void setKeys(const Curl &C, CURL *Easy, const Location &Where);

/// Sets how long a request may take whose body has \p Size bytes.
void setTimeLimits(const Curl &C, CURL *Easy, const HTTPLimits &Limits,
                   uint64_t Size);

/// The handles for requests for ranges of one file: where it is, who asks, and
/// how long an answer may take. They keep connections between rounds.
class HTTPHandles {
public:
  HTTPHandles(const Curl &C, const Location &Where)
      : C(C), Where(Where), Limits(HTTPLimits::fromEnvironment()) {}
  HTTPHandles(const HTTPHandles &) = delete;
  HTTPHandles &operator=(const HTTPHandles &) = delete;
  ~HTTPHandles();

  /// The handle that runs others at the same time. Null without memory.
  CURLM *multi();

  /// The headers of all handles that are taken from now on. \p ETag, if it is
  /// not empty, is that of the file which is wanted.
  void setHeaders(llvm::StringRef ETag);

  /// Gives \p T a handle, which is to be given back before \p T ends. False
  /// without memory.
  bool take(HTTPTransfer &T);
  void giveBack(HTTPTransfer &T);

  /// Closes connections. None may be in use.
  void close();

private:
  const Curl &C;
  const Location &Where;
  const HTTPLimits Limits;
  CURLM *Multi = nullptr;
  /// Those that are not in use.
  std::vector<CURL *> Free;
  curl_slist *Headers = nullptr;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPHANDLES_H
