//===- EmptyRanges.h - Empty ranges that LLDB accepts -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_EMPTYRANGES_H
#define LIDIA_LIB_EXPORT_EMPTYRANGES_H

#include "lidia/Archive/InlinedCalls.h"

namespace lidia {

/// Moves the calls in \p Calls, of one function, that have no code out of
/// enclosing calls whose code does not contain their start, because LLDB would
/// add the start to that code (see below).
///
/// LLDB finds such a call only by its name, and shows it at the code that
/// contains its start, wherever its DIE is.
void moveEmptyCalls(llvm::MutableArrayRef<InlinedCall> Calls);

/// Removes the starts (InlinedCall::Start) of the calls with code in \p Calls,
/// of one function, that would hide code of other calls from LLDB.
///
/// A start is an empty range in DWARF. LLDB 19 adds a range of a call to the
/// ranges of the enclosing call if none of them contains it. None contains an
/// empty range outside of the enclosing call's code (Block::AddRange,
/// RangeVector::FindEntryThatContains). LLDB appends the range after the
/// others, although it later searches them as if they were sorted.
void removeHarmfulStarts(llvm::MutableArrayRef<InlinedCall> Calls);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_EMPTYRANGES_H
