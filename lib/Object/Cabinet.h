//===- Cabinet.h - The file in a cabinet file -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Symbol servers store a.pdb as a.pd_, a cabinet file that contains one file,
/// compressed by makecab or symstore with MSZIP or LZX.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_CABINET_H
#define LIDIA_LIB_OBJECT_CABINET_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lidia {

/// The contents of the only file in \p Bytes, a whole cabinet file; \p Path is
/// for messages. Unpacks to memory that is backed by a temporary file. Like
/// decompressXz(), rejects input that expands more than debug information does.
/// Returns an UnsupportedError if libarchive is missing.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
unpackCabinet(llvm::StringRef Bytes, llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_CABINET_H
