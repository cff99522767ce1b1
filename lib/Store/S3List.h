//===- S3List.h - Lists of objects in S3 ------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_S3LIST_H
#define LIDIA_LIB_STORE_S3LIST_H

#include "lidia/Store/ObjectStore.h"
#include <vector>

namespace lidia {

/// One part of a list of objects (ListObjectsV2).
struct S3List {
  /// Their names are complete keys.
  std::vector<StoredObject> Objects;
  /// The token that requests the next part; empty in the last one.
  std::string Next;
};

/// Parses \p XML, an answer whose names are URL-encoded if it says so
/// (EncodingType). Leaves out incomplete entries. None if it is not such an
/// answer.
std::optional<S3List> parseS3List(llvm::StringRef XML);

} // namespace lidia

#endif // LIDIA_LIB_STORE_S3LIST_H
