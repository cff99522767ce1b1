//===- InnermostRange.h - Who has an address, going upwards -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_INNERMOSTRANGE_H
#define LIDIA_LIB_ARCHIVE_INNERMOSTRANGE_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// Finds the innermost range of ascending addresses. All of them together take
/// one step for each range, however deep ranges are nested.
class InnermostRange {
public:
  /// Takes range \p Index, up to \p Last, in the order of the range table and
  /// not before the address asked for has come to its beginning.
  void add(uint64_t Index, uint64_t Last, uint64_t Depth) {
    while (!Open.empty() && Open.back().Depth >= Depth)
      Open.pop_back();
    Open.push_back({Index, Last, Depth});
  }

  /// The innermost range that covers \p Address.
  std::optional<uint64_t> at(uint64_t Address) {
    // What ends before this address ends before all that follow.
    while (!Open.empty() && Open.back().Last < Address)
      Open.pop_back();
    if (Open.empty())
      return std::nullopt;
    return Open.back().Index;
  }

private:
  struct Range {
    uint64_t Index;
    uint64_t Last;
    uint64_t Depth;
  };
  llvm::SmallVector<Range, 16> Open;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_INNERMOSTRANGE_H
