//===- InlinedCalls.h - The calls inlined into one function -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_INLINEDCALLS_H
#define LIDIA_ARCHIVE_INLINEDCALLS_H

#include "lidia/Archive/Archive.h"
#include <vector>

namespace lidia {

/// A call that was inlined into a function.
struct InlinedCall {
  static constexpr uint32_t None = UINT32_MAX;

  /// The ranges that hold its code, ascending; at least one. All have the same
  /// function and call site.
  llvm::SmallVector<uint64_t, 1> Ranges;
  /// Indices among the calls of the function: the enclosing call (None: the
  /// function itself), the first call inside this one, and the next call with
  /// the same parent.
  uint32_t Parent = None;
  uint32_t FirstChild = None;
  uint32_t NextSibling = None;
};

/// The calls inlined into the range of depth 0 at \p Root, each before those
/// inlined into it, in order of their first ranges.
///
/// An archive has a range for each piece of a call's code. Debuggers want one
/// call, or they would stop at the function in each of its pieces. Pieces are
/// combined if they have the same function, call site and enclosing call.
/// Copies that a compiler made of a call are therefore one, as in DWARF. Calls
/// deeper than format::MaxDepth are left out.
std::vector<InlinedCall> inlinedCalls(const Archive &A, uint64_t Root);

} // namespace lidia

#endif // LIDIA_ARCHIVE_INLINEDCALLS_H
