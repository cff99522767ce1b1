//===- NamedFunctions.h - A profile's functions by name ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_NAMEDFUNCTIONS_H
#define LIDIA_LIB_PROFILE_NAMEDFUNCTIONS_H

#include "lidia/Profile/Profile.h"
#include "llvm/ADT/DenseMap.h"
#include <utility>

namespace lidia {

/// Adds lines to a profile, and each of their functions, which are known by
/// name and file, once.
class NamedFunctions {
public:
  explicit NamedFunctions(Profile &P) : P(P) {}

  void addLine(Profile::StringID Name, Profile::StringID File, uint32_t Line) {
    auto [It, IsNew] = Indices.try_emplace(std::pair(Name, File),
                                           uint32_t(P.Functions.size()));
    if (IsNew) {
      Profile::Function F;
      F.Name = F.SystemName = Name;
      F.File = File;
      P.Functions.push_back(F);
    }
    P.Lines.push_back({It->second, Line, 0});
  }

private:
  Profile &P;
  llvm::DenseMap<std::pair<Profile::StringID, Profile::StringID>, uint32_t>
      Indices;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_NAMEDFUNCTIONS_H
