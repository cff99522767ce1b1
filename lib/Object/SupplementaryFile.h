//===- SupplementaryFile.h - Supplementary debug files ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_SUPPLEMENTARYFILE_H
#define LIDIA_LIB_OBJECT_SUPPLEMENTARYFILE_H

#include "Binary.h"
#include "lidia/Object/DebugFileSearch.h"

namespace lidia {

/// Opens the supplementary file, which holds debug information shared by
/// several files, named in .gnu_debugaltlink (dwz) or .debug_sup (DWARF 5,
/// section 7.3.6) of \p File. Null if \p File names none.
///
/// Searches the known files, then the given path, relative to \p File; then
/// each debug directory, first the one that contains \p File: under .dwz by the
/// part of its name after ".dwz/", and under .build-id. The file must have the
/// ID that \p File gives, and must not refer to another supplementary file
/// itself. The error names the file.
llvm::Expected<std::unique_ptr<Binary>>
openSupplementaryFile(Binary &File, const DebugFileSearch &Search);

/// The build ID of the supplementary file that \p File refers to; empty if it
/// refers to none, or its reference is malformed.
llvm::SmallVector<uint8_t, 20> supplementaryBuildID(Binary &File);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_SUPPLEMENTARYFILE_H
