//===- DebugData.h - The file in .gnu_debugdata -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_DEBUGDATA_H
#define LIDIA_LIB_OBJECT_DEBUGDATA_H

#include "Binary.h"

namespace lidia {

/// Opens the xz-compressed ELF file in .gnu_debugdata of \p Main. It has the
/// function symbols that .dynsym lacks: distributions keep it in stripped
/// programs for readable backtraces. Null if \p Main has none.
llvm::Expected<std::unique_ptr<Binary>> openDebugData(Binary &Main);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_DEBUGDATA_H
