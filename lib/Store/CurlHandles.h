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
#include "lidia/Support/ForkLocal.h"
#include <mutex>
#include <vector>

namespace lidia {

/// curl_easy_perform(), but with the code CURLE_ABORTED_BY_CALLBACK soon after
/// the thread is to stop (InterruptScope). libcurl itself asks a callback only
/// once a second while a server is silent.
CURLcode perform(const Curl &C, CURL *Easy);

/// libcurl's handles for single requests, which keep connections open between
/// them. Thread-safe. All must have been given back before this is destroyed.
class CurlHandles {
public:
  CurlHandles() = default;
  CurlHandles(const CurlHandles &) = delete;
  CurlHandles &operator=(const CurlHandles &) = delete;
  /// A handle that no other thread uses; null if memory is exhausted.
  CURL *take(const Curl &C);
  /// The options of \p Easy must not refer to objects that end.
  void giveBack(CURL *Easy);

private:
  struct State {
    ~State();

    std::mutex Mutex;
    std::vector<CURL *> Free;
  };
  /// A child of fork() must not use connections of its parent.
  ForkLocal<State> StateOfProcess;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_CURLHANDLES_H
