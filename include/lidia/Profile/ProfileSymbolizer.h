//===- ProfileSymbolizer.h - Answers the locations of a profile -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PROFILESYMBOLIZER_H
#define LIDIA_PROFILE_PROFILESYMBOLIZER_H

#include "lidia/Modules/ModuleFinder.h"
#include "lidia/Modules/ModuleResolver.h"
#include "lidia/Profile/Profile.h"
#include "lidia/Symbolize/AnswerCounts.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/StringMap.h"
#include <array>

namespace lidia {

struct ProfileSymbolizerOptions {
  /// Text should be UTF8, which the formats of profiles require. AdjustVMA and
  /// ReturnAddresses are ignored.
  SymbolizerOptions Symbolizer;
  /// Whether locations with inlined calls get a line for each function.
  /// Otherwise they get one line, that of Symbolizer::outerFrame().
  bool Inlines = true;
  /// Whether locations in a function without a name get a text that is the same
  /// for all of them ("a.out!<function at 0x10>").
  bool GroupsUnnamed = true;
  /// Whether to symbolize locations that already have lines.
  bool Force = false;
  /// The kernel's image with debug information, for the addresses that perf
  /// recorded in the kernel; may be empty.
  std::string VMLinux;
};

/// A module of a profile whose locations could not be symbolized.
struct UnopenedModule {
  /// The file's base name, or else what the profile uses to distinguish
  /// modules.
  std::string Name;
  Miss Reason;
  /// In hexadecimal digits, or another text of the profile, or none.
  std::string BuildID;
};

/// Counts the locations of a module for which both perf, which symbolizes on
/// its own, and the archive have a name, and those where the names differ.
struct ComparedNames {
  /// The file's base name.
  std::string Module;
  uint64_t Compared = 0;
  uint64_t Different = 0;

  /// Whether so many names differ that the archive cannot be that of the
  /// module. A few names always differ, because a function may have several.
  bool areTooDifferent() const {
    return Different >= 10 && Different > Compared / 2;
  }

  /// The warning about this module of \p Profile.
  std::string warning(llvm::StringRef Profile) const;
};

/// The result of symbolizing a profile.
struct ProfileStatistics {
  /// Files with locations to symbolize, and those of them with an archive.
  uint64_t Modules = 0;
  uint64_t ModulesOpened = 0;
  /// All locations; those that were not changed because they or their mappings
  /// are marked as symbolized; and the others by what is known about them now.
  uint64_t Locations = 0;
  uint64_t LeftAlone = 0;
  uint64_t WithLines = 0;
  uint64_t WithNames = 0;
  uint64_t WithNothing = 0;
  /// Reasons why locations were not symbolized, with the numbers of locations;
  /// after a thousand reasons, "other reasons".
  llvm::StringMap<uint64_t> Reasons;
  /// The same numbers by MissCode.
  std::array<uint64_t, MissCodeCount> Missed = {};
  /// The locations that were looked up.
  AnswerCounts Answers;
  /// Modules without an archive that are files, in the order of the locations,
  /// and modules with an archive that lacks the segments. At most a thousand.
  std::vector<UnopenedModule> Unopened;
  /// Modules in which perf's names differ from those found.
  std::vector<ComparedNames> Doubted;
};

/// Symbolizes the locations of \p P with the archives of their modules, like
/// pprof with -symbolize=local: locations that have lines, or whose mapping is
/// marked as symbolized, are not changed, and the marks of mappings are set to
/// what was found. Lines are in order from the innermost function outwards.
///
/// The locations of a module are symbolized together, in order of address, with
/// one archive open at a time. Memory is proportional to the profile and to the
/// names found. The result depends only on the files.
ProfileStatistics symbolizeProfile(Profile &P, ModuleResolver &Modules,
                                   const ProfileSymbolizerOptions &Options);

/// Whether a mapping of \p File can have no file: [vdso], device memory, memfd.
/// Follows Mapping.Unsymbolizable() of pprof.
bool isWithoutFile(llvm::StringRef File);

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILESYMBOLIZER_H
