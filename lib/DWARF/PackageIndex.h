//===- PackageIndex.h - The index of a package of split units ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_PACKAGEINDEX_H
#define LIDIA_LIB_DWARF_PACKAGEINDEX_H

#include "Sections.h"
#include <optional>
#include <vector>

namespace lidia {
namespace dwarf {

/// .debug_cu_index or .debug_tu_index of a package of split units (DWARF 5,
/// section 7.3.5.3, and version 2, GNU's form before it).
///
/// Its hash table is read once, in order, rather than probed, so malformed
/// slots cannot make a search endless.
class PackageIndex {
public:
  /// \p Contents must outlive the index. The error does not name the file.
  static llvm::Expected<PackageIndex> parse(llvm::StringRef Contents,
                                            bool LittleEndian);

  /// The contributions to \p Whole of the unit \p ID (a type's signature in
  /// .debug_tu_index); strings are shared by all. None if the package does not
  /// have the unit; an error if a contribution is outside its section.
  llvm::Expected<std::optional<Sections>> find(uint64_t ID,
                                               const Sections &Whole) const;

private:
  struct Entry {
    uint64_t ID;
    uint32_t Row;
  };
  /// Narrows \p Section to the contribution given by a row; to nothing if the
  /// section has no column.
  llvm::Error slice(llvm::StringRef &Section, uint32_t SectionID,
                    const Entry &E) const;

  llvm::StringRef Contents;
  bool LittleEndian = true;
  uint32_t Version = 0;
  uint32_t ColumnCount = 0;
  uint32_t RowCount = 0;
  /// Offset of the section numbers in Contents; offsets and sizes follow them.
  uint64_t Columns = 0;
  /// By ID.
  std::vector<Entry> Entries;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_PACKAGEINDEX_H
