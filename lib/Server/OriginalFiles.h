//===- OriginalFiles.h - A bounded folder of files by build ID --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_ORIGINALFILES_H
#define LIDIA_LIB_SERVER_ORIGINALFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

namespace lidia {

/// Sets the access time of the file \p Path to now.
void markAsUsed(llvm::StringRef Path);

/// Removes files BUILDID/NAME in \p Folder, least recently used first, until
/// the rest has at most \p MaxBytes. Files of build IDs in \p Busy stay.
void removeOldest(llvm::StringRef Folder, uint64_t MaxBytes,
                  const llvm::StringSet<> &Busy);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_ORIGINALFILES_H
