//===- ArchiveSearch.h - What an archive has, by name -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_ARCHIVESEARCH_H
#define LIDIA_SYMBOLIZE_ARCHIVESEARCH_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/Quality.h"
#include "llvm/Support/JSON.h"

namespace lidia {

/// Writes the functions of \p A whose readable or linkage names contain
/// \p Match, ignoring case, as fields of a JSON object: "functions", an array
/// of {"function", "file", "addresses", "inlined"} in order of address, and
/// "more", whether there are more than \p Max. Without \p Match, stubs of the
/// PLT are left out. Reads all of the archive.
void writeFunctions(const Archive &A, llvm::StringRef Match, size_t Max,
                    llvm::json::OStream &J);

/// Calls \p Visit with each function of \p A whose linkage name is \p Name, or
/// whose readable name is, with or without scopes and parameters; in order of
/// address. Reads all of the archive.
void findFunctions(const Archive &A, llvm::StringRef Name,
                   llvm::function_ref<void(const ListedFunction &)> Visit);

/// Writes \p Q as fields of a JSON object, in bytes of code: "code", "named",
/// "by_origin", "doubted", "unnamed_functions", "with_lines", "inlined",
/// "with_unwind_rows" and, if something is left out, "left_out".
void writeQuality(const ArchiveQuality &Q, llvm::json::OStream &J);

/// Like writeFunctions(), for files: "files", an array of paths, and "more".
void writeFiles(const Archive &A, llvm::StringRef Match, size_t Max,
                llvm::json::OStream &J);

/// Writes the function that covers \p Address as fields of a JSON object:
/// "function", "file", "address", "size", "lines" (of the innermost function at
/// each address), "sources" (those of the files whose text the archive keeps),
/// "inlined" (the calls inlined into it, with "depth") and "more", whether one
/// of these has more than \p Max entries. Returns false and writes nothing if
/// no function covers the address.
bool writeFunctionAt(const Archive &A, uint64_t Address, size_t Max,
                     llvm::json::OStream &J);

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_ARCHIVESEARCH_H
