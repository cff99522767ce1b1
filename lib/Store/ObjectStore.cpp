//===- ObjectStore.cpp - Named objects in folders and buckets -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/ObjectStore.h"
#include "FolderStore.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#if LIDIA_HAVE_URLS
#include "S3Store.h"
#endif

using namespace lidia;
using namespace llvm;

Expected<std::unique_ptr<ObjectStore>>
ObjectStore::open(StringRef Where, const OutputFileOptions &Output) {
  if (Where.empty() || Where.contains('\0'))
    return make_error<ArgumentError>(Where, "not the name of a store: name a "
                                            "folder or s3://bucket/prefix");
  if (Where.starts_with("s3://"))
#if LIDIA_HAVE_URLS
    return createS3Store(Where);
#else
    return make_error<UnsupportedError>(
        Where, "this program was built without support for URLs: "
               "libcurl4-openssl-dev was missing");
#endif
  if (isURL(Where))
    return make_error<UnsupportedError>(
        Where, "not a store, which is a folder or s3://bucket/prefix");
  return createFolderStore(Where, Output);
}
