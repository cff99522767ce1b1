//===- LoadedLayout.h - The loaded parts of a binary ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_LOADEDLAYOUT_H
#define LIDIA_LIB_OBJECT_LOADEDLAYOUT_H

#include "lidia/Archive/BinaryLayout.h"

namespace lidia {

class Binary;

/// The loaded segments and sections of \p File. A relocatable object has no
/// segments.
BinaryLayout loadedLayout(const Binary &File);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_LOADEDLAYOUT_H
