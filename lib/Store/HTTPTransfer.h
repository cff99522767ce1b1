//===- HTTPTransfer.h - A range request and its answer ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPTRANSFER_H
#define LIDIA_LIB_STORE_HTTPTRANSFER_H

#include "Curl.h"
#include "lidia/Store/FarFile.h"
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// The value of a Content-Range header.
struct ContentRange {
  uint64_t First = 0;
  uint64_t Last = 0;
  uint64_t Total = 0;

  static std::optional<ContentRange> parse(llvm::StringRef Value);
};

/// A range request, and the answer so far. libcurl's callbacks have its
/// address, so it must not move.
struct HTTPTransfer {
  RangeFetcher::Range *Wanted = nullptr;

  CURL *Easy = nullptr;
  unsigned Attempts = 0;
  std::chrono::steady_clock::time_point NotBefore;
  bool IsActive = false;
  bool IsDone = false;

  /// The answer so far.
  long Status = 0;
  std::optional<ContentRange> Place;
  std::string ETag;
  std::string LastModified;
  std::string Region;
  bool IsEncoded = false;
  bool IsMultipart = false;
  /// Headers are complete: later ones, such as trailers, are ignored.
  bool HasBody = false;
  /// The answer is an error, and enough of it has been read.
  bool IsCutOff = false;
  std::vector<char> Body;
  size_t HeaderBytes = 0;
  long RetryAfter = 0;
  /// Why a callback ended the transfer.
  std::string Failure;
  char Message[CURL_ERROR_SIZE] = {};

  /// Prepares for another attempt.
  void restart();
  /// Discards the answer so far.
  void reset();
  void takeHeader(llvm::StringRef Line);
  /// Returns false if the server sends another range than the requested one.
  bool checkPlace();
  bool takeBody(llvm::StringRef Bytes);
  /// Whether the complete answer has the whole range. If not, sets Failure,
  /// unless the status says why.
  bool isComplete();

  /// CURLOPT_HEADERFUNCTION and CURLOPT_WRITEFUNCTION; \p User is the transfer.
  static size_t onHeader(char *Data, size_t, size_t Count, void *User);
  static size_t onBody(char *Data, size_t, size_t Count, void *User);
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPTRANSFER_H
