//===- PruneStore.h - Removes archives that nobody uses ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Part of the library LidiaStoreAdd, because it removes files that adding
/// leaves.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_PRUNESTORE_H
#define LIDIA_STORE_PRUNESTORE_H

#include "lidia/Store/SymbolStore.h"

namespace lidia {

/// What to keep of a store.
struct PruneRequest {
  /// Keep archives that were used within this time.
  std::optional<std::chrono::seconds> OlderThan;
  /// Keep the most recently used archives up to this total size in bytes, which
  /// includes pinned archives.
  std::optional<uint64_t> MaxSize;
  /// Only report what would be removed.
  bool IsDryRun = false;
};

struct PruneStatistics {
  uint64_t Removed = 0;
  /// The size of the removed archives.
  uint64_t Bytes = 0;
  /// Archives that were kept only because of a pin.
  uint64_t Pinned = 0;
};

/// Calls \p Visit with each archive of \p Store, with the time of last use in
/// StoredObject::LastUsed. An archive is used when it is read (in a folder, if
/// the file system records access times), written, or named by a list of use
/// (BuildIDLists.h).
llvm::Error
forEachWithUse(SymbolStore &Store,
               llvm::function_ref<void(const StoredArchive &)> Visit);

/// Removes the archives of \p Store that \p Request does not keep, except those
/// that a pin names. Chooses those that alone have more than the maximum size,
/// and then the least recently used ones. Calls \p Visit with each before any
/// is removed.
///
/// Also removes records of packages, lists of use and files of killed writers
/// that are no longer useful.
llvm::Expected<PruneStatistics>
pruneStore(SymbolStore &Store, const PruneRequest &Request,
           llvm::function_ref<void(const StoredArchive &)> Visit);

} // namespace lidia

#endif // LIDIA_STORE_PRUNESTORE_H
