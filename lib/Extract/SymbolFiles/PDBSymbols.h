//===- PDBSymbols.h - Records of CodeView's symbols -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBSYMBOLS_H
#define LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBSYMBOLS_H

#include "Object/FileBytes.h"
#include "llvm/DebugInfo/CodeView/CodeView.h"
#include "llvm/Support/Endian.h"

namespace lidia::pdb {

/// The beginning of all records. The size does not include itself.
struct RecordHeader {
  llvm::support::ulittle16_t Size;
  llvm::support::ulittle16_t Kind;
};

/// S_GPROC32, S_LPROC32 and those with _ID: a function. Its name follows.
struct Procedure {
  llvm::support::ulittle32_t Parent;
  llvm::support::ulittle32_t End;
  llvm::support::ulittle32_t Next;
  llvm::support::ulittle32_t Size;
  llvm::support::ulittle32_t DebugStart;
  llvm::support::ulittle32_t DebugEnd;
  llvm::support::ulittle32_t Type;
  llvm::support::ulittle32_t Offset;
  llvm::support::ulittle16_t Section;
  uint8_t Flags;
};
static_assert(sizeof(Procedure) == 35);

/// S_THUNK32: code that calls a function. Its name follows.
struct Thunk {
  llvm::support::ulittle32_t Parent;
  llvm::support::ulittle32_t End;
  llvm::support::ulittle32_t Next;
  llvm::support::ulittle32_t Offset;
  llvm::support::ulittle16_t Section;
  llvm::support::ulittle16_t Size;
  uint8_t Ordinal;
};
static_assert(sizeof(Thunk) == 21);

/// S_SEPCODE: a piece of a function that is separate from the rest.
struct SeparatedCode {
  llvm::support::ulittle32_t Parent;
  llvm::support::ulittle32_t End;
  llvm::support::ulittle32_t Size;
  llvm::support::ulittle32_t Flags;
  llvm::support::ulittle32_t Offset;
  llvm::support::ulittle32_t ParentOffset;
  llvm::support::ulittle16_t Section;
  llvm::support::ulittle16_t ParentSection;
};
static_assert(sizeof(SeparatedCode) == 28);

/// S_INLINESITE: an inlined call. Annotations follow; in S_INLINESITE2, how
/// often it was executed comes first.
struct InlineSite {
  llvm::support::ulittle32_t Parent;
  llvm::support::ulittle32_t End;
  llvm::support::ulittle32_t Inlinee;
};

/// S_PUB32: a symbol of the linker. Its name follows.
struct Public {
  llvm::support::ulittle32_t Flags;
  llvm::support::ulittle32_t Offset;
  llvm::support::ulittle16_t Section;
};
static_assert(sizeof(Public) == 10);

/// The name at \p Offset of a record, cut at the end of the record.
inline llvm::StringRef nameAt(llvm::StringRef Record, uint64_t Offset) {
  return Record.substr(Offset).split('\0').first;
}

} // namespace lidia::pdb

#endif // LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBSYMBOLS_H
