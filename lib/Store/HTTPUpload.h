//===- HTTPUpload.h - The body of an upload ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_HTTPUPLOAD_H
#define LIDIA_LIB_STORE_HTTPUPLOAD_H

#include "Curl.h"
#include "llvm/ADT/StringRef.h"

namespace lidia {

/// The body of a request. libcurl's callbacks have its address, so it must not
/// move.
struct HTTPUpload {
  llvm::StringRef Bytes;
  size_t Sent = 0;

  /// Makes \p Easy read the body from this object.
  void setUp(const Curl &C, CURL *Easy);
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_HTTPUPLOAD_H
