//===- S3List.h - Lists of the objects in a bucket --------------*- C++ -*-===//
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

/// An answer to a request for a list of objects (ListObjectsV2).
struct S3List {
  /// Their names are whole keys.
  std::vector<StoredObject> Objects;
  /// What asks for the next part; empty if this is the last.
  std::string Next;
};

/// Parses \p XML, an answer with names in the form of URLs or, if it says so
/// (EncodingType), as they are. Entries that lack something are left out. None
/// if it is no such answer.
std::optional<S3List> parseS3List(llvm::StringRef XML);

} // namespace lidia

#endif // LIDIA_LIB_STORE_S3LIST_H
