//===- WebStore.h - A store on a web server ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_WEBSTORE_H
#define LIDIA_LIB_STORE_WEBSTORE_H

#include "lidia/Store/ObjectStore.h"

namespace lidia {

/// The store at the http or https URL \p Where, which is that of `llvm-lidia
/// serve`, or of any web server that has the files of a store. \p Token is sent
/// as the password with uploads, and with other requests unless the URL
/// contains a password of its own.
llvm::Expected<std::unique_ptr<ObjectStore>>
createWebStore(llvm::StringRef Where, llvm::StringRef Token);

} // namespace lidia

#endif // LIDIA_LIB_STORE_WEBSTORE_H
