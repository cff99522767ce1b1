//===- ProfileSymbolizer.h - Answers the locations of a profile -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PROFILESYMBOLIZER_H
#define LIDIA_PROFILE_PROFILESYMBOLIZER_H

#include "lidia/Cache/ModuleArchives.h"
#include "lidia/Process/ModuleFinder.h"
#include "lidia/Profile/Profile.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/StringMap.h"

namespace lidia {

struct ProfileSymbolizerOptions {
  /// Text should be UTF8, which the formats of profiles require. AdjustVMA and
  /// ReturnAddresses are ignored.
  SymbolizerOptions Symbolizer;
  /// Whether locations with inlined calls get a line for each function, or one
  /// only, as Symbolizer::outerFrame() gives it.
  bool Inlines = true;
  /// Whether locations are answered that have lines already.
  bool Force = false;
  /// The kernel's image with debug information, for the addresses that perf
  /// recorded in the kernel; may be empty.
  std::string VMLinux;
};

/// A module of a profile whose locations are not answered.
struct UnopenedModule {
  /// The file's base name, or else what the profile has to tell modules apart.
  std::string Name;
  std::string Reason;
  /// In hexadecimal digits, or another text of the profile, or none.
  std::string BuildID;
};

/// Where perf, which symbolizes by its own means, and the archive of a module
/// both have a name, and how often they contradict each other.
struct ComparedNames {
  /// The file's base name.
  std::string Module;
  uint64_t Compared = 0;
  uint64_t Different = 0;

  /// Whether the locations, or the archive, cannot be the right ones. A few
  /// names always differ: one function may have several.
  bool areTooDifferent() const {
    return Different >= 10 && Different > Compared / 2;
  }

  /// The warning about a module of \p Profile in which they are.
  std::string warning(llvm::StringRef Profile) const;
};

/// The result of symbolizing a profile.
struct ProfileFigures {
  /// Files of mappings with locations to answer, and those with an archive.
  uint64_t Modules = 0;
  uint64_t ModulesOpened = 0;
  /// Locations; those that were left alone, because they or their mappings are
  /// marked as answered, and the rest by what is known about it now.
  uint64_t Locations = 0;
  uint64_t LeftAlone = 0;
  uint64_t WithLines = 0;
  uint64_t WithNames = 0;
  uint64_t WithNothing = 0;
  /// Reasons why locations were not answered, with their numbers; after a
  /// thousand, "other reasons".
  llvm::StringMap<uint64_t> Reasons;
  /// Modules without an archive that are files, in the order of the locations;
  /// and those with one whose segments are not known. The first thousand.
  std::vector<UnopenedModule> Unopened;
  /// Modules in which perf's names are not those found.
  std::vector<ComparedNames> Doubted;
};

/// Answers the locations of \p P by the archives of their modules, as pprof
/// does with -symbolize=local: a location whose mapping is marked as answered,
/// or that has lines, is left alone; the marks of a mapping are set by what was
/// found. Lines are in order from the innermost function outwards.
///
/// The locations of a module are answered together, in order of address, with
/// one archive open at a time. Memory is proportional to the profile and to the
/// names found. The result does not depend on anything but the files.
ProfileFigures symbolizeProfile(Profile &P, ModuleFinder &Files,
                                ModuleArchives &Archives,
                                const ProfileSymbolizerOptions &Options);

/// Whether a mapping of \p File belongs to no file in principle: [vdso], device
/// memory, memfd. After Mapping.Unsymbolizable() of pprof.
bool isWithoutFile(llvm::StringRef File);

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILESYMBOLIZER_H
