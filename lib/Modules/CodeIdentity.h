//===- CodeIdentity.h - What tells one build from another -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_MODULES_CODEIDENTITY_H
#define LIDIA_LIB_MODULES_CODEIDENTITY_H

#include "lidia/Archive/DebugID.h"
#include "lidia/Modules/OpenedFile.h"

namespace lidia {

/// Whether the ELF file \p File has no build ID, and \p ID is a hash of its
/// code, which minidumps have instead (lib/Object/CodeHash.h).
bool hasCodeHash(const OpenedFile &File, llvm::ArrayRef<uint8_t> ID);

/// Whether the ELF file \p File has the debug ID \p ID, which is that of its
/// build ID or of such a hash.
bool hasDebugID(const OpenedFile &File, const DebugID &ID);

} // namespace lidia

#endif // LIDIA_LIB_MODULES_CODEIDENTITY_H
