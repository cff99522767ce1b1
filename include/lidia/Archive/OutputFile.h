//===- OutputFile.h - Files that are written whole or not at all *- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_OUTPUTFILE_H
#define LIDIA_ARCHIVE_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// Writes with \p Write to a temporary file beside \p Path and renames it, so
/// that \p Path is the whole file or what it was before. A \p Path that exists
/// and is no regular file (a device, a pipe; "-" for standard output) is
/// written directly. Errors of the file name it.
llvm::Error
writeOutputFile(llvm::StringRef Path,
                llvm::function_ref<llvm::Error(llvm::raw_ostream &)> Write);

} // namespace lidia

#endif // LIDIA_ARCHIVE_OUTPUTFILE_H
