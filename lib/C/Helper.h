//===- Helper.h - Conversions in another process ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_C_HELPER_H
#define LIDIA_LIB_C_HELPER_H

#include "Observer.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace lidia {

/// How a run of the program llvm-lidia ended: the file and the text of its
/// first error, or why there is none. Both are empty if it succeeded.
struct HelperRun {
  std::string File;
  std::string Text;

  bool hasSucceeded() const { return Text.empty(); }
};

/// Runs the program \p Args, whose first element is its path, with its messages
/// as JSON. Passes its warnings to \p Observer. Fails if there is no room for
/// messages.
llvm::Expected<HelperRun> runHelper(const std::vector<std::string> &Args,
                                    CallerObserver &Observer);

} // namespace lidia

#endif // LIDIA_LIB_C_HELPER_H
