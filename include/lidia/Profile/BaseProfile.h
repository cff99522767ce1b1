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

/// The suffix of the name of a value type that belongs to a base profile.
inline constexpr llvm::StringLiteral BaseSuffix = " (base)";

/// Adds the samples of \p Base to \p P, which then has two types of values: its
/// default type, which is zero for the samples of \p Base, and the same type of
/// \p Base ("cpu (base)"), which is zero for the samples of \p P. Sets
/// Profile::Observations. Fails with an ArgumentError if \p Base has no values
/// of the default type and unit of \p P.
llvm::Error addBaseProfile(Profile &P, const Profile &Base);

/// The index of the value type that addBaseProfile() added to \p P, if it did.
std::optional<uint32_t> baseType(const Profile &P);

} // namespace lidia

#endif // LIDIA_PROFILE_BASEPROFILE_H
