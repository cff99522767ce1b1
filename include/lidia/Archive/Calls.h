//===- Calls.h - Calls that debuggers need ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function that ends with a call may jump to its callee instead, which then
/// returns to the caller's caller: the stack has no frame of the function in
/// between. Debuggers show one nevertheless if they know which calls are tail
/// calls (DWARF 5, section 3.4). The section CALL (docs/Format.md) has the tail
/// calls, the calls of functions that contain one, and calls by a pointer.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_CALLS_H
#define LIDIA_ARCHIVE_CALLS_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// A call that is not inlined.
struct FunctionCall {
  /// The address of the first byte of the call instruction or, with
  /// CF_AtReturn, of the last. It lies in the calling function.
  uint64_t Address = 0;
  /// The name of the callee, which may be in another module; or, with
  /// CF_Target, the expression of its address (CallTarget.h). Zero for a tail
  /// call of a function that is not known.
  StringOffset Callee = 0;
  /// format::CallFlag bits.
  uint8_t Flags = 0;

  bool isTail() const { return Flags & format::CF_Tail; }
  bool hasTarget() const { return Flags & format::CF_Target; }
  bool isNested() const { return Flags & format::CF_Nested; }
  /// The address after the call instruction; none if it is not known, as for
  /// some tail calls.
  std::optional<uint64_t> returnAddress() const {
    if (Flags & format::CF_AtReturn)
      return Address + 1;
    return std::nullopt;
  }
};

/// Calls \p Visit with each call in \p A whose Address is in [\p Start,
/// \p End), ascending.
void visitCalls(const Archive &A, uint64_t Start, uint64_t End,
                llvm::function_ref<void(const FunctionCall &)> Visit);

} // namespace lidia

#endif // LIDIA_ARCHIVE_CALLS_H
