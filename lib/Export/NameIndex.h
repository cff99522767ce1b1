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
#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <vector>

namespace lidia {

/// Collects the names of DIEs and writes the index that debuggers use to find
/// them (DWARF 5, section 6.1.1).
class NameIndex {
public:
  /// \p Text, the name at \p StringOffset of .debug_str, must be UTF-8, as
  /// LLVM's hash requires. Equal names must have the same offset, because
  /// readers use only the first. \p Unit is an index in the units of write().
  /// \p DIE is relative to its unit.
  void add(llvm::StringRef Text, uint32_t StringOffset, uint32_t Unit,
           uint32_t DIE, llvm::dwarf::Tag Tag);

  /// Adds another DIE with a name that was added before.
  void addKnown(uint32_t StringOffset, uint32_t Unit, uint32_t DIE,
                llvm::dwarf::Tag Tag);

  size_t nameCount() const { return Names.size(); }
  size_t entryCount() const { return Entries.size(); }

  /// \p UnitOffsets are the units' offsets in .debug_info. Type units come
  /// last, from index \p CompileUnits on.
  void write(SectionWriter &Out, llvm::ArrayRef<uint32_t> UnitOffsets,
             size_t CompileUnits) const;
  void write(SectionWriter &Out, llvm::ArrayRef<uint32_t> UnitOffsets) const {
    write(Out, UnitOffsets, UnitOffsets.size());
  }

  /// Writes an index without units and names, for the section SectionForGDB.
  /// gdb 13 takes this for the file's index, because it comes last, and reads
  /// the DWARF, because it is empty (dwarf2/read.c). LLDB and LLVM's tools do
  /// not know the section's name.
  static void writeEmpty(SectionWriter &Out);
  static constexpr llvm::StringLiteral SectionForGDB = ".zdebug_names";

private:
  struct Entry {
    /// Index in Names.
    uint32_t Name;
    uint32_t Unit;
    uint32_t DIE;
    llvm::dwarf::Tag Tag;
  };
  struct Name {
    uint32_t StringOffset;
    uint32_t Hash;
    uint32_t EntryCount;
  };
  std::vector<uint32_t> sortedNames(uint32_t BucketCount) const;
  std::vector<uint32_t> entriesByName() const;

  std::vector<Name> Names;
  /// Maps an offset in .debug_str to an index in Names.
  llvm::DenseMap<uint32_t, uint32_t> Numbers;
  std::vector<Entry> Entries;
};

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_NAMEINDEX_H
