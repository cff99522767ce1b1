//===- HTTPHandles.h - libcurl handles for a file ---------------*- C++ -*-===//
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

/// Sets the target and the keys of the requests of \p Easy.
void setTarget(const Curl &C, CURL *Easy, const Location &Where);

/// Signs requests of \p Easy with the current keys of \p Where, if any.
void setKeys(const Curl &C, CURL *Easy, const Location &Where);

/// Limits the time of requests of \p Easy whose body has \p Size bytes.
void setTimeLimits(const Curl &C, CURL *Easy, const HTTPLimits &Limits,
                   uint64_t Size);

/// The handles for range requests for one file, with its location, keys and
/// time limits. They keep connections open between rounds.
class HTTPHandles {
public:
  HTTPHandles(const Curl &C, const Location &Where)
      : C(C), Where(Where), Limits(HTTPLimits::fromEnvironment()) {}
  HTTPHandles(const HTTPHandles &) = delete;
  HTTPHandles &operator=(const HTTPHandles &) = delete;
  ~HTTPHandles();

  /// The handle that runs the others concurrently. Null if memory is exhausted.
  CURLM *multi();

  /// Sets the headers of all handles that are taken afterwards. \p ETag, if it
  /// is not empty, is that of the expected version of the file.
  void setHeaders(llvm::StringRef ETag);

  /// Gives \p T a handle, which must be given back before \p T is destroyed.
  /// Returns false if memory is exhausted.
  bool take(HTTPTransfer &T);
  void giveBack(HTTPTransfer &T);

  /// Closes connections. No handle may be in use.
  void close();

private:
  const Curl &C;
  const Location &Where;
  const HTTPLimits Limits;
  CURLM *Multi = nullptr;
  /// Handles that are not in use.
  std::vector<CURL *> Free;
  curl_slist *Headers = nullptr;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPHANDLES_H
