//===- ProfileSelection.h - A part of a profile -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PROFILESELECTION_H
#define LIDIA_PROFILE_PROFILESELECTION_H

#include "lidia/Error.h"
#include "lidia/Process/Mappings.h"
#include "lidia/Profile/Profile.h"
#include <string>
#include <vector>

namespace lidia {

/// Which samples and frames of a profile count. Empty members select all.
struct ProfileSelection {
  // Extended regular expressions that match anywhere in the name of a function,
  // in the path of its file or in that of its module. They are pprof's options
  // of the same names.

  /// Keep samples with a frame that matches, and those without one.
  std::string Focus;
  std::string Ignore;
  /// Leave out frames that match, and those that do not.
  std::string Hide;
  std::string Show;

  // The samples of any of these: names or numbers.
  std::vector<std::string> Threads;
  std::vector<std::string> Processes;
  std::vector<std::string> CPUs;
  /// Paths of control groups, or parts of them: "nginx.service" selects
  /// "/system.slice/nginx.service" and the groups below it.
  std::vector<std::string> CGroups;
  /// FROM-TO or FROM,TO, of which one may be empty: seconds of the profile's
  /// clock, as `perf script` prints them, seconds since the first sample (+10),
  /// or shares of the time between the first and the last sample (25%).
  std::string Time;

  /// Whether Profile::Events are needed.
  bool needsEvents() const {
    return !Threads.empty() || !CPUs.empty() || !Time.empty();
  }
  bool isEmpty() const {
    return !needsEvents() && Processes.empty() && CGroups.empty() &&
           Focus.empty() && Ignore.empty() && Hide.empty() && Show.empty();
  }
};

/// Removes from \p P what \p S does not select by where and when samples were
/// taken, and the locations that only those samples have: they need no names.
/// Errors are ArgumentErrors that name the option of llvm-lidia, and what \p P
/// does not record.
llvm::Error selectSamples(Profile &P, const ProfileSelection &S);

/// Removes from \p P, which is symbolized, what \p S does not select by names,
/// and the locations and functions that remain unused. \p Warn is told if \p S
/// selects nothing. Errors are ArgumentErrors that name the option of
/// llvm-lidia.
llvm::Error selectFrames(Profile &P, const ProfileSelection &S,
                         WarningFunction Warn);

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILESELECTION_H
