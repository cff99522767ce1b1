//===- Names.h - Options of names in the C interface ---------- -*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_C_NAMES_H
#define LIDIA_LIB_C_NAMES_H

#include "lidia/Symbolize/Symbolizer.h"

namespace lidia {

/// Sets the options that NameFlags contains.
void setNameOptions(uint32_t Flags, SymbolizerOptions &Options);

} // namespace lidia

#endif // LIDIA_LIB_C_NAMES_H
