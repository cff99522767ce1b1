//===- RemoveArchive.h - Remove one archive from a store --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_REMOVEARCHIVE_H
#define LIDIA_STORE_REMOVEARCHIVE_H

#include "lidia/Store/SymbolStore.h"

namespace lidia {

/// Removes the archive of \p BuildID from \p Store, the objects that were made
/// from it, and the names of its binary. Of a server (llvm-lidia serve), asks
/// it to do that.
///
/// Fails with the code std::errc::no_such_file_or_directory if there is none,
/// and with an ArgumentError if a pin keeps it, which the error names.
llvm::Error removeArchive(SymbolStore &Store, llvm::ArrayRef<uint8_t> BuildID);

} // namespace lidia

#endif // LIDIA_STORE_REMOVEARCHIVE_H
