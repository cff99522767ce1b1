//===- CodeHints.h - Hints for disassembling --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_CODEHINTS_H
#define LIDIA_LIB_OBJECT_CODEHINTS_H

#include "Binary.h"
#include <vector>

namespace lidia {

/// Facts about a binary's code from other sources, such as its debug file. May
/// be wrong or empty.
struct CodeHints {
  /// Addresses at which instructions are known to begin, ascending.
  std::vector<uint64_t> FunctionStarts;
  /// In any order. The code from the start of a section to the first mark uses
  /// the machine's main instruction set.
  std::vector<CodeMark> Marks;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_CODEHINTS_H
