//===- EmptyRanges.h - Empty ranges that LLDB can take ----------*- C++ -*-===//
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

/// Moves the \p Calls without code of one function out of enclosing calls whose
/// code does not contain their start, which would add it (see below).
///
/// LLDB finds such a call by its name only, and shows it at the code that its
/// start is in, wherever its DIE is.
void moveEmptyCalls(llvm::MutableArrayRef<InlinedCall> Calls);

/// Removes the starts (InlinedCall::Start) of the \p Calls with code of one
/// function that would hide code of other calls from LLDB.
///
/// A start is an empty range in DWARF. LLDB 19 adds a range of a call to those
/// of the enclosing call if none of them contains it, which is never so for an
/// empty range outside of the enclosing call's code (Block::AddRange,
/// RangeVector::FindEntryThatContains). It adds it after the others although
/// it then searches them as sorted.
void removeHarmfulStarts(llvm::MutableArrayRef<InlinedCall> Calls);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_EMPTYRANGES_H
