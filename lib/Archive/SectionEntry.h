//===- SectionEntry.h - Entries of a section's table ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_SECTIONENTRY_H
#define LIDIA_LIB_ARCHIVE_SECTIONENTRY_H

#include "lidia/Archive/Archive.h"
#include <cstring>

namespace lidia {

/// A copy of the entry \p Index of the table of type T that begins at \p Offset
/// of \p Section, which must contain it. For a paged archive, nothing stays in
/// memory.
template <class T>
T readEntry(const Archive &A, llvm::StringRef Section, uint64_t Offset,
            uint64_t Index) {
  T Entry;
  llvm::SmallVector<char, sizeof(T)> Copy;
  llvm::StringRef Bytes =
      A.read(Section.substr(Offset + Index * sizeof(T), sizeof(T)), Copy);
  std::memcpy(&Entry, Bytes.data(), sizeof(T));
  return Entry;
}

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_SECTIONENTRY_H
