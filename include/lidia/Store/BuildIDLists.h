//===- BuildIDLists.h - Which archives of a store are in use ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lists of build IDs beside the archives of a store, so that pruning keeps
/// what is in use: a bucket knows only when an archive was written. A list is
/// text, a build ID in lower-case hexadecimal digits on each line.
///
///   .used/2026-11-25/HASH   used on that day (UTC); HASH is that of the list
///   .pins/NAME              kept as long as the pin is there
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_BUILDIDLISTS_H
#define LIDIA_STORE_BUILDIDLISTS_H

#include "lidia/Store/SymbolStore.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace lidia {

using StoreBuildID = llvm::SmallVector<uint8_t, 20>;

/// Whether the uses of a store are to be recorded without being asked for: it
/// is a folder that this user may write to, and not one of another program,
/// such as /usr/lib/debug.
bool isRecordable(const SymbolStore &Store);

/// Records that the archives of \p IDs were used today. The same list is
/// written only once a day.
llvm::Error recordUse(SymbolStore &Store, std::vector<StoreBuildID> IDs);

/// Returns when each build ID of \p Store was last used: the end of the last
/// day with a list that names it. The keys are the bytes of build IDs. Reads
/// each list.
llvm::Expected<llvm::StringMap<llvm::sys::TimePoint<>>>
lastUses(SymbolStore &Store);

/// Removes lists of use that add nothing to later lists, because each archive
/// they name is in a later list or no longer in the store, as \p HasArchive
/// says. Reads each list.
llvm::Error removeUselessLists(
    SymbolStore &Store,
    llvm::function_ref<bool(llvm::ArrayRef<uint8_t> BuildID)> HasArchive);

/// A name, and the build IDs that are kept as long as the pin exists.
struct StorePin {
  std::string Name;
  std::vector<StoreBuildID> IDs;
};

/// Returns why \p Name is not a valid name of a pin, or an empty string if it
/// is valid. A name consists of 1 to 100 letters, digits, '-', '_' and '.', and
/// does not begin with '.'.
llvm::StringRef whyNotAPin(llvm::StringRef Name);

/// Adds \p Pin, or replaces the pin of that name. Its build IDs need not be in
/// the store yet.
llvm::Error addPin(SymbolStore &Store, const StorePin &Pin);
/// Removes the pin \p Name. Fails if it does not exist.
llvm::Error removePin(SymbolStore &Store, llvm::StringRef Name);
/// All pins, in order of name.
llvm::Expected<std::vector<StorePin>> readPins(SymbolStore &Store);

} // namespace lidia

#endif // LIDIA_STORE_BUILDIDLISTS_H
