//===- LookupPrefetch.h - Lookups in archives far away ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_LOOKUPPREFETCH_H
#define LIDIA_LIB_ARCHIVE_LOOKUPPREFETCH_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// Whether A.prefetch(Addresses) would fetch nothing, because lookups of
/// \p Addresses find all that they read in memory.
bool isPrefetched(const Archive &A, llvm::ArrayRef<uint64_t> Addresses);

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_LOOKUPPREFETCH_H
