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
#include "lidia/Symbolize/CodeLine.h"
#include "lidia/Symbolize/SourceURLs.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

struct ArchiveInfo;
class ModuleResolver;

/// What a table of functions or stacks for people looks like.
struct ProfileView {
  /// What the rows of the table are.
  enum class By : uint8_t { Function, Line, File, Module, Thread };
  By Rows = By::Function;
  /// What the rows are ordered by: what they spent themselves, what they and
  /// their callees spent, or how much that share has changed since the base.
  /// Auto is Change if there is a base, else Self.
  enum class Order : uint8_t { Auto, Self, Total, Change };
  Order Sort = Order::Auto;
  /// The maximum number of rows or stacks; zero for all.
  uint64_t Limit = 0;
  /// Print values as the profile has them ("8730000000 cpu nanoseconds"), not
  /// readable ("8.73 s cpu").
  bool RawUnits = false;
};

/// \p Value, in units of \p Unit, with three digits and the unit that fits:
/// "8.73 s", "902 kB"; without a unit, if it is not known or \p Raw.
std::string valueText(int64_t Value, llvm::StringRef Unit, bool Raw);

/// The same for a value of the type \p T: "8.73 s cpu", "3 samples".
std::string typedValueText(const Profile &P, const Profile::ValueType &T,
                           int64_t Value, bool Raw);

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
void printProfileText(const Profile &P, llvm::raw_ostream &OS,
                      const ProfileView &View = {});

/// Prints each stack on one line, outermost frame first, with the value of
/// P.DefaultSampleType: "main;work;hash 12", the input of flamegraph.pl. The
/// label "comm" of perf's samples comes first. Code without a name is shown as
/// its place.
void printFoldedStacks(const Profile &P, llvm::raw_ostream &OS);

/// Returns a line of a source file, which counts from 1; none if there is none.
using SourceLineReader = llvm::function_ref<std::optional<llvm::StringRef>(
    llvm::StringRef File, uint32_t Line)>;

/// Prints the functions whose names match \p Pattern, those with the largest
/// values first, with their lines and the value of each. Returns false if there
/// are none.
bool printSourceList(const Profile &P, const llvm::Regex &Pattern,
                     const ProfileView &View, SourceLineReader LineOf,
                     llvm::raw_ostream &OS);

/// Returns the instructions of \p Code, which begins at \p Address, as far as
/// they can be read.
using CodeReader = llvm::function_ref<std::vector<CodeLine>(
    const ArchiveInfo &Of, uint64_t Address, llvm::ArrayRef<uint8_t> Code)>;

/// Prints the functions whose names match \p Pattern, those with the largest
/// values first, with their instructions and the value of each. \p P is
/// symbolized with \p Modules. Returns false if there are none.
bool printCodeList(const Profile &P, const llvm::Regex &Pattern,
                   const ProfileView &View, ModuleResolver &Modules,
                   CodeReader Read, llvm::raw_ostream &OS);

/// Prints one JSON object: "sampleTypes", and "samples", each with its values,
/// labels and frames, innermost first. A frame of a file that \p Sources knows
/// has the URL of its line.
void printProfileJSON(const Profile &P, llvm::raw_ostream &OS,
                      const SourceURLs &Sources = {});

} // namespace lidia

#endif // LIDIA_PROFILE_PROFILEPRINTERS_H
