//===- Entries.h - The keys and checks of entries ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_CACHE_ENTRIES_H
#define LIDIA_LIB_CACHE_ENTRIES_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Cache/Cache.h"
#include <chrono>
#include <optional>

namespace lidia {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point Start);

/// The key of entries of kind \p Kind made by this version.
CacheKey keyOfKind(llvm::StringRef Kind, uint64_t Revision);

void addContent(CacheKey &Key, llvm::StringRef Content);

/// Opens the archive at \p Where. None if a check of a few hundred bytes shows
/// damage: a lookup must not have to read the whole archive.
std::optional<Archive> openWhole(llvm::StringRef Where);

} // namespace lidia

#endif // LIDIA_LIB_CACHE_ENTRIES_H
