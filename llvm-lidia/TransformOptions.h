//===- TransformOptions.h - Options for changed texts -----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_TRANSFORMOPTIONS_H
#define LLVM_LIDIA_TRANSFORMOPTIONS_H

#include "Options.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Extract/TextMaps.h"
#include "lidia/Symbolize/PrefixMap.h"

namespace lidia {

/// Reads --prefix-map and --prefix-map-file, in the order of the command line.
PrefixMap readPrefixMap(CommandLine &Line);

/// Sets O.Transform according to these options and --rename-functions, and
/// returns the maps; null without such options.
std::shared_ptr<const TextMaps> readTransformOptions(CommandLine &Line,
                                                     ConvertOptions &O);

/// Warns about names and prefixes that changed nothing in any archive, because
/// they are misspelled or belong to another binary. \p Maps may be null.
void warnOfUnused(const TextMaps *Maps, bool Quiet);

} // namespace lidia

#endif // LLVM_LIDIA_TRANSFORMOPTIONS_H
