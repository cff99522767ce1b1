//===- FunctionLines.h - The lines of one function --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_FUNCTIONLINES_H
#define LIDIA_ARCHIVE_FUNCTIONLINES_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// The index after the last range inside the range of depth 0 at \p Root. The
/// ranges of the calls inlined into a function follow the function's own.
uint64_t functionEnd(const Archive &A, uint64_t Root);

/// A line of source code, which code from Address on belongs to.
struct FunctionLine {
  uint64_t Address = 0;
  StringOffset File = 0;
  /// Zero if unknown.
  uint32_t Line = 0;
  uint32_t Column = 0;

  /// Whether neither file nor line is known, as for code after the function.
  bool isUnknown() const { return !File && !Line; }
};

/// Calls \p Visit with the lines of the range of depth 0 at \p Root and of
/// everything inlined into it, in the form of a line table: at each address the
/// line of the innermost range. Addresses ascend, each line differs from the
/// one before or begins an inlined call, and the last, at the function's end,
/// is unknown.
///
/// In a damaged archive the addresses still ascend and stay in the function.
void visitFunctionLines(const Archive &A, uint64_t Root,
                        llvm::function_ref<void(const FunctionLine &)> Visit);

} // namespace lidia

#endif // LIDIA_ARCHIVE_FUNCTIONLINES_H
