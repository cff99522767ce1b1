//===- OpenObjectStore.h - Opens a store of objects -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_OPENOBJECTSTORE_H
#define LIDIA_LIB_STORE_OPENOBJECTSTORE_H

#include "lidia/Store/ObjectStore.h"

namespace lidia {

/// The store at \p Where: a folder, `s3://bucket` with or without a prefix
/// after it, or the URL of a web server. A web server cannot be listed, and
/// accepts only archives, and these only if it is `llvm-lidia serve` and
/// \p Token is its write token. The place is not accessed yet; the first
/// ObjectStore::put() creates a folder.
llvm::Expected<std::unique_ptr<ObjectStore>>
openObjectStore(llvm::StringRef Where, const OutputFileOptions &Output,
                llvm::StringRef Token);

} // namespace lidia

#endif // LIDIA_LIB_STORE_OPENOBJECTSTORE_H
