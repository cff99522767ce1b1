//===- LoadSegments.h - Where code is loaded from ---------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Profilers record an address with the mapping that contains it, which is a
/// part of a file. Only the binary's program headers say which address of the
/// binary this is. The section LOAD (docs/Format.md) has the program headers of
/// its code, so that a profile can be symbolized without the binary.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_LOADSEGMENTS_H
#define LIDIA_ARCHIVE_LOADSEGMENTS_H

#include "lidia/Archive/Archive.h"

namespace lidia {

/// An executable segment (PT_LOAD) whose bytes are all in the file.
struct LoadSegment {
  /// The first address, as in the binary's symbol table.
  uint64_t Address = 0;
  /// The offset of the first byte in the binary.
  uint64_t Offset = 0;
  /// In bytes.
  uint64_t Size = 0;
};

/// The segments of the binary that an archive was made from. Not copied: the
/// archive must outlive it. Values are as untrusted as the archive.
class LoadSegments {
public:
  explicit LoadSegments(const Archive &A)
      : Fields(A.array(format::ET_LoadSegments).value_or(FieldView())) {}

  /// The number of segments. Zero if the archive was made from a file without
  /// code, such as a debug file, or from a file that is not ELF.
  uint64_t size() const { return Fields.Count / FieldsPerEntry; }

  /// The segment at \p Index, which must be below size(). Segments are in
  /// ascending order of address.
  LoadSegment operator[](uint64_t Index) const {
    uint64_t I = Index * FieldsPerEntry;
    return {Fields[I], Fields[I + 1], Fields[I + 2]};
  }

private:
  static constexpr unsigned FieldsPerEntry = 3;

  FieldView Fields;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_LOADSEGMENTS_H
