//===- DWARFProgram.h - Programs with random DWARF --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_DWARFPROGRAM_H
#define LIDIA_UTILS_FUZZ_DWARFPROGRAM_H

#include "FuzzInput.h"
#include <string>
#include <vector>

namespace lidia {

/// The code of a DWARFProgram is in [CodeStart, CodeStart + CodeSize).
constexpr uint64_t CodeStart = 0x1000;
constexpr uint64_t CodeSize = 256;

/// A range of addresses; End is the first address after it.
struct CodeRange {
  uint64_t Start, End;
};

/// An ELF file whose DWARF, of version 4 or 5, is made from a fuzzer's input:
/// units, functions in one or several pieces, calls that are inlined into each
/// other, lexical blocks, and line tables.
///
/// The DWARF is well-formed as compilers write it: functions do not overlap,
/// calls lie within their callers, each piece of a function begins with a row
/// of the line table, and sequences do not overlap.
struct DWARFProgram {
  /// The bytes of the file.
  std::string File;
  /// The code of all functions.
  std::vector<CodeRange> Functions;
};

DWARFProgram makeDWARFProgram(FuzzInput Input);

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_DWARFPROGRAM_H
