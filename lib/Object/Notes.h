//===- Notes.h - The notes of an ELF file -----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_OBJECT_NOTES_H
#define LIDIA_LIB_OBJECT_NOTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Endian.h"

namespace lidia {

/// An entry of an SHT_NOTE section or a PT_NOTE segment. Points into its bytes.
struct Note {
  /// "GNU", "CORE", ..., without the terminating NUL.
  llvm::StringRef Owner;
  /// NT_GNU_BUILD_ID, NT_PRSTATUS, ...: each owner has its own types.
  uint32_t Type = 0;
  llvm::ArrayRef<uint8_t> Contents;
};

/// Calls \p Visit with the notes in \p Bytes, in order, until it returns false
/// or a note does not fit. \p Align is that of the section or segment. Notes
/// are aligned to 4 bytes or, in a few 64-bit files, to 8. (LLVM's iterator
/// asserts on other alignments.)
void forEachNote(llvm::ArrayRef<uint8_t> Bytes, uint64_t Align,
                 llvm::endianness Order,
                 llvm::function_ref<bool(const Note &)> Visit);

/// The build ID among the notes in \p Bytes; empty if there is none, or if it
/// has only zeros.
llvm::ArrayRef<uint8_t> findBuildID(llvm::ArrayRef<uint8_t> Bytes,
                                    uint64_t Align, llvm::endianness Order);

} // namespace lidia

#endif // LIDIA_LIB_OBJECT_NOTES_H
