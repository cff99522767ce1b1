//===- Show.h - What llvm-lidia show can show -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SHOW_H
#define LLVM_LIDIA_SHOW_H

#include "Options.h"
#include <vector>

namespace lidia {

/// The words that tell the command what to show.
std::vector<llvm::StringRef> shownThings();

/// Prints the ranges that each source of \p Binary gives.
llvm::Error showRanges(CommandLine &Line, llvm::StringRef Binary);

} // namespace lidia

#endif // LLVM_LIDIA_SHOW_H
