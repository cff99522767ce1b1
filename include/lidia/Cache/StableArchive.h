//===- StableArchive.h - Archives that files cannot change ------*- C++ -*-===//
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

/// Opens the archive at \p Path so that it stays whole whatever becomes of the
/// file, for programs like a debugger that no signal may end: an entry of the
/// default cache, which is only ever replaced by another file, is mapped; any
/// other file is copied (FileAccess::Copy).
llvm::Expected<Archive> openStableArchive(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_CACHE_STABLEARCHIVE_H
