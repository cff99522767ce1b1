//===- Location.h - The location of a file ----------------------*- C++ -*-===//
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

/// The location of a file.
struct Location {
  /// For messages: as the user wrote it, without password and query, which may
  /// contain a signature.
  std::string Name;
  /// The HTTP URL that is requested.
  std::string URL;
  std::optional<S3Keys> Keys;
  /// For S3: the bucket's URL, with a slash at the end, and the key in the
  /// bucket.
  std::string BucketURL;
  std::string Key;

  /// Updates Keys, if there are any, to the current ones. The error names the
  /// URL.
  llvm::Error renewKeys();

  /// Parses \p URL and finds keys for S3 (Credentials.h). The error names the
  /// URL.
  static llvm::Expected<Location> parse(llvm::StringRef URL);
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_LOCATION_H
