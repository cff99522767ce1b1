//===- DWARFIndex.h - Debug files with an index of names --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Adds .debug_names (DWARF 5, section 6.1.1) to an ELF file and leaves its
/// DWARF unchanged. The index has functions, methods, inlined calls, global
/// variables, types and namespaces by name. For a file without an index, LLDB
/// builds one each time it opens the file, which takes most of its time and
/// memory.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_INDEX_DWARFINDEX_H
#define LIDIA_INDEX_DWARFINDEX_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <memory>
#include <string>

namespace lidia {

struct IndexOptions {
  /// At least 1.
  unsigned Threads = 1;
  /// Replace an existing index. If false, a file that has an index is an error.
  bool Replace = false;
  /// Write compressed debug sections uncompressed, because debuggers unpack
  /// them each time they open the file.
  bool Unpack = false;
  /// Include units in which LLDB, with any index, finds fewer inlined calls by
  /// name: those of functions that are declared apart from their definition, as
  /// methods are. If false, LLDB reads such units itself, as without an index.
  bool AllUnits = false;
};

/// The contents of an index.
struct IndexStatistics {
  /// Units in the index, and units that the debugger has to index itself,
  /// because their functions are in .dwo files or they cannot be read.
  uint64_t Units = 0;
  uint64_t UnitsLeft = 0;
  /// The number of units in UnitsLeft with .dwo files.
  uint64_t SplitUnits = 0;
  /// The number of units that are in UnitsLeft for the sake of their inlined
  /// calls or, with AllUnits, that are in Units although they have such calls.
  uint64_t LossyUnits = 0;
  uint64_t Names = 0;
  uint64_t Entries = 0;
};

/// A file whose names have been read, ready to be written with its index.
class IndexedFile {
public:
  /// Reads the DWARF of the ELF file at \p Path. \p Warn is called for each
  /// reason why units are left out, by one thread at a time.
  ///
  /// Fails for files that are not ELF, have no DWARF, or have DWARF that an
  /// index cannot describe or that LLDB cannot use with an index. The latter
  /// are relocatable objects and files with .debug_types (type units of DWARF
  /// 4), supplementary files (dwz -m), or more than 4 GiB of .debug_info; the
  /// UnsupportedError says which of these it is.
  static llvm::Expected<std::unique_ptr<IndexedFile>>
  read(llvm::StringRef Path, const IndexOptions &Options,
       llvm::function_ref<void(llvm::StringRef Message)> Warn);

  virtual ~IndexedFile() = default;

  virtual const IndexStatistics &counts() const = 0;

  /// Writes the file with its index. Sections that are not loaded may move;
  /// everything else is unchanged.
  virtual llvm::Error write(llvm::raw_ostream &OS) const = 0;
};

/// Whether the ELF file at \p Path has .debug_names; false if it cannot be
/// read.
bool hasNameIndex(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_INDEX_DWARFINDEX_H
