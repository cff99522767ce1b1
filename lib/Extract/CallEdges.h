//===- CallEdges.h - Which calls an archive keeps ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_CALLEDGES_H
#define LIDIA_LIB_EXTRACT_CALLEDGES_H

#include "Range.h"

namespace lidia {

/// Leaves out the calls that no debugger needs: those that are not tail calls,
/// of functions without tail calls in the module. There are ten times as many.
/// Calls by a pointer stay: they may lead to any function.
void dropUselessCalls(std::vector<SourceRanges> &Sources, size_t StringIDEnd);

/// Appends the calls of \p Unit in [\p Start, \p End) to \p Out.
void appendCalls(const UnitRanges &Unit, uint64_t Start, uint64_t End,
                 std::vector<CallEdge> &Out);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CALLEDGES_H
