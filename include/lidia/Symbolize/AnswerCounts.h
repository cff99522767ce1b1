//===- AnswerCounts.h - How many addresses have which answer ----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_SYMBOLIZE_ANSWERCOUNTS_H
#define LIDIA_SYMBOLIZE_ANSWERCOUNTS_H

#include "lidia/Archive/NameOrigin.h"
#include "lidia/Miss.h"
#include <array>

namespace lidia {

/// Counts addresses by where the name of the function is from, and by why there
/// is no name or no line.
struct AnswerCounts {
  /// Names that programs write while they run are not counted here.
  std::array<uint64_t, size_t(NameOrigin::RuntimeNames)> ByOrigin{};
  /// The first is that of addresses with a name and a line.
  std::array<uint64_t, MissCodeCount> ByMiss{};

  void add(NameOrigin O, MissCode Code) {
    if (O < NameOrigin::RuntimeNames)
      ++ByOrigin[size_t(O)];
    ++ByMiss[size_t(Code)];
  }
};

} // namespace lidia

#endif // LIDIA_SYMBOLIZE_ANSWERCOUNTS_H
