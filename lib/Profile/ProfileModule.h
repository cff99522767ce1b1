//===- ProfileModule.h - The archive of a module in a profile ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PROFILEMODULE_H
#define LIDIA_LIB_PROFILE_PROFILEMODULE_H

#include "Modules/PackedModules.h"
#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Profile/Profile.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// A module of a profile with its archive. Reason lacks the module's name.
struct ProfileModule : ResolvedModule {
  /// Longer paths are ignored, because many mappings may share one, and each
  /// use of it takes time.
  static constexpr size_t LongestPath = 4096;

  /// The addresses, in ascending order, at which the first bytes of the file
  /// are mapped, if the module's load address is not known otherwise.
  std::vector<uint64_t> Begins;

  /// Whether \p M may have an archive: it is a file, or memory that is found
  /// like one.
  static bool isFile(const Profile &P, const Profile::Mapping &M,
                     const ModuleFinder &Files);

  /// Finds the module of \p M, a mapping of \p P; \p IsProgram is that of
  /// ModuleIdentity. Uses M.BuildID, which \p P may not have yet.
  static ProfileModule open(const Profile &P, const Profile::Mapping &M,
                            bool IsProgram, ModuleResolver &Modules);

  /// Converts \p Address in the mapping \p Its to the archive's address; none
  /// if it is outside of the mapping, or in no segment or section.
  std::optional<uint64_t> addressOf(const Profile::Mapping &Its,
                                    uint64_t Address) const;

  /// Whether it is a kernel module, whose archive has section addresses.
  bool isKernelModule() const;
  /// Why addressOf() returned none, for a message.
  Miss whyNoAddress() const;
};

/// Tells the modules apart that are mapped from where zip files store them.
class PackedMappings {
public:
  /// \p M as a mapping of the module that is stored where \p M maps a zip file;
  /// otherwise \p M.
  Profile::Mapping resolve(Profile &P, Profile::Mapping M, ModuleFinder &Files);

private:
  /// The modules in the zip files seen so far.
  std::map<Profile::StringID, std::vector<StoredModule>> Zips;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PROFILEMODULE_H
