//===- Miss.h - Why an address has no answer --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Needs only the standard library, because code with exceptions uses it, too,
/// and must not share LLVM's classes.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MISS_H
#define LIDIA_MISS_H

#include <cstdint>
#include <string>

namespace lidia {

/// Why an address has no name or no line. docs/Misses.md says what helps. The
/// C API has the same numbers.
enum class MissCode : uint8_t {
  /// There is a name and a line.
  None = 0,
  /// The module's file, or its archive, is nowhere where it was looked for.
  NoFile = 1,
  /// The system does not let this user read the file.
  NoPermission = 2,
  /// The file that was found is of another build.
  OtherBuild = 3,
  /// The module has no symbol there, or none at all.
  NoSymbols = 4,
  /// The function has no lines.
  NoLines = 5,
  /// Code that a program made while it ran, without a map of its names.
  NoMap = 6,
  /// The file is damaged.
  Damaged = 7,
  /// A limit for untrusted input was reached.
  Limit = 8,
  /// DEBUGINFOD_URLS is set, and its servers were not asked.
  NetworkNotAsked = 9,
  /// The file is in a format that is not read.
  Unsupported = 10,
  /// Nothing is mapped at the address.
  NotMapped = 11,
  /// The core or the recording lacks the memory that is needed.
  NoMemory = 12,
  /// Any other reason.
  Other = 13,
  /// A store or a server did not answer.
  NoAnswer = 14,
  /// Only names were looked for, as the caller wanted.
  NamesOnly = 15,
};

constexpr unsigned MissCodeCount = 16;

/// The code in JSON and metrics, such as "no_file"; empty for None.
inline const char *toString(MissCode Code) {
  static constexpr const char *Names[MissCodeCount] = {"",
                                                       "no_file",
                                                       "no_permission",
                                                       "other_build",
                                                       "no_symbols",
                                                       "no_lines",
                                                       "no_map",
                                                       "damaged",
                                                       "limit",
                                                       "network_not_asked",
                                                       "unsupported",
                                                       "not_mapped",
                                                       "no_memory",
                                                       "other",
                                                       "no_answer",
                                                       "names_only"};
  return uint8_t(Code) < MissCodeCount ? Names[uint8_t(Code)] : "";
}

/// Why something was not found.
struct Miss {
  MissCode Code = MissCode::None;
  /// For people. Names the file.
  std::string Text;

  bool empty() const { return Code == MissCode::None; }
};

} // namespace lidia

#endif // LIDIA_MISS_H
