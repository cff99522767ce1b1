//===- COFFBinary.h - A PE/COFF image, opened -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_COFFBINARY_H
#define LIDIA_LIB_OBJECT_COFFBINARY_H

#include "Binary.h"

namespace lidia {

/// Puts the machine \p Machine, of COFF::MachineTypes, into \p Identity. False
/// if it is not known.
bool setCOFFMachine(uint16_t Machine, ELFIdentity &Identity);

/// Opens a PE image (an executable or a DLL), 32 or 64 bits. Addresses are
/// those of the image at its preferred base, as in its DWARF.
///
/// In ELF's terms, .symtab is the COFF symbol table and .dynsym the export
/// table. The build ID is the identifier that CodeView's record in the debug
/// directory gives, as LLDB shows it: the GUID as it is written, and the age,
/// big-endian, unless that is 0.
llvm::Expected<std::unique_ptr<Binary>>
openCOFF(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_COFFBINARY_H
