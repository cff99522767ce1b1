//===- Location.h - What a URL stands for -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_LOCATION_H
#define LIDIA_LIB_STORE_LOCATION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace lidia {

/// The keys that sign requests.
struct S3Keys {
  std::string ID;
  std::string Secret;
  /// Empty for keys without a session.
  std::string Token;
  std::string Region;
};

/// Where a file is.
struct Location {
  /// For messages: as the user wrote it, without password and query, which may
  /// be a signature.
  std::string Name;
  /// What is requested, by HTTP.
  std::string URL;
  std::optional<S3Keys> Keys;
  /// Of S3: that of the bucket, with a slash after it, and the key in it.
  std::string BucketURL;
  std::string Key;

  /// Sets Keys, if there are any, to those that hold now. The error names the
  /// URL.
  llvm::Error renewKeys();

  /// Looks for keys of S3 (Credentials.h). The error names the URL.
  static llvm::Expected<Location> parse(llvm::StringRef URL);
};

/// \p Text as Amazon's signatures have it: all but letters, digits, "-._~" and
/// \p AlsoPlain as %XX.
std::string percentEncode(llvm::StringRef Text,
                          llvm::StringRef AlsoPlain = llvm::StringRef());

} // namespace lidia

#endif // LIDIA_LIB_STORE_LOCATION_H
