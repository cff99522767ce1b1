//===- MemoryImage.h - A module as it is in memory --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROCESS_MEMORYIMAGE_H
#define LIDIA_LIB_PROCESS_MEMORYIMAGE_H

#include "Modules/ELFHeaders.h"
#include "lidia/Modules/OpenedFile.h"

namespace lidia {

/// Makes a file without section headers from the loaded segments of a module.
/// \p Bytes reads memory by offsets in the lost file, \p Headers are its
/// headers, and runtime addresses are its own addresses plus \p Bias. Pages
/// that cannot be read are zero.
///
/// Fails if neither symbols nor rows for unwinding are in memory. \p Name is
/// for errors.
llvm::Expected<std::unique_ptr<OpenedFile>>
imageInMemory(const ByteReader &Bytes, const ELFHeaders &Headers, uint64_t Bias,
              const llvm::Twine &Name);

} // namespace lidia

#endif // LIDIA_LIB_PROCESS_MEMORYIMAGE_H
