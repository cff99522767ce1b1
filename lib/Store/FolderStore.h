//===- FolderStore.h - A store in a folder ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_FOLDERSTORE_H
#define LIDIA_LIB_STORE_FOLDERSTORE_H

#include "lidia/Store/ObjectStore.h"

namespace lidia {

std::unique_ptr<ObjectStore> createFolderStore(llvm::StringRef Folder,
                                               const OutputFileOptions &Output);

} // namespace lidia

#endif // LIDIA_LIB_STORE_FOLDERSTORE_H
