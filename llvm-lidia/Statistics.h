//===- Statistics.h - The figures of a conversion ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_STATISTICS_H
#define LLVM_LIDIA_STATISTICS_H

#include "lidia/Extract/Convert.h"

namespace lidia {

/// Prints tables for people.
void printStatistics(llvm::raw_ostream &OS, const ConvertStatistics &S);

/// Prints one JSON object, indented.
void printStatisticsAsJSON(llvm::raw_ostream &OS, const ConvertStatistics &S);

} // namespace lidia

#endif // LLVM_LIDIA_STATISTICS_H
