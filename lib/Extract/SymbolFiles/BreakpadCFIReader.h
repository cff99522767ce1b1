//===- BreakpadCFIReader.h - STACK CFI records as unwind rows ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_BREAKPADCFIREADER_H
#define LIDIA_LIB_EXTRACT_BREAKPADCFIREADER_H

#include "Object/SymbolFile.h"
#include "lidia/Extract/Convert.h"
#include <string>

namespace lidia {

/// Reads the STACK CFI records of \p File, a Breakpad symbol file, and adds
/// \p Bias to their addresses to get those of the binary. Returns the section
/// UNWD; empty if there are no rows, or if stacks of the machine cannot be
/// unwound. Records that cannot be read are counted in \p Statistics. STACK WIN
/// records are ignored.
std::string readBreakpadCFI(const SymbolFile &File, uint64_t Bias,
                            UnwindStatistics &Statistics);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_BREAKPADCFIREADER_H
