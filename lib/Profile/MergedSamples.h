//===- MergedSamples.h - Merges equal samples -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_MERGEDSAMPLES_H
#define LIDIA_LIB_PROFILE_MERGEDSAMPLES_H

#include "lidia/Profile/Profile.h"
#include "llvm/Support/MathExtras.h"

namespace lidia {

/// Samples of a profile with the same stack and labels.
struct MergedSample {
  /// Index of the first one in Profile::Samples.
  uint32_t First = 0;
  /// The sums of their values by addValues().
  std::vector<int64_t> Values;
};

/// The sum of \p A and \p B, saturated.
inline int64_t addValues(int64_t A, int64_t B) {
  int64_t Sum;
  if (!llvm::AddOverflow(A, B, Sum))
    return Sum;
  return B < 0 ? INT64_MIN : INT64_MAX;
}

/// The samples of \p P, where samples with the same stack and labels are
/// merged, in the order of first occurrence.
std::vector<MergedSample> mergeSamples(const Profile &P);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_MERGEDSAMPLES_H
