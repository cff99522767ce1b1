//===- ContentOptions.h - Options for an archive's contents -----*- C++ -*-===//
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

/// Changes the contents that \p O selects by the options of Options.td.
void readContentOptions(CommandLine &Line, ConvertOptions &O);

} // namespace lidia

#endif // LLVM_LIDIA_CONTENTOPTIONS_H
