//===- COFFBinary.h - An open PE/COFF image ---------------------*- C++ -*-===//
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

/// Sets the machine in \p Identity to \p Machine, of COFF::MachineTypes.
/// Returns false for an unknown machine.
bool setCOFFMachine(uint16_t Machine, ELFIdentity &Identity);

/// Opens a PE image (an executable or a DLL) or a COFF object, 32 or 64 bits.
/// Addresses are those of the image at its preferred base, as in its DWARF;
/// those of an object are assigned, as for ELF (SectionLayout.h).
///
/// In ELF's terms, .symtab is the COFF symbol table and .dynsym the export
/// table. The build ID is the identifier in the CodeView record of the debug
/// directory, as LLDB shows it: the GUID in its usual notation, and the age,
/// big-endian, unless the age is 0.
llvm::Expected<std::unique_ptr<Binary>>
openCOFF(std::unique_ptr<llvm::MemoryBuffer> Buffer, llvm::StringRef Path);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_COFFBINARY_H
