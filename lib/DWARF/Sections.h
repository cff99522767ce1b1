//===- Sections.h - The DWARF sections of one file --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_SECTIONS_H
#define LIDIA_LIB_DWARF_SECTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>

namespace lidia {
namespace dwarf {

/// Set in the place of a DIE that is in the supplementary file. No section is
/// that large.
inline constexpr uint64_t InSupplementary = uint64_t(1) << 63;

/// The contents of the sections that function names, inlined calls and lines
/// are read from, unpacked; empty where the file has none. Not owned.
struct Sections {
  llvm::StringRef Info;
  /// The type units of DWARF 4; those of DWARF 5 are in Info.
  llvm::StringRef Types;
  llvm::StringRef Abbrev;
  llvm::StringRef Line;
  llvm::StringRef Str;
  llvm::StringRef LineStr;
  llvm::StringRef StrOffsets;
  llvm::StringRef Addr;
  llvm::StringRef Ranges;
  llvm::StringRef RngLists;
  bool LittleEndian = true;
  /// The sections of the file that several files share DIEs and strings in
  /// (DWARF 5, section 7.3.6, and dwz's form before it); null when there is
  /// none. That file refers to no other.
  const Sections *Supplementary = nullptr;
  /// Or'ed to the offsets of DIEs, so that a place says which file it is in:
  /// InSupplementary in a supplementary file, else zero.
  uint64_t PlaceMark = 0;
  /// The file they are in, for messages.
  llvm::StringRef FileName;

  uint64_t totalSize() const {
    return Info.size() + Types.size() + Abbrev.size() + Line.size() +
           StrOffsets.size() + Addr.size() + Ranges.size() + RngLists.size() +
           (Supplementary ? Supplementary->totalSize() : 0);
  }
};

/// Bounds what one unit may ask for.
///
/// DWARF lets any number of DIEs and units refer to one abbreviation table,
/// line program, range list or string. In files from compilers each is read
/// about once; a few kilobytes made on purpose could otherwise become gigabytes
/// of ranges and rows. Whoever reads something that others may refer to charges
/// its bytes; whoever keeps something that is not bounded by the unit's own
/// bytes charges what it takes in memory. Once the budget is exhausted all
/// readers stop, and the unit is left out (see UnitBudgets for how much a unit
/// gets).
///
/// The charges of a unit depend on the file alone and not on what the thread
/// read before, so the same units are left out whatever the number of threads.
class WorkBudget {
public:
  void reset(uint64_t Most) {
    Limit = Most;
    Used = Peak = 0;
  }
  /// Allows \p Bytes more.
  void raise(uint64_t Bytes) { Limit += Bytes; }

  void charge(uint64_t Bytes) {
    Used += Bytes;
    Peak = std::max(Peak, Used);
  }
  /// Takes back a charge for what turned out to be there already.
  void refund(uint64_t Bytes) { Used -= Bytes; }

  bool exhausted() const { return Peak > Limit; }
  uint64_t used() const { return Used; }
  /// The most that was in use at a time.
  uint64_t peak() const { return Peak; }

private:
  uint64_t Limit = 0;
  uint64_t Used = 0;
  uint64_t Peak = 0;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_SECTIONS_H
