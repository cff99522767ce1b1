//===- NamesArchive.h - An archive of names, without files ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_NAMESARCHIVE_H
#define LIDIA_EXTRACT_NAMESARCHIVE_H

#include "lidia/Archive/Archive.h"
#include "lidia/Extract/Convert.h"

namespace lidia {

/// The archive of \p Binary with names only, in memory: at once, in little
/// memory, and without lines, inlined calls and unwind rows.
/// Archive::hasNamesOnly() is true.
///
/// If the binary or its debug file has a .symtab, only the headers and that
/// table are read now, and each name when it is asked for. The names are those
/// that convert() would choose in this table; stubs of the PLT have none. The
/// file stays mapped and must not be truncated while the archive is open.
/// Otherwise, and for Go programs, all sources but DWARF are read.
///
/// \p Options says how debug files are found. Fails as convert() does.
llvm::Expected<Archive> openNames(llvm::StringRef Binary,
                                  const ConvertOptions &Options,
                                  ConvertObserver &Observer);

} // namespace lidia

#endif // LIDIA_EXTRACT_NAMESARCHIVE_H
