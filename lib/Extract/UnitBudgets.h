//===- UnitBudgets.h - The work budget of each unit -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_UNITBUDGETS_H
#define LIDIA_LIB_EXTRACT_UNITBUDGETS_H

#include "DWARF/Unit.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>

namespace lidia {

/// Determines how much each unit of a file may charge to its WorkBudget, so
/// that all units together stay within the file's size times a factor, and the
/// same units are left out whatever the number of threads.
///
/// A unit may charge Factor times its own bytes of .debug_info, which are
/// reserved for it, plus half of the remainder of a pool: Factor times the size
/// of the other sections, which units share, plus Floor. The pool is
/// distributed in the order of .debug_info. A unit that needs more is left out
/// and still uses up its half, since that much may have been read for it; the
/// other half is for the units after it.
///
/// A split unit's own bytes are those of its contributions to the .dwo file or
/// package. Each such file allows no more than Factor times its size, however
/// many skeletons refer to it.
///
/// Thread-safe. Units must be begun in order of index, and each must be
/// finished.
class UnitBudgets {
public:
  /// Real programs charge 1 to 8 times the size of their debug information with
  /// lines and columns (ceph-osd 1.1, libpython 2.1, our smallest fixture 7.4).
  static constexpr uint64_t Factor = 32;
  /// Allows small files to have tables that expand strongly.
  static constexpr uint64_t Floor = uint64_t(16) << 20;

  explicit UnitBudgets(const dwarf::Sections &S)
      : Pool(Floor + Factor * (S.totalSize() - S.Info.size())) {}

  /// Adds the next unit, before it is begun.
  void add(const dwarf::UnitHeader &Header);

  /// An upper bound on the budget of unit \p Index; the actual budget depends
  /// on the units before it and is determined by finish(). Blocks while units
  /// ahead of a slow one hold a large amount that may have to be left out.
  uint64_t begin(size_t Index);

  /// The amount by which the bound of unit \p Index grows because it has
  /// \p UnitBytes bytes in the split file \p File, whose size is \p FileBytes.
  uint64_t addSplit(size_t Index, llvm::StringRef File, uint64_t FileBytes,
                    uint64_t UnitBytes);

  /// Records that unit \p Index charged \p Used in the end, and \p Peak at
  /// most.
  void finish(size_t Index, uint64_t Used, uint64_t Peak);

  /// Whether unit \p Index must be left out. Known when all are finished.
  bool exceeds(size_t Index) const { return Units[Index].Exceeds; }

  /// The total charges of the units that were kept.
  uint64_t used() const { return TotalUsed; }

private:
  struct SplitPart {
    std::string File;
    uint64_t Bytes;
  };
  struct Unit {
    uint64_t Own = 0;
    uint64_t Used = 0;
    uint64_t Peak = 0;
    std::vector<SplitPart> Parts;
    bool Finished = false;
    bool Exceeds = false;
  };
  uint64_t overdraft(const Unit &U) const {
    return U.Peak > U.Own ? U.Peak - U.Own : 0;
  }
  void settle(Unit &U);

  std::deque<Unit> Units;
  std::mutex Mutex;
  std::condition_variable Settled;
  /// The first unit whose budget is not settled.
  size_t Next = 0;
  uint64_t Pool = 0;
  /// An upper bound on the pool used by finished but unsettled units.
  uint64_t Pending = 0;
  /// The remaining allowance for the bytes of each split file.
  std::map<std::string, uint64_t> SplitFunds;
  uint64_t TotalUsed = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_UNITBUDGETS_H
