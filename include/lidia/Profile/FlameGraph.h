//===- FlameGraph.h - A profile as a picture in one HTML page ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_FLAMEGRAPH_H
#define LIDIA_PROFILE_FLAMEGRAPH_H

#include "lidia/Profile/Profile.h"
#include "lidia/Symbolize/SourceURLs.h"
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// The limits of a flame graph. Frames beyond a limit are summed up in boxes
/// named "(smaller frames)", so that the total stays correct.
struct FlameGraphLimits {
  /// Frames of a stack, counted from the outermost one.
  uint32_t Depth = 2048;
  /// Boxes in memory, which take about 100 bytes each. The first stacks get
  /// them.
  uint32_t Boxes = 4'000'000;
  /// Boxes in the page, which take about 20 bytes each. The widest boxes are
  /// kept; each may have one additional box for the rest.
  uint32_t PageBoxes = 500'000;
  /// What threads and times add to boxes in the page, about 25 bytes each. If
  /// there is more, the page does not show the order in time, or no threads.
  uint32_t PageEvents = 300'000;
};

/// Writes \p P as a flame graph: one HTML page that shows stacks as rows of
/// boxes. A box is a function. The boxes of its callees are below it, and its
/// width is the value of the stacks that contain it. The page contains the
/// program that draws it, and opens no other file.
///
/// Frames below the same box become one box if they have the same function and
/// module and are either all inlined or all not inlined; the box lists their
/// lines. The process (label "comm") is the outermost frame, as in folded
/// stacks. Negative values cannot be drawn: they count as zero, and the page
/// says so. At most eight types of values are kept: the first ones and the
/// default one.
///
/// The page can show one process or thread: those of Profile::Events, else
/// those that labels name. If the events have times, it can show the stacks in
/// order of time.
///
/// \p Title may contain any bytes, as may the strings of \p P. The page does
/// not depend on the order of samples unless there are too many boxes. Lines of
/// files that \p Sources knows are links.
void printFlameGraph(const Profile &P, llvm::StringRef Title,
                     llvm::raw_ostream &OS, const FlameGraphLimits &Limits = {},
                     const SourceURLs &Sources = {});

/// The template that flame graphs are made from (PageTemplate.h).
llvm::StringRef flameGraphTemplate();

} // namespace lidia

#endif // LIDIA_PROFILE_FLAMEGRAPH_H
