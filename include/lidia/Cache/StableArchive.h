//===- StableArchive.h - Archives safe from file changes --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_STABLEARCHIVE_H
#define LIDIA_CACHE_STABLEARCHIVE_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// Opens the archive at \p Path so that it stays intact whatever happens to the
/// file, for programs such as debuggers that must not end with a SIGBUS. An
/// entry of the default cache, or a copy that openVerifiedArchive() left there,
/// is mapped, because entries are never modified in place. Any other file is
/// copied (FileAccess::Copy).
llvm::Expected<Archive> openStableArchive(llvm::StringRef Path);

/// Like openStableArchive(), and also verifies the archive: its checksums or,
/// if it has none, its contents.
///
/// Copying and verifying a large archive takes time and memory in proportion to
/// its size. So a copy of an archive with checksums is kept in the cache.
/// Opening the archive again reads only its directory and uses the copy with
/// the same size and checksums, even if the file has been damaged since.
llvm::Expected<Archive> openVerifiedArchive(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_CACHE_STABLEARCHIVE_H
