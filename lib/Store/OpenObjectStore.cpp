//===- OpenObjectStore.cpp - Opens a store of objects ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenObjectStore.h"
#include "FolderStore.h"
#include "Support/URLText.h"
#include "lidia/Error.h"
#include "lidia/Store/OpenArchive.h"
#if LIDIA_HAVE_URLS
#include "S3Store.h"
#include "WebStore.h"
#endif

using namespace lidia;
using namespace llvm;

Expected<std::unique_ptr<ObjectStore>>
lidia::openObjectStore(StringRef Where, const OutputFileOptions &Output,
                       [[maybe_unused]] StringRef Token) {
  if (Where.empty() || Where.contains('\0'))
    return make_error<ArgumentError>(Where, "not the name of a store: name a "
                                            "folder or s3://bucket/prefix");
  if (isURL(Where))
#if LIDIA_HAVE_URLS
    return Where.starts_with_insensitive("s3://")
               ? createS3Store(Where)
               : createWebStore(Where, Token);
#else
    return make_error<UnsupportedError>(
        Where, "this program was built without support for URLs: "
               "libcurl4-openssl-dev was missing");
#endif
  if (Where.contains("://"))
    return make_error<UnsupportedError>(
        urlForMessages(Where),
        "not a store, which is a folder, s3://bucket/prefix or the URL of a "
        "server");
  return createFolderStore(Where, Output);
}
