//===- OpenRanges.h - The ranges that enclose an address --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_OPENRANGES_H
#define LIDIA_LIB_ARCHIVE_OPENRANGES_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace lidia {

/// The last range of each depth while the range table is read in order: the
/// ranges that may enclose the next one.
class OpenRanges {
public:
  struct Range {
    uint64_t Index;
    uint64_t Start;
    /// The last address in it.
    uint64_t Last;
    uint64_t Depth;
  };

  bool empty() const { return Open.empty(); }
  size_t size() const { return Open.size(); }
  /// The range that was opened last.
  const Range &back() const { return Open.back(); }
  /// The open range of depth \p Depth. There is one for each depth below size()
  /// if every range had a depth of at most size() when it was opened, and
  /// innermost() was not called.
  const Range &operator[](size_t Depth) const { return Open[Depth]; }

  /// Opens \p R. Closes ranges of the same or a greater depth, which cannot
  /// enclose a later range.
  void open(const Range &R) {
    while (!Open.empty() && Open.back().Depth >= R.Depth)
      Open.pop_back();
    Open.push_back(R);
  }

  /// The index of the innermost range that covers \p Address. Addresses must
  /// ascend, and open ranges must begin at or before them. All calls together
  /// take one step for each range, however deeply ranges nest.
  std::optional<uint64_t> innermost(uint64_t Address) {
    // A range that ends before this address ends before all later addresses.
    while (!Open.empty() && Open.back().Last < Address)
      Open.pop_back();
    if (Open.empty())
      return std::nullopt;
    return Open.back().Index;
  }

private:
  llvm::SmallVector<Range, 16> Open;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_OPENRANGES_H
