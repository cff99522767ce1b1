//===- CheckStore.h - Whether a store can be used ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Part of the library LidiaStoreAdd, because it writes.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_CHECKSTORE_H
#define LIDIA_STORE_CHECKSTORE_H

#include "lidia/Store/SymbolStore.h"

namespace lidia {

/// What programs do with a store.
enum class StoreAction : uint8_t { Reach, List, Put, Get, Delete };

/// Tries each of the actions, in the order of StoreAction, and calls \p Tell
/// with its error or success and, where there is more to say, with a note. What
/// cannot be tried after a failure is left out. Writes a small object beside
/// the archives and removes it again; if \p ReadOnly, gets the first archive
/// instead, and a store without one is an error.
void checkStore(SymbolStore &Store, bool ReadOnly,
                llvm::function_ref<void(StoreAction Action, llvm::Error E,
                                        llvm::StringRef Note)>
                    Tell);

} // namespace lidia

#endif // LIDIA_STORE_CHECKSTORE_H
