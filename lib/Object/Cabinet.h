//===- Cabinet.h - The file in a cabinet file -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Symbol servers keep a.pdb as a.pd_, a cabinet file of one file, which
/// makecab or symstore has compressed by MSZIP or LZX.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_CABINET_H
#define LIDIA_LIB_OBJECT_CABINET_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lidia {

/// The contents of the only file in \p Bytes, a whole cabinet file; \p Path is
/// for messages. Unpacks to memory that a temporary file backs. What expands
/// beyond any debug information is refused, as by decompressXz(). An
/// UnsupportedError if libarchive is not there.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
unpackCabinet(llvm::StringRef Bytes, llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_CABINET_H
