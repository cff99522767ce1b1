//===- DebugFileTree.h - Objects for debuginfod clients ---------*- C++ -*-===//
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

/// Adds the files that debuginfod's clients request to a store with the layout
/// Debuginfod: the debug file, its DWARF sections, and the embedded source
/// code, all made from the archive in the file \p Archive, of \p BuildID.
/// Temporary files are created next to \p Archive.
llvm::Error putDebugFiles(SymbolStore &Store, llvm::ArrayRef<uint8_t> BuildID,
                          llvm::StringRef Archive, PutMode Mode);

} // namespace lidia

#endif // LIDIA_LIB_STORE_DEBUGFILETREE_H
