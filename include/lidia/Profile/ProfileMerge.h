//===- ProfileMerge.h - Many profiles as one ------------------ -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PROFILEMERGE_H
#define LIDIA_PROFILE_PROFILEMERGE_H

#include "lidia/Profile/Profile.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace lidia {

/// Adds up profiles, like `pprof -proto` of many files: samples with the same
/// stack and labels are one. Mappings of a file are one wherever processes have
/// it, and addresses in it move along, so that memory depends on what is
/// different in the profiles, and not on their number. Locations and functions
/// that no sample has are left out.
class ProfileMerge {
public:
  ProfileMerge();
  ~ProfileMerge();

  /// Adds \p P. Fails, and adds nothing, if its values are of other types than
  /// those of the first one. Events are left out.
  llvm::Error add(const Profile &P);

  /// The number of profiles that were added.
  size_t count() const;

  /// The sum. Nothing can be added after this.
  Profile take();

private:
  class Impl;

  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILEMERGE_H
