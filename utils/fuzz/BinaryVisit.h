//===- BinaryVisit.h - Reads everything in a binary -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_UTILS_FUZZ_BINARYVISIT_H
#define LIDIA_UTILS_FUZZ_BINARYVISIT_H

#include "Object/Binary.h"

namespace lidia {

/// Requests all information from \p File, and ends the process if something is
/// unbounded or out of order. Errors are allowed.
void visitBinary(Binary &File);

} // namespace lidia

#endif // LIDIA_UTILS_FUZZ_BINARYVISIT_H
