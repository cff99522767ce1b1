//===- BaseProfile.h - A profile to compare another with --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_BASEPROFILE_H
#define LIDIA_PROFILE_BASEPROFILE_H

#include "lidia/Profile/Profile.h"
#include "llvm/Support/Error.h"

namespace lidia {

/// What follows the name of a type of values that is that of a base.
inline constexpr llvm::StringLiteral BaseSuffix = " (base)";

/// Adds the samples of \p Base to \p P, which then has two types of values: its
/// default one, which is zero for these, and the same of \p Base, "cpu (base)",
/// which is zero for its own. Fails with an ArgumentError if \p Base has no
/// values of that type and unit.
llvm::Error addBaseProfile(Profile &P, const Profile &Base);

/// The index of the type of \p P that is the base of its default type, if
/// addBaseProfile() added one.
std::optional<uint32_t> baseType(const Profile &P);

} // namespace lidia

#endif // LIDIA_PROFILE_BASEPROFILE_H
