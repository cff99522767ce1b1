//===- PDBLines.h - Lines of a module ---------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBLINES_H
#define LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBLINES_H

#include "Object/PDBFile.h"
#include "PDBNames.h"
#include "llvm/ADT/DenseMap.h"

namespace lidia {

/// A position in the source, with the number of its file in the module.
struct PDBPosition {
  uint32_t File = UINT32_MAX;
  /// Zero if the code belongs to no line.
  uint32_t Line = 0;
  uint32_t Column = 0;

  bool operator==(const PDBPosition &O) const {
    return File == O.File && Line == O.Line && Column == O.Column;
  }
  bool operator!=(const PDBPosition &O) const { return !(*this == O); }
};

/// Code from Address up to the next row is from Position.
struct PDBRow {
  uint32_t Address = 0;
  PDBPosition Position;
};

/// A run of code.
struct PDBArea {
  uint32_t Start = 0;
  uint32_t End = 0;
};

/// The lines of a module's code, and the positions where its inlined functions
/// begin.
class PDBLines {
public:
  /// \p Names is the table of file names. Both must outlive this object.
  PDBLines(const PDBFile &File, llvm::StringRef Names)
      : File(File), Names(Names), Reader(Names.size()) {}

  /// Replaces the contents with those of \p Bytes, the line information of a
  /// module, which must stay valid while this object is used. Returns false if
  /// a broken part was left out.
  bool read(llvm::StringRef Bytes);

  /// By address. Where lines end, a row without a file follows.
  llvm::ArrayRef<PDBRow> rows() const { return Rows; }
  /// The runs of code that have lines, in any order.
  llvm::ArrayRef<PDBArea> areas() const { return Areas; }
  /// The position where the inlined function \p Id begins.
  PDBPosition beginOf(uint32_t Id) const {
    return Begins.lookup(std::min(Id, PDBNames::MaxID));
  }
  /// The path of \p File, empty if it is not known.
  llvm::StringRef path(uint32_t File);

  static constexpr uint32_t NoFile = UINT32_MAX;

private:
  void readLines(llvm::StringRef Bytes);
  bool readBlock(llvm::StringRef Bytes, uint64_t &At, uint16_t Section,
                 uint32_t Offset, bool HasColumns);
  void readBegins(llvm::StringRef Bytes);
  void sortRows();

  const PDBFile &File;
  llvm::StringRef Names;
  /// Bounds what is read for names.
  NameReader Reader;
  std::vector<PDBRow> Rows;
  std::vector<PDBArea> Areas;
  llvm::DenseMap<uint32_t, PDBPosition> Begins;
  llvm::StringRef Checksums;
  llvm::DenseMap<uint32_t, llvm::StringRef> Paths;
  bool IsSound = true;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_SYMBOLFILES_PDBLINES_H
