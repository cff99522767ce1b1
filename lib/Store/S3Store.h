//===- S3Store.h - A store in an S3 bucket ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_S3STORE_H
#define LIDIA_LIB_STORE_S3STORE_H

#include "lidia/Store/ObjectStore.h"

namespace lidia {

/// The store at \p Where: s3://bucket, optionally followed by a prefix.
llvm::Expected<std::unique_ptr<ObjectStore>>
createS3Store(llvm::StringRef Where);

} // namespace lidia

#endif // LIDIA_LIB_STORE_S3STORE_H
