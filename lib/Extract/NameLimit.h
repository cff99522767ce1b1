//===- NameLimit.h - Names within bounds ------------------------*- C++ -*-===//
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

/// Leaves the trees out of \p Sources of which the names and paths do not fit
/// into \p Most bytes any more, in the order of trust, each string counted
/// once. Returns how many. The names of many functions can be parts of one long
/// string, of which an archive would have all.
uint64_t keepNamesWithin(std::vector<SourceRanges> &Sources,
                         const StringPool &Strings, uint64_t Most);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_NAMELIMIT_H
