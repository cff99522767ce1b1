//===- ProfileCheck.h - Checks the consistency of a profile -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_PROFILECHECK_H
#define LIDIA_UTILS_FUZZ_PROFILECHECK_H

#include "FuzzInput.h"
#include "lidia/Profile/Profile.h"

namespace lidia {

/// Ends the process unless \p P, a profile from perf, has samples, and each
/// location exists and is in its mapping.
inline void checkProfile(const Profile &P) {
  int64_t Samples = 0;
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    Samples += P.values(I)[0];
    for (uint32_t L : P.stack(P.Samples[I]))
      check(L < P.Locations.size(), "a stack has no location");
  }
  check(Samples > 0, "there are no samples");
  for (const Profile::Location &L : P.Locations) {
    if (L.Mapping == Profile::None)
      continue;
    const Profile::Mapping &M = P.Mappings[L.Mapping];
    check(M.Start <= L.Address && L.Address < M.Limit,
          "a location is outside of its mapping");
  }
}

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_PROFILECHECK_H
