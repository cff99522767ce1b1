//===- ProfilePrinters.h - Profiles as text ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_PROFILE_PROFILEPRINTERS_H
#define LIDIA_PROFILE_PROFILEPRINTERS_H

#include "lidia/Profile/Profile.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lidia {

/// What is known about the place of \p L beyond its lines: the base name of its
/// file in brackets, "[libc.so.6]", or the brackets of its mapping, "[vdso]",
/// or "[unknown]".
std::string placeOf(const Profile &P, const Profile::Location &L);

// In all forms the samples with the same stack and labels are one; values of
// other samples are added up. Names may contain any bytes and are escaped as
// lidia/Symbolize/PrintableText.h describes.

/// About how many bytes the functions below print, at least as far as their
/// order of magnitude: see Profile::checkOutput().
uint64_t estimateText(const Profile &P);
/// Those of the samples that writePprof() and writeOTLP() write. All else that
/// they write is about as large as it was.
uint64_t estimatePprof(const Profile &P);
uint64_t estimateOTLP(const Profile &P);

/// Prints each stack for people: its values and labels, and below them a frame
/// a line, innermost first. The one with the largest value of
/// P.DefaultSampleType comes first.
void printProfileText(const Profile &P, llvm::raw_ostream &OS);

/// Prints each stack on one line, outermost frame first, with the value of
/// P.DefaultSampleType: "main;work;hash 12", the input of flamegraph.pl. The
/// label "comm", which perf's samples have, comes first. Code without a name
/// has the name of its place.
void printFoldedStacks(const Profile &P, llvm::raw_ostream &OS);

/// Prints one JSON object: "sampleTypes", and "samples", each with its values,
/// labels and frames, innermost first.
void printProfileJSON(const Profile &P, llvm::raw_ostream &OS);

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILEPRINTERS_H
