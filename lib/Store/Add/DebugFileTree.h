//===- DebugFileTree.h - Objects for debuginfod's clients -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_DEBUGFILETREE_H
#define LIDIA_LIB_STORE_DEBUGFILETREE_H

#include "lidia/Store/SymbolStore.h"

namespace lidia {

/// Puts what debuginfod's clients ask for of the archive in the file
/// \p Archive, of \p BuildID, to a store of the layout Debuginfod: the debug
/// file, its sections of DWARF, and the source code that the archive keeps.
/// Files on their way to the store are beside \p Archive.
llvm::Error putDebugFiles(SymbolStore &Store, llvm::ArrayRef<uint8_t> BuildID,
                          llvm::StringRef Archive, PutMode Mode);

} // namespace lidia

#endif // LIDIA_LIB_STORE_DEBUGFILETREE_H
