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
/// file, for programs such as debuggers that a SIGBUS must not end. An entry of
/// the default cache is mapped, because entries are only ever replaced by other
/// files; any other file is copied (FileAccess::Copy).
llvm::Expected<Archive> openStableArchive(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_CACHE_STABLEARCHIVE_H
