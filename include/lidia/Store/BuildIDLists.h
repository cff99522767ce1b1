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

/// Notes that the archives of \p IDs were used today. The same list of the same
/// day is written once.
llvm::Error recordUse(SymbolStore &Store, std::vector<StoreBuildID> IDs);

/// When the build IDs of \p Store were last used, by their bytes: the end of
/// the last day whose lists name them. Reads each list.
llvm::Expected<llvm::StringMap<llvm::sys::TimePoint<>>>
lastUses(SymbolStore &Store);

/// Removes the lists of use that say nothing that a later one does not say, as
/// those of archives that are not there: \p HasArchive tells. Reads each list.
llvm::Error removeUselessLists(
    SymbolStore &Store,
    llvm::function_ref<bool(llvm::ArrayRef<uint8_t> BuildID)> HasArchive);

/// A name, and the build IDs that are kept as long as it is there.
struct StorePin {
  std::string Name;
  std::vector<StoreBuildID> IDs;
};

/// Why \p Name cannot be a pin's: a pin has one to 100 letters, digits, '-',
/// '_' and '.', and does not begin with '.'. Empty if it can.
llvm::StringRef whyNotAPin(llvm::StringRef Name);

/// Replaces the pin of that name. Some build IDs may not be in the store yet.
llvm::Error addPin(SymbolStore &Store, const StorePin &Pin);
/// A pin that does not exist is an error.
llvm::Error removePin(SymbolStore &Store, llvm::StringRef Name);
/// In order of name.
llvm::Expected<std::vector<StorePin>> readPins(SymbolStore &Store);

} // namespace lidia

#endif // LIDIA_STORE_BUILDIDLISTS_H
