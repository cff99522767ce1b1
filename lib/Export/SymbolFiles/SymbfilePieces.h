//===- SymbfilePieces.h - Functions in pieces of one file -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_SYMBFILEPIECES_H
#define LIDIA_LIB_EXPORT_SYMBFILEPIECES_H

#include "lidia/Archive/Archive.h"
#include <vector>

namespace lidia {

/// Code of a range of an archive whose lines are in one source file.
struct SymbfilePiece {
  struct Line {
    uint64_t Address;
    /// Zero if unknown.
    uint32_t Line;
  };

  /// End is exclusive.
  uint64_t Start = 0;
  uint64_t End = 0;
  /// The index of the range.
  uint64_t Range = 0;
  /// Zero if unknown.
  StringOffset File = 0;
  /// Those of the code of the range itself, by address; each differs from the
  /// one before.
  llvm::SmallVector<Line, 4> Lines;
  /// Whether some of the code is the range's own, not that of a call.
  bool HasCode = false;
};

/// Splits the range of depth 0 at \p Root of \p A, which must be valid (see
/// verify), and all calls inlined into it, where the source file of their own
/// code changes. The pieces are by address and depth, so that calls come after
/// the piece that they are inlined into.
std::vector<SymbfilePiece> symbfilePieces(const Archive &A, uint64_t Root);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_SYMBFILEPIECES_H
