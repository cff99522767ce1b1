//===- Overlap.h - Intervals that overlap -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_OVERLAP_H
#define LIDIA_LIB_EXTRACT_OVERLAP_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace lidia {

/// A claim on the addresses from Start to End (exclusive).
struct Interval {
  uint64_t Start = 0;
  uint64_t End = 0;
  /// The smaller rank wins where intervals overlap. Different for each
  /// interval, so that the outcome does not depend on their order.
  uint64_t Rank = 0;
  /// The caller's name for it.
  uint64_t Item = 0;
};

/// Gives each address to the interval of smallest rank that has it. The result
/// is sorted and does not overlap; an interval of which nothing is left is
/// gone, and one that was cut in two stands twice.
std::vector<Interval> resolveOverlaps(std::vector<Interval> Claims);

/// The parts of \p Claims that lie outside \p Taken. Both are sorted and do not
/// overlap.
std::vector<Interval> subtract(llvm::ArrayRef<Interval> Claims,
                               llvm::ArrayRef<Interval> Taken);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_OVERLAP_H
