//===- PackedBinary.h - Compressed binaries ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_OBJECT_PACKEDBINARY_H
#define LIDIA_OBJECT_PACKEDBINARY_H

#include "llvm/ADT/StringRef.h"

namespace lidia {

/// Whether \p Path is an ELF file that was compressed by xz or zstd, as kernel
/// modules are; convert() unpacks it. False for a file that cannot be read or
/// is not regular.
bool isPackedBinary(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_OBJECT_PACKEDBINARY_H
