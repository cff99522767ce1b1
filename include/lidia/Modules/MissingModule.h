//===- MissingModule.h - A module without an archive ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_MISSINGMODULE_H
#define LIDIA_MODULES_MISSINGMODULE_H

#include "lidia/Miss.h"
#include <cstdint>
#include <string>
#include <vector>

namespace lidia {

/// A module that an input names and that was not found.
struct MissingModule {
  /// The name in the input: a path, a base name, or empty. Untrusted.
  std::string Name;
  /// Empty if the input does not have it.
  std::vector<uint8_t> BuildID;
  Miss Reason;
};

} // namespace lidia

#endif // LIDIA_MODULES_MISSINGMODULE_H
