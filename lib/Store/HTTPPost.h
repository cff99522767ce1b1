//===- HTTPPost.h - Sends bodies to a URL -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPPOST_H
#define LIDIA_LIB_STORE_HTTPPOST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace lidia {

/// The answer to a POST request.
struct HTTPPostAnswer {
  /// 0 if there is no complete answer.
  long Status = 0;
  std::string ContentType;
  std::string RetryAfter;
  /// Empty if it is larger than 64 KiB.
  std::string Body;
  /// Why there is no answer.
  std::string Failure;
};

/// Sends bodies to a URL over connections that it keeps. Does not follow
/// redirects, and does not retry. Thread-safe.
class HTTPPost {
public:
  explicit HTTPPost(std::string URL);
  ~HTTPPost();

  /// Sends \p Body with \p Headers, such as "Content-Type: text/plain", and
  /// waits for at most \p Seconds.
  HTTPPostAnswer send(llvm::StringRef Body, llvm::ArrayRef<std::string> Headers,
                      unsigned Seconds);

private:
  class Impl;

  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPPOST_H
