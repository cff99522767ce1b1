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

/// Something about the calls inlined into a range of depth 0 that its ranges do
/// not tell. Ranges are counted from that one.
struct CallNote {
  enum KindType : uint8_t {
    /// The call whose first range is Range begins at Address, before its code.
    Start = 0,
    /// A call without code is inlined at Address into the call of Range, or
    /// into the function if that is 0.
    Empty = 2,
    /// From Address on, the code of Range is that of Call.
    Code = 3,
  };
  KindType Kind = Start;
  uint32_t Range = 0;
  /// Of a Code: a number that tells the calls apart which have the same
  /// function and site, and are inlined into the same call. Code that no note
  /// is about has number 0.
  uint32_t Call = 0;
  uint64_t Address = 0;
  /// Of an Empty.
  StringOffset Function = 0;
  StringOffset CallFile = 0;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
};

/// Code of an inlined call, [Start, End): a range of the archive or, if several
/// calls share one, a part of it.
struct CallCode {
  uint64_t Range = 0;
  uint64_t Start = 0;
  uint64_t End = 0;
};

/// A call that was inlined into a function.
struct InlinedCall {
  static constexpr uint32_t None = UINT32_MAX;

  /// Its code, ascending. All ranges have the same function and call site. None
  /// for a call without code.
  llvm::SmallVector<CallCode, 1> Code;
  /// Where it begins, if that is not where its code does.
  std::optional<uint64_t> Start;
  StringOffset Function = 0;
  StringOffset CallFile = 0;
  uint32_t CallLine = 0;
  uint32_t CallColumn = 0;
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
/// combined if they have the same function, call site and enclosing call, and
/// \p Notes (StatementReader::read) do not number them differently. A range is
/// cut where the call that encloses it changes. Notes that make no sense are
/// ignored. Calls deeper than format::MaxDepth are left out.
std::vector<InlinedCall> inlinedCalls(const Archive &A, uint64_t Root,
                                      llvm::ArrayRef<CallNote> Notes = {});

} // namespace lidia

#endif // LIDIA_ARCHIVE_INLINEDCALLS_H
