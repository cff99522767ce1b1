//===- DWARFFile.h - The debug information of a file, opened ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_DWARFFILE_H
#define LIDIA_LIB_EXTRACT_DWARFFILE_H

#include "Conversion.h"
#include "DWARF/FunctionNames.h"
#include "DWARFSourceOptions.h"
#include "Object/Decompress.h"
#include <array>

namespace lidia {

/// The debug information of a file.
struct OpenSections {
  dwarf::Sections S;
  /// Decompresses S.Info, if that is done while its units are read.
  std::unique_ptr<Unpacker> Info;
  /// Holds what joinSections() joined.
  std::vector<std::unique_ptr<std::string>> Joined;

  std::array<std::pair<llvm::StringRef, llvm::StringRef *>, 10> all() {
    // The largest first, because each is decompressed by one thread.
    return {{{".debug_info", &S.Info},
             {".debug_str", &S.Str},
             {".debug_types", &S.Types},
             {".debug_line", &S.Line},
             {".debug_rnglists", &S.RngLists},
             {".debug_ranges", &S.Ranges},
             {".debug_abbrev", &S.Abbrev},
             {".debug_line_str", &S.LineStr},
             {".debug_addr", &S.Addr},
             {".debug_str_offsets", &S.StrOffsets}}};
  }
};

/// Appends to \p Contents, those of the section \p Name, the contents of the
/// other sections of \p File with this name, if there are any: GCC and clang
/// put each type unit into a section of its own. In objects these are in
/// groups, which objcopy --extract-dwo drops. \p Joined holds the result.
llvm::Error joinSections(Binary &File, llvm::StringRef Name,
                         llvm::StringRef &Contents,
                         std::vector<std::unique_ptr<std::string>> &Joined);

/// Opens the sections of \p File that hold debug information, and decompresses
/// them in parallel. With \p LeaveInfo, .debug_info may be left for reading its
/// units. A section that cannot be decompressed is reported to \p Report and
/// left empty.
OpenSections openDWARFSections(Binary &File, unsigned Threads, bool LeaveInfo,
                               llvm::function_ref<void(llvm::Error)> Report);

/// Frees what was decompressed of \p File; with \p KeepText, not the sections
/// with strings.
void closeDWARFSections(Binary &File, bool KeepText = false);

/// Opens the sections of the supplementary file. If the file cannot be found,
/// functions named only there get the names of their symbols.
std::optional<dwarf::Sections> openSupplementary(Conversion &C);

/// Where the split units of the files of \p C are.
SplitOptions splitOptions(const Conversion &C);

/// A unit with what is needed to read its functions.
struct VisitedUnit {
  /// The split unit, or the unit itself.
  const dwarf::Unit &U;
  /// The unit in .debug_info, which has the line table.
  const dwarf::Unit &Skeleton;
  dwarf::FunctionNames &Names;
  dwarf::WorkBudget &Budget;
  /// The sections of all units.
  const dwarf::Sections &S;
};

/// Calls \p Visit with each unit of .debug_info that can be read, type units
/// included, in order. One is in memory at a time. Split units that are missing
/// are reported; then the skeleton is visited. Calls \p Begin with the sections
/// first.
llvm::Error visitUnits(Conversion &C,
                       llvm::function_ref<void(const dwarf::Sections &)> Begin,
                       llvm::function_ref<void(VisitedUnit &)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_DWARFFILE_H
