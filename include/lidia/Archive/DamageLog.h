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
#include "lidia/Support/ForkLocal.h"
#include <memory>

namespace lidia {

/// Collects the damage found in archives (Archive::damage()), including
/// archives that have been closed. Thread-safe.
class DamageLog {
public:
  DamageLog();

  /// Returns \p A as a pointer that records the archive's damage when its last
  /// copy is destroyed, which may happen after this object is destroyed.
  /// Archives that are not paged have no damage.
  std::shared_ptr<const Archive> watch(std::shared_ptr<const Archive> A);

  /// The errors recorded so far, without duplicates.
  llvm::Error damage() const;

private:
  struct State;
  std::shared_ptr<ForkLocal<State>> Shared;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_DAMAGELOG_H
