//===- PruneStore.h - Removes archives that nobody uses ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Part of the library LidiaStoreAdd, because it knows what adding leaves.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_PRUNESTORE_H
#define LIDIA_STORE_PRUNESTORE_H

#include "lidia/Store/SymbolStore.h"
#include <vector>

namespace lidia {

/// What to keep of a store.
struct PruneRequest {
  /// Archives that were used in this time.
  std::optional<std::chrono::seconds> OlderThan;
  /// Bytes of archives in all, those of pins included: the most recently used.
  std::optional<uint64_t> MaxSize;
  /// Removes nothing.
  bool IsDryRun = false;
};

struct PruneCounts {
  uint64_t Removed = 0;
  /// Of the archives that were removed.
  uint64_t Bytes = 0;
  /// Archives that only a pin has kept.
  uint64_t Pinned = 0;
};

/// All archives of \p Store, the least recently used first, with that time as
/// their objects' LastUsed: when an archive was read (in a folder, as far as
/// the file system notes it), written, or named by a list of use
/// (BuildIDLists.h).
llvm::Expected<std::vector<StoredArchive>> archivesByUse(SymbolStore &Store);

/// Removes the archives of \p Store that \p Request does not keep, the least
/// recently used first as archivesByUse() has them, but none that a pin names,
/// and calls \p Visit with each.
///
/// Removes the records of packages, lists of use and files of killed writers
/// that have become useless, too.
llvm::Expected<PruneCounts>
pruneStore(SymbolStore &Store, const PruneRequest &Request,
           llvm::function_ref<void(const StoredArchive &)> Visit);

} // namespace lidia

#endif // LIDIA_STORE_PRUNESTORE_H
