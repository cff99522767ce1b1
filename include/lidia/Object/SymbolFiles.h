//===- SymbolFiles.h - Recognises other tools' symbol files -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OBJECT_SYMBOLFILES_H
#define LIDIA_OBJECT_SYMBOLFILES_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

/// Whether the file at \p Path begins like a GSYM file, a SymCache or a
/// Breakpad symbol file, which are converted like binaries. False if it cannot
/// be read.
bool isSymbolFile(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_OBJECT_SYMBOLFILES_H
