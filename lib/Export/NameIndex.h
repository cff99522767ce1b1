//===- NameIndex.h - Encodes .debug_names -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_NAMEINDEX_H
#define LIDIA_LIB_EXPORT_NAMEINDEX_H

#include "SectionWriter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <vector>

namespace lidia {

/// Collects the names of DIEs and writes the index through which debuggers find
/// functions (DWARF 5, section 6.1.1).
class NameIndex {
public:
  /// \p Name must be UTF-8, which LLVM's hash relies on. \p StringOffset is the
  /// offset of \p Name in .debug_str; \p DIE is relative to its unit.
  void add(const char *Name, uint32_t StringOffset, uint32_t Unit, uint32_t DIE,
           llvm::dwarf::Tag Tag);

  /// \p UnitOffsets are the units' offsets in .debug_info.
  void write(SectionWriter &Out, llvm::ArrayRef<uint32_t> UnitOffsets) const;

private:
  struct Entry {
    uint32_t Unit;
    uint32_t DIE;
    llvm::dwarf::Tag Tag;
  };
  struct Name {
    uint32_t Hash = 0;
    std::vector<Entry> Entries;
  };
  /// By offset in .debug_str, in order of first use.
  llvm::MapVector<uint32_t, Name> Names;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_NAMEINDEX_H
