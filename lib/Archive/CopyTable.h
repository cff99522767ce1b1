//===- CopyTable.h - Copied functions of a new archive ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_COPYTABLE_H
#define LIDIA_LIB_ARCHIVE_COPYTABLE_H

#include "lidia/Archive/Copies.h"

namespace lidia {

/// Builds the section COPY.
class CopyTable {
public:
  /// Records that \p Unit had a copy of the range of depth 0 at \p Root. Units
  /// must be added in order of number, from 1 on, with ascending ranges.
  /// Returns false otherwise.
  bool add(const FunctionUnit &Unit, uint64_t Root);

  bool empty() const { return Units.empty(); }
  std::string bytes() const;

private:
  std::vector<UnitCopies> Units;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_COPYTABLE_H
