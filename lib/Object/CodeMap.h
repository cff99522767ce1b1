//===- CodeMap.h - The code addresses of a binary ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_CODEMAP_H
#define LIDIA_LIB_OBJECT_CODEMAP_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace lidia {

/// The addresses of a binary's executable sections (or segments, if it has no
/// sections). Debug information for other addresses describes code that the
/// linker discarded.
class CodeMap {
public:
  struct Area {
    uint64_t Start = 0;
    uint64_t End = 0;
  };

  CodeMap() = default;
  /// Merges overlapping areas and drops empty ones.
  explicit CodeMap(std::vector<Area> Areas);

  /// The area that contains \p Address, if any.
  const Area *find(uint64_t Address) const;
  bool contains(uint64_t Address) const { return find(Address); }

  /// Truncates [Start, End) at the end of the area that contains Start. Returns
  /// false if no area contains it or nothing is left.
  bool clip(uint64_t &Start, uint64_t &End) const;

  bool empty() const { return Areas.empty(); }
  /// In order of address, without overlaps.
  llvm::ArrayRef<Area> areas() const { return Areas; }

private:
  std::vector<Area> Areas;
};

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_CODEMAP_H
