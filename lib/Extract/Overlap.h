//===- Overlap.h - Resolves overlapping intervals ---------------*- C++ -*-===//
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
  /// Where intervals overlap, the smallest rank wins. Ranks are unique, so that
  /// the result does not depend on the intervals' order.
  uint64_t Rank = 0;
  /// An identifier chosen by the caller.
  uint64_t Item = 0;
};

/// The order of a sweep. Of two with one start, the outer one comes first.
struct ByStart {
  bool operator()(const Interval &A, const Interval &B) const {
    return A.Start != B.Start ? A.Start < B.Start : A.Rank > B.Rank;
  }
};

/// Assigns each address to the interval of smallest rank that contains it. The
/// result is sorted and does not overlap; intervals with nothing left are
/// removed, and intervals cut in two occur twice. Fastest if \p Claims are
/// sorted by ByStart.
std::vector<Interval> resolveOverlaps(std::vector<Interval> Claims);

/// The parts of \p Claims outside \p Taken. Both are sorted and do not overlap.
std::vector<Interval> subtract(llvm::ArrayRef<Interval> Claims,
                               llvm::ArrayRef<Interval> Taken);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_OVERLAP_H
