//===- Merge.h - One forest from all sources --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_EXTRACT_MERGE_H
#define LIDIA_EXTRACT_MERGE_H

#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Extract/DWARFSource.h"
#include "lidia/Extract/SymbolSource.h"

namespace lidia {

/// What the sources gave, each in the order of trust.
struct MergeInput {
  DWARFRanges DWARF;
  /// Symbol tables, the most trusted first.
  std::vector<std::vector<SymbolRange>> Symbols;
};

/// Bytes of code that each source named.
struct MergeResult {
  uint64_t DWARFBytes = 0;
  std::vector<uint64_t> SymbolBytes;
  /// Code with lines that nothing names.
  uint64_t NamelessBytes = 0;
};

/// Writes one forest without overlaps to \p Writer; \p Files says whether
/// source files are wanted.
///
/// Each address is given to the function that comes first of those that have
/// it: functions of DWARF before symbols, a symbol table before the next, and
/// within a source the order of .debug_info (by unit, then by DIE), or the
/// symbol that starts later. What a winner lacks the others supply: a name from
/// the symbol at its start, lines from a line table that describes code without
/// functions. Code that has lines and no name at all becomes a range without
/// name.
///
/// \p Input is used up: each unit's ranges are freed once they are written.
llvm::Expected<MergeResult> merge(MergeInput Input, const StringPool &Strings,
                                  ArchiveWriter &Writer, bool Files);

} // namespace lidia

#endif // LIDIA_EXTRACT_MERGE_H
