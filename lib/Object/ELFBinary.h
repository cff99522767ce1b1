//===- ELFBinary.h - An open ELF file ---------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_ELFBINARY_H
#define LIDIA_LIB_OBJECT_ELFBINARY_H

#include "Binary.h"

namespace lidia {

/// Opens an ELF file of any class and byte order. \p Buffer must begin with
/// ELF's magic number and contain all of e_ident; \p Path is for messages.
llvm::Expected<std::unique_ptr<Binary>>
openELF(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_ELFBINARY_H
