//===- MergedSamples.h - Equal samples as one -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_MERGEDSAMPLES_H
#define LIDIA_LIB_PROFILE_MERGEDSAMPLES_H

#include "lidia/Profile/Profile.h"

namespace lidia {

/// Samples of a profile with the same stack and labels.
struct MergedSample {
  /// Index of the first of them in Profile::Samples.
  uint32_t First = 0;
  /// The sums of their values; they wrap around.
  std::vector<int64_t> Values;
};

/// The samples of \p P, those with the same stack and labels as one, in the
/// order in which each first occurs.
std::vector<MergedSample> mergeSamples(const Profile &P);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_MERGEDSAMPLES_H
