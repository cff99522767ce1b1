//===- DamageLog.h - The damage of many archives ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_DAMAGELOG_H
#define LIDIA_ARCHIVE_DAMAGELOG_H

#include "lidia/Archive/Archive.h"
#include <memory>

namespace lidia {

/// Keeps the damage of archives (Archive::damage()), also of those that are
/// closed. Thread-safe.
class DamageLog {
public:
  DamageLog();

  /// \p A, whose damage is noted when the last user of the result is gone,
  /// which may be after the end of this object. Archives that are not paged
  /// have no damage.
  std::shared_ptr<const Archive> watch(std::shared_ptr<const Archive> A);

  /// The errors so far, each once.
  llvm::Error damage() const;

private:
  struct State;
  std::shared_ptr<State> Shared;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_DAMAGELOG_H
