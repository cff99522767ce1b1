//===- ContentOptions.h - Options for what an archive holds -----*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_CONTENTOPTIONS_H
#define LLVM_LIDIA_CONTENTOPTIONS_H

#include "Options.h"
#include "lidia/Extract/Convert.h"

namespace lidia {

/// Puts the options of Options.td that say what an archive holds into \p O.
/// Returns whether there were any; without one the archive holds functions
/// alone.
bool readContentOptions(CommandLine &Line, ConvertOptions &O);

/// Has \p O keep all that a lookup can answer: files, lines, columns, and
/// checksums.
void keepAllForLookup(ConvertOptions &O);

} // namespace lidia

#endif // LLVM_LIDIA_CONTENTOPTIONS_H
