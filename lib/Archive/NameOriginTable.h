//===- NameOriginTable.h - The origins of a new archive's names -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_NAMEORIGINTABLE_H
#define LIDIA_LIB_ARCHIVE_NAMEORIGINTABLE_H

#include "lidia/Archive/NameOrigins.h"
#include <string>

namespace lidia {

/// Builds the section ORGN.
class NameOriginTable {
public:
  /// Records the range of depth 0 with index \p Range, which has a name and
  /// \p Length bytes. Ranges must ascend.
  void add(uint64_t Range, uint64_t Length, NameOrigin Origin,
           const NameReach &Reach);

  /// The origin of all names, for INFO; Unknown if there are several.
  NameOrigin onlyOrigin() const {
    return RunBytes.empty() ? First : NameOrigin::Unknown;
  }

  /// The section's bytes; empty if onlyOrigin() says it all.
  std::string bytes() const;

private:
  /// The origin of the first run, and the runs that follow.
  NameOrigin First = NameOrigin::Unknown;
  NameOrigin Current = NameOrigin::Unknown;
  uint64_t RunStart = 0;
  std::string RunBytes;
  uint64_t LastLimited = 0;
  std::string LimitBytes;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_NAMEORIGINTABLE_H
