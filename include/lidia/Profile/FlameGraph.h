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
#include "llvm/Support/raw_ostream.h"

namespace lidia {

/// The limits of a flame graph. What is beyond them is kept as value, in boxes
/// named "(smaller frames)", so that sums stay right.
struct FlameGraphLimits {
  /// Frames of a stack, from the outermost one on.
  uint32_t Depth = 2048;
  /// Boxes in memory, of about 100 bytes each. The stacks that come first get
  /// them.
  uint32_t Boxes = 4'000'000;
  /// Boxes in the page, of about 20 bytes each, and one for what is beyond in
  /// each of them. The widest ones get them.
  uint32_t PageBoxes = 500'000;
};

/// Writes \p P as a flame graph: one HTML page that shows stacks as rows of
/// boxes. A box is a function, below it are the boxes of what it called, and
/// its width is the value of the stacks that go through it. The page contains
/// the program that draws it, and opens no other file.
///
/// Frames that the same box called become one box if they agree in function,
/// module, and whether they are inlined; it lists their lines. The process
/// (label "comm") is the outermost frame, as in folded stacks. Negative values
/// cannot be drawn: they count as zero, and the page says so. Of more than
/// eight types of values, the first ones are kept, and the one to show first.
///
/// \p Title may contain any bytes, as may the strings of \p P. The page does
/// not depend on the order of samples unless there are too many boxes.
void printFlameGraph(const Profile &P, llvm::StringRef Title,
                     llvm::raw_ostream &OS,
                     const FlameGraphLimits &Limits = {});

/// The SHA-256 of what is in the element \p Name of the HTML page \p Page, in
/// base 64: content security policies name what they allow by it.
std::string contentHash(llvm::StringRef Page, llvm::StringRef Name);

/// That of "style" or "script" of all flame graphs.
std::string flameGraphHash(llvm::StringRef Name);

} // namespace lidia

#endif // LIDIA_PROFILE_FLAMEGRAPH_H
