//===- SourceURLOptions.h - Options for sources on the web ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SOURCEURLOPTIONS_H
#define LLVM_LIDIA_SOURCEURLOPTIONS_H

#include "Options.h"
#include "lidia/Symbolize/SourceURLs.h"

namespace lidia {

/// Reads --source-url and --source-commit.
SourceURLs readSourceURLs(CommandLine &Line);

} // namespace lidia

#endif // LLVM_LIDIA_SOURCEURLOPTIONS_H
