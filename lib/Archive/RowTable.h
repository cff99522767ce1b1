//===- RowTable.h - The rows of an archive being written --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_ARCHIVE_ROWTABLE_H
#define LIDIA_LIB_ARCHIVE_ROWTABLE_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveWriter.h"
#include "lidia/Archive/Fields.h"
#include <vector>

namespace lidia {

/// The line table of an archive being written, with the extension's tables that
/// go with it: rows of other files (RFIL) and columns (RCOL).
///
/// Thousands of templates, constructors and small accessors have the same rows,
/// so each run of rows is looked up before it is stored.
class RowTable {
public:
  RowTable(bool ForeignFiles, bool Columns);

  /// The location of a range's rows.
  struct Run {
    uint64_t First = 0;
    uint64_t Count = 0;
  };

  /// Stores \p Rows, without redundant rows, for a range whose file is
  /// \p RangeFile, unless an equal run is stored already.
  Run add(llvm::ArrayRef<ArchiveRow> Rows, StringOffset RangeFile);

  uint64_t size() const { return Lines.size() / 2; }
  /// Row \p Row as Archive::row() will return it, for a range whose file is
  /// \p RangeFile.
  RowEntry row(uint64_t Row, StringOffset RangeFile) const;
  const FieldArray &lines() const { return Lines; }
  const FieldArray &foreignRows() const { return Foreign; }
  const FieldArray &columns() const { return RowColumns; }

private:
  /// A stored row. Runs are compared by all of its members.
  struct StoredRow {
    uint32_t Offset = 0;
    /// Stored in the line table, or in RFIL for a row of another file.
    uint32_t Line = 0;
    uint32_t Column = 0;
    uint32_t IsForeign = 0;
    /// Zero for a row of the range's own file.
    uint64_t File = 0;

    bool operator==(const StoredRow &R) const {
      return Offset == R.Offset && samePosition(R);
    }
    bool samePosition(const StoredRow &R) const {
      return Line == R.Line && Column == R.Column && IsForeign == R.IsForeign &&
             File == R.File;
    }
  };
  using RowRef = llvm::ArrayRef<StoredRow>;

  /// A run that can be found again: the hash of its rows and its first row.
  struct Slot {
    uint32_t Hash;
    /// The first row plus one; zero for an empty slot.
    uint32_t First;
  };

  StoredRow normalise(const ArchiveRow &Row, StringOffset RangeFile) const;
  void collect(llvm::ArrayRef<ArchiveRow> Rows, StringOffset RangeFile);
  static uint32_t hash(RowRef Rows);
  /// The slot of a run equal to \p Rows, or the empty one where it belongs.
  Slot &find(RowRef Rows, uint32_t Hash);
  bool isStoredAt(uint64_t First, RowRef Rows) const;
  StoredRow load(uint64_t Row) const;
  uint64_t store(RowRef Rows);
  void remember(Slot &S, uint32_t Hash, uint64_t First);
  void grow();

  bool ForeignFiles;
  bool Columns;
  FieldArray Lines{2};
  FieldArray Foreign{4};
  FieldArray RowColumns{1};
  /// A power of two in size, at most three quarters full.
  std::vector<Slot> Slots;
  uint64_t SlotsUsed = 0;
  /// The run being added, kept to reuse its memory.
  llvm::SmallVector<StoredRow, 64> Current;
};

} // namespace lidia

#endif // LIDIA_LIB_ARCHIVE_ROWTABLE_H
