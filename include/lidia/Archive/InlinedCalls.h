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

/// A fact about the calls inlined into a range of depth 0 that cannot be seen
/// from the ranges. Indices of ranges count from that range.
struct CallNote {
  enum KindType : uint8_t {
    /// The call whose first range is Range begins at Address, before its code.
    Start = 0,
    /// A call without code is inlined at Address into the call of Range, or
    /// into the function if Range is 0.
    Empty = 2,
    /// From Address on, the code of Range belongs to Call.
    Code = 3,
  };
  KindType Kind = Start;
  uint32_t Range = 0;
  /// For Code: a number that distinguishes calls with the same function and
  /// call site that are inlined into the same call. Code without a note has
  /// number 0.
  uint32_t Call = 0;
  uint64_t Address = 0;
  /// For Empty.
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

  /// The call's code, ascending; empty for a call without code. All ranges have
  /// the same function and call site.
  llvm::SmallVector<CallCode, 1> Code;
  /// Where the call begins, if that is before its code.
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
/// An archive has a range for each piece of a call's code. Debuggers need one
/// call, because they would otherwise stop at the function in each piece.
/// Pieces are combined if they have the same function, call site and enclosing
/// call, and \p Notes (StatementReader::read()) do not give them different
/// numbers. A range is split where its enclosing call changes. Invalid notes
/// are ignored. Calls deeper than format::MaxDepth are left out.
std::vector<InlinedCall> inlinedCalls(const Archive &A, uint64_t Root,
                                      llvm::ArrayRef<CallNote> Notes = {});

/// Finds the innermost call at an address of one function.
class InnermostCalls {
public:
  InnermostCalls() = default;
  /// \p Calls are those inlined into the function at [\p Start, \p End).
  InnermostCalls(llvm::ArrayRef<InlinedCall> Calls, uint64_t Start,
                 uint64_t End);

  /// The index of the innermost call with code at \p Address;
  /// InlinedCall::None if that code belongs to the function itself.
  uint32_t at(uint64_t Address) const;

private:
  void addChange(uint64_t Address, uint32_t Call);

  /// The code from Address to the next change belongs to Call.
  struct Change {
    uint64_t Address;
    uint32_t Call;
  };
  /// Sorted by address.
  std::vector<Change> Changes;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_INLINEDCALLS_H
