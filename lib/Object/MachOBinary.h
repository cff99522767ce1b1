//===- MachOBinary.h - An open Mach-O file ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_MACHOBINARY_H
#define LIDIA_LIB_OBJECT_MACHOBINARY_H

#include "Binary.h"

namespace lidia {

/// The architectures of the files in the universal file that begins with
/// \p FirstBytes (1 KiB suffices); empty for any other file.
std::vector<std::string> architecturesOf(llvm::StringRef FirstBytes);

/// Opens a linked Mach-O file or the file in a dSYM bundle, 32 or 64 bits,
/// little-endian. \p Architecture ("arm64") selects one of the files in a
/// universal file; it may be empty if there is only one. Fails if the file has
/// another architecture.
///
/// A section "__x" of the file is called ".x", as in ELF, and symbol names do
/// not have the underscore that C adds. The build ID is that of LC_UUID.
llvm::Expected<std::unique_ptr<Binary>>
openMachO(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path,
          llvm::StringRef Architecture);

/// The files with debug information in the bundle \p Path ("program.dSYM"), in
/// alphabetical order; empty if it is not a bundle.
std::vector<std::string> filesOfBundle(llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_MACHOBINARY_H
