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

/// The bit that marks references to DIEs in the supplementary file. No section
/// is that large.
inline constexpr uint64_t InSupplementary = uint64_t(1) << 63;

/// The decompressed contents of the sections that function names, inlined calls
/// and lines are read from; empty if the file lacks the section. Not owned.
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
  /// Location lists, .debug_loc before DWARF 5. Opened only for variables.
  llvm::StringRef Loc;
  llvm::StringRef LocLists;
  bool LittleEndian = true;
  /// The sections of the supplementary file, whose DIEs and strings several
  /// files share (DWARF 5, section 7.3.6, and dwz's form before it); null if
  /// there is none. That file refers to no other.
  const Sections *Supplementary = nullptr;
  /// ORed into the offsets of DIEs, so that a DIE reference tells which file it
  /// is in: InSupplementary in a supplementary file, else zero.
  uint64_t ReferenceMark = 0;
  /// The name of the file, for messages.
  llvm::StringRef FileName;

  uint64_t totalSize() const {
    return Info.size() + Types.size() + Abbrev.size() + Line.size() +
           StrOffsets.size() + Addr.size() + Ranges.size() + RngLists.size() +
           (Supplementary ? Supplementary->totalSize() : 0);
  }
};

/// Bounds the cost of reading one unit.
///
/// DWARF lets any number of DIEs and units refer to one abbreviation table,
/// line program, range list or string. In files from compilers, each is read
/// about once, but a few crafted kilobytes could expand to gigabytes of ranges
/// and rows. So readers charge the bytes of everything that several units may
/// refer to, and the memory of everything that they keep and that is not
/// limited by the unit's own size. Once the budget is exhausted all readers
/// stop, and the unit is left out (UnitBudgets determines the size of the
/// budget).
///
/// The charges of a unit depend on the file only, not on what the thread read
/// before, so the same units are left out whatever the number of threads.
class WorkBudget {
public:
  void reset(uint64_t Max) {
    Limit = Max;
    Used = Peak = 0;
  }
  /// Increases the limit by \p Bytes.
  void raise(uint64_t Bytes) { Limit += Bytes; }

  void charge(uint64_t Bytes) {
    Used += Bytes;
    Peak = std::max(Peak, Used);
  }
  /// Refunds a charge for data that turned out to exist already.
  void refund(uint64_t Bytes) { Used -= Bytes; }

  bool exhausted() const { return Peak > Limit; }
  uint64_t used() const { return Used; }
  /// The maximum in use at any time.
  uint64_t peak() const { return Peak; }

private:
  uint64_t Limit = 0;
  uint64_t Used = 0;
  uint64_t Peak = 0;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_SECTIONS_H
