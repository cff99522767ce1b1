//===- MovedRanges.h - Ranges of an object in its program -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_MOVEDRANGES_H
#define LIDIA_LIB_EXTRACT_MOVEDRANGES_H

#include "Object/DebugMap.h"
#include "Range.h"

namespace lidia {

/// Moves the ranges, calls and notes of \p Unit from the addresses of an object
/// file to those of the program. \p Moved is in order of object addresses,
/// without overlaps. What it does not contain is dropped: the linker did not
/// take it.
void moveRanges(UnitRanges &Unit, llvm::ArrayRef<MovedCode> Moved);

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_MOVEDRANGES_H
