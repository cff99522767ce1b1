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
#include "StringPool.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace lidia {

/// Calls its argument with the start and the name of each function.
using VisitFunctions = llvm::function_ref<void(
    llvm::function_ref<void(uint64_t Start, StringID Name)>)>;

/// Removes the calls that no debugger needs: calls, other than tail calls, of
/// functions without tail calls in the module. These are ten times as many as
/// the others. Calls of functions that are \p Folded into another are kept:
/// nothing else tells which of the names is meant. Calls by a pointer are kept,
/// because they may call any function. A call by one of the \p Aliases of a
/// function with tail calls becomes a call by the name that \p Visit gives.
void dropUselessCalls(
    std::vector<SourceRanges> &Sources, const StringPool &Strings,
    llvm::ArrayRef<std::pair<uint64_t, llvm::StringRef>> Aliases,
    const llvm::DenseSet<StringID> &Folded, VisitFunctions Visit);

/// Appends the calls of \p Unit in [\p Start, \p End) to \p Out.
void appendCalls(const UnitRanges &Unit, uint64_t Start, uint64_t End,
                 std::vector<CallEdge> &Out);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CALLEDGES_H
