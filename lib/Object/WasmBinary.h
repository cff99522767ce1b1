//===- WasmBinary.h - An open WebAssembly module ----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_WASMBINARY_H
#define LIDIA_LIB_OBJECT_WASMBINARY_H

#include "Binary.h"

namespace lidia {

/// Opens a linked WebAssembly module. Addresses are offsets in the code
/// section, as in its DWARF and in llvm-symbolizer. The only segment tells the
/// section's offset in the file, because engines count from the start of the
/// file.
///
/// Sections are the custom sections and ".text", the code section. .symtab is
/// the name section, and .dynsym the exports. The build ID is that of wasm-ld's
/// custom section build_id.
llvm::Expected<std::unique_ptr<Binary>>
openWasm(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_WASMBINARY_H
