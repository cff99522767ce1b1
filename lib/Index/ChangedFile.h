//===- ChangedFile.h - An ELF file with changed sections --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_INDEX_CHANGEDFILE_H
#define LIDIA_LIB_INDEX_CHANGEDFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// A section that is not loaded. It replaces the first section with its name
/// or, if there is none, is added.
struct ChangedSection {
  llvm::StringRef Name;
  /// Not compressed.
  llvm::StringRef Contents;
  /// Whether to compress it with zlib, if LLVM was built with zlib.
  bool Compress = false;
};

/// Writes the ELF file \p File to \p OS with \p Changes. Loaded sections, and
/// those in a segment of a file with code, keep their offsets. The other
/// sections follow without gaps. Section numbers do not change.
///
/// The error does not name the file. It says which part of the file makes the
/// change impossible; then nothing has been written.
llvm::Error writeChanged(llvm::MemoryBufferRef File,
                         llvm::ArrayRef<ChangedSection> Changes,
                         llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_LIB_INDEX_CHANGEDFILE_H
