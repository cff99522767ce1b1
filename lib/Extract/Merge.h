//===- Merge.h - The ranges of all sources, merged --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_MERGE_H
#define LIDIA_LIB_EXTRACT_MERGE_H

#include "Range.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Extract/Transformer.h"
#include <functional>

namespace lidia {

/// Bytes of code, by the source of their names.
struct MergeResult {
  /// Bytes named by each source.
  std::vector<uint64_t> BytesNamed;
  /// Bytes with lines but without a name.
  uint64_t BytesNameless = 0;
  /// Ranges visited again for further pieces of functions that others cut.
  uint64_t RangesRepeated = 0;
  /// Pieces written without their inlined calls because there would have been
  /// too many ranges.
  uint64_t PiecesWithoutCalls = 0;
  /// Texts that MergeOptions::MaxTransformed keeps from being changed.
  uint64_t TextsUnchanged = 0;
  /// Whether any code has a line.
  bool HasLines = false;
};

struct MergeOptions {
  unsigned Threads = 1;
  /// An error if the caller no longer wants the result; may be null. Called by
  /// any thread.
  std::function<llvm::Error()> CheckCancelled;
  /// The addresses and names of all symbols that name code.
  llvm::ArrayRef<std::pair<uint64_t, llvm::StringRef>> Aliases;
  /// The functions in unwind information, by address.
  llvm::ArrayRef<FunctionExtent> Extents;
  /// Changes names and paths; may be null.
  const Transformer *Transform = nullptr;
  /// The maximum number of bytes of changed names and paths.
  uint64_t MaxTransformed = 0;
};

/// Writes range trees without overlaps to \p Writer. \p Sources are in the
/// order of trust.
///
/// Each address is given to the first function that contains it: by source,
/// then the one that starts later, then by unit, then by position in the unit.
/// The others supply what the winner lacks: a name, from the best source that
/// has one for its start; lines, from line tables that describe code without
/// functions. Code with lines but without any name becomes an unnamed range.
///
/// \p Sources are consumed: each unit's ranges are freed once they are written.
/// Uses up to Options.Threads threads. Fails soon after
/// Options.CheckCancelled does.
llvm::Expected<MergeResult> merge(std::vector<SourceRanges> Sources,
                                  const StringPool &Strings,
                                  ArchiveWriter &Writer,
                                  const MergeOptions &Options);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_MERGE_H
