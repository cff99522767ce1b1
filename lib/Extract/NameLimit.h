//===- NameLimit.h - Bounds the names of all sources ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_NAMELIMIT_H
#define LIDIA_LIB_EXTRACT_NAMELIMIT_H

#include "Range.h"

namespace lidia {

/// Goes through the trees of \p Sources in the order of trust, and removes
/// those whose names and paths no longer fit into \p Max bytes; each string
/// counts once. Also removes from all trees the data that only debuggers need,
/// except declarations. Returns the number of removed trees. The names of many
/// functions can be parts of one long string, and an archive would store all of
/// them.
uint64_t keepNamesWithin(std::vector<SourceRanges> &Sources,
                         const StringPool &Strings, uint64_t Max);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_NAMELIMIT_H
