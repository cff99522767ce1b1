//===- ELFBuildID.h - The build ID of an ELF file ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_ELFBUILDID_H
#define LIDIA_LIB_OBJECT_ELFBUILDID_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <vector>

namespace lidia {

/// Reads the bytes of a file at an offset, and returns their number, which is
/// less than requested at the end of the file, before a gap and after an error.
using ReadBytesAt =
    llvm::function_ref<size_t(uint64_t, llvm::MutableArrayRef<uint8_t>)>;

/// The build ID of an ELF file of any class and byte order; empty if it has
/// none, or if the bytes that \p Read returns are not an ELF file.
///
/// Searches note sections, then note segments. Go's linker writes the build ID
/// to a section that no PT_NOTE covers. Files without section headers, and most
/// modules in the memory of a process, have only segments. The segments of a
/// debug file may refer to contents that were removed.
///
/// Reads at most 1 MiB of notes.
std::vector<uint8_t> readELFBuildID(ReadBytesAt Read);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_ELFBUILDID_H
