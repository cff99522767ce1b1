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

/// The kinds of access to a store.
enum class StoreAction : uint8_t { Reach, List, Put, Get, Delete };

/// Tries each action, in the order of StoreAction, and calls \p Tell with its
/// error or success, and with a note if there is more to say. Skips actions
/// that an earlier failure makes impossible. Writes a small object beside the
/// archives and removes it again. If \p ReadOnly, reads the first archive
/// instead, and fails if the store has none.
void checkStore(SymbolStore &Store, bool ReadOnly,
                llvm::function_ref<void(StoreAction Action, llvm::Error E,
                                        llvm::StringRef Note)>
                    Tell);

} // namespace lidia

#endif // LIDIA_STORE_CHECKSTORE_H
