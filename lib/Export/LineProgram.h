//===- LineProgram.h - Encodes .debug_line ----------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXPORT_LINEPROGRAM_H
#define LIDIA_LIB_EXPORT_LINEPROGRAM_H

#include "SectionWriter.h"
#include "lidia/Archive/Statements.h"
#include "llvm/ADT/ArrayRef.h"

namespace lidia {

/// The code from Address on belongs to this line.
struct LinePoint {
  uint64_t Address = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  /// Index in the unit's files.
  uint32_t File = 0;
  /// StatementFlag bits. With SF_Unknown the sequence ends here.
  uint8_t Flags = 0;
};

/// A file of a line table, by offsets into .debug_line_str, where the empty
/// text is at 0.
struct LineFile {
  uint32_t Path = 0;
  /// The file's contents; 0 if they are not known.
  uint32_t Source = 0;
};

/// Appends one line table (DWARF 5, section 6.2.4) to \p Out. The unit's own
/// file is the first of \p Files. \p Points ascend within each sequence. The
/// last point ends a sequence.
void writeLineTable(SectionWriter &Out, llvm::ArrayRef<LineFile> Files,
                    llvm::ArrayRef<LinePoint> Points);

} // namespace lidia

#endif // LIDIA_LIB_EXPORT_LINEPROGRAM_H
