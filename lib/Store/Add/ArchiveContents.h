//===- ArchiveContents.h - Compares the contents of archives ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_ARCHIVECONTENTS_H
#define LIDIA_LIB_STORE_ARCHIVECONTENTS_H

#include "lidia/Store/SymbolStore.h"

namespace lidia {

/// Whether the archive of \p BuildID in \p Store has less information than
/// \p New, or is damaged; none if there is no such archive. Lines are compared
/// first, then functions and inlined calls, then information that only a binary
/// has: segments, return pads, unwind rows.
llvm::Expected<std::optional<bool>> hasLess(SymbolStore &Store,
                                            llvm::ArrayRef<uint8_t> BuildID,
                                            const Archive &New);

/// Opens the archive \p Path, which is not trusted, reads all of it and returns
/// its build ID. Fails if it is damaged or has no build ID.
llvm::Expected<llvm::SmallVector<uint8_t, 20>>
verifyArchive(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_STORE_ARCHIVECONTENTS_H
