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
  /// Decompresses S.Info while its units are read; may be null.
  std::unique_ptr<Unpacker> Info;
  /// Owns the results of joinSections().
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
/// them in parallel. With \p LeaveInfo, .debug_info may be decompressed later,
/// while its units are read. A section that cannot be decompressed is reported
/// to \p Report and left empty.
OpenSections openDWARFSections(Binary &File, unsigned Threads, bool LeaveInfo,
                               llvm::function_ref<void(llvm::Error)> Report);

/// Frees the decompressed sections of \p File, except, with \p KeepText, the
/// sections with strings.
void closeDWARFSections(Binary &File, bool KeepText = false);

/// Opens the sections of the supplementary file. If the file cannot be found,
/// functions named only there get the names of their symbols.
std::optional<OpenSections> openSupplementary(Conversion &C);

/// Where to look for the split units of the files of \p C.
SplitOptions splitOptions(const Conversion &C, const InputFiles &Files);

/// A unit and the data for reading its functions.
struct VisitedUnit {
  /// The split unit, or the unit itself.
  const dwarf::Unit &U;
  /// The unit in .debug_info, which has the line table.
  const dwarf::Unit &Skeleton;
  dwarf::FunctionNames &Names;
  dwarf::TypeUnits &Types;
  dwarf::WorkBudget &Budget;
  /// The sections of all units.
  const dwarf::Sections &S;
};

/// Calls \p Begin with the sections, which it may add to, then \p Visit with
/// each readable unit of .debug_info, including type units, in order. One unit
/// is in memory at a time. If a split unit is missing, this is reported and its
/// skeleton is visited.
llvm::Error visitUnits(Conversion &C,
                       llvm::function_ref<void(dwarf::Sections &)> Begin,
                       llvm::function_ref<void(VisitedUnit &)> Visit);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_DWARFFILE_H
