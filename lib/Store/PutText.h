//===- PutText.h - Objects that are made of text ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_PUTTEXT_H
#define LIDIA_LIB_STORE_PUTTEXT_H

#include "lidia/Store/SymbolStore.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// Stores what \p Write writes as \p Object of \p Store, through a temporary
/// file in \p Folder; by default, in the system's folder for temporary files.
llvm::Error putText(SymbolStore &Store, llvm::StringRef Object, PutMode Mode,
                    llvm::function_ref<void(llvm::raw_ostream &)> Write,
                    llvm::StringRef Folder = "");

} // namespace lidia

#endif // LIDIA_LIB_STORE_PUTTEXT_H
