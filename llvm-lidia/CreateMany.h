//===- CreateMany.h - Writes the archives of many binaries ------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLVM_LIDIA_CREATEMANY_H
#define LLVM_LIDIA_CREATEMANY_H

#include "Options.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Extract/TextMaps.h"

namespace lidia {

/// Whether \p Line is a `create --output-dir=`. If not, reports options that
/// require it as errors.
bool isCreateMany(CommandLine &Line);

/// Writes the archives of all binaries that \p Line names, made with
/// \p Options, and reports each failure. \p Maps are the maps that
/// Options.Transform uses; may be null.
llvm::Error createMany(CommandLine &Line, const ConvertOptions &Options,
                       const TextMaps *Maps);

} // namespace lidia

#endif // LLVM_LIDIA_CREATEMANY_H
