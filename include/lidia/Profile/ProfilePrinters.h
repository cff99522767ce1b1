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
#include "lidia/Symbolize/SourceURLs.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lidia {

/// The place of \p L in brackets: the base name of its file ("[libc.so.6]"),
/// the name of its mapping ("[vdso]"), or "[unknown]".
std::string placeOf(const Profile &P, const Profile::Location &L);

// In all forms, samples with the same stack and labels are merged and their
// values are added up. Names may contain any bytes and are escaped as
// lidia/Symbolize/PrintableText.h describes.

/// Estimates the order of magnitude of the bytes that the functions below
/// print, for Profile::checkOutput().
uint64_t estimateText(const Profile &P);
/// Estimates the bytes of the samples that writePprof() and writeOTLP() write.
/// The rest of their output is about as large as the input.
uint64_t estimatePprof(const Profile &P);
uint64_t estimateOTLP(const Profile &P);

/// Prints each stack for people: its values and labels, and below them one
/// frame on each line, innermost first. Stacks are in descending order of the
/// value of P.DefaultSampleType.
void printProfileText(const Profile &P, llvm::raw_ostream &OS);

/// Prints each stack on one line, outermost frame first, with the value of
/// P.DefaultSampleType: "main;work;hash 12", the input of flamegraph.pl. The
/// label "comm" of perf's samples comes first. Code without a name is shown as
/// its place.
void printFoldedStacks(const Profile &P, llvm::raw_ostream &OS);

/// Prints one JSON object: "sampleTypes", and "samples", each with its values,
/// labels and frames, innermost first. A frame of a file that \p Sources knows
/// has the URL of its line.
void printProfileJSON(const Profile &P, llvm::raw_ostream &OS,
                      const SourceURLs &Sources = {});

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILEPRINTERS_H
