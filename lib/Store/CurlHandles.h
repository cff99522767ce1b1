//===- CurlHandles.h - libcurl handles that threads share -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_CURLHANDLES_H
#define LIDIA_LIB_STORE_CURLHANDLES_H

#include "Curl.h"
#include <mutex>
#include <vector>

namespace lidia {

/// libcurl's handles for single requests, which keep connections open between
/// them. Thread-safe.
class CurlHandles {
public:
  CurlHandles() = default;
  CurlHandles(const CurlHandles &) = delete;
  CurlHandles &operator=(const CurlHandles &) = delete;
  /// All handles must have been given back.
  ~CurlHandles();

  /// A handle that no other thread uses; null if memory is exhausted.
  CURL *take(const Curl &C);
  /// The options of \p Easy must not refer to objects that end.
  void giveBack(CURL *Easy);

private:
  std::mutex Mutex;
  std::vector<CURL *> Free;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_CURLHANDLES_H
