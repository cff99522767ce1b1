//===- SourceOptions.h - Options for what is read ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_SOURCEOPTIONS_H
#define LLVM_LIDIA_SOURCEOPTIONS_H

#include "Options.h"
#include "lidia/Extract/Convert.h"

namespace lidia {

/// Puts the options of Options.td that say what a binary's functions are read
/// from into \p O.
void readSourceOptions(CommandLine &Line, ConvertOptions &O);

} // namespace lidia

#endif // LLVM_LIDIA_SOURCEOPTIONS_H
