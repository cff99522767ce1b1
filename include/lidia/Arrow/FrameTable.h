//===- FrameTable.h - Frames of rows as Arrow arrays ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARROW_FRAMETABLE_H
#define LIDIA_ARROW_FRAMETABLE_H

#include "lidia/Arrow/CDataInterface.h"
#include "lidia/Symbolize/AnswerCounts.h"
#include <cstddef>
#include <memory>
#include <vector>

namespace lidia::arrow {

/// Values of type \p T that may be null, in Arrow's layout.
template <typename T> struct NullableValues {
  std::vector<T> Values;
  /// A bit for each value, set if the value is valid.
  std::vector<uint8_t> Valid;
  size_t Nulls = 0;

  /// Makes room for \p Count values, all valid.
  void resize(size_t Count) {
    Values.resize(Count);
    Valid.assign((Count + 7) / 8, 0xff);
  }
  void setNull(size_t I) {
    Valid[I / 8] &= uint8_t(~(1U << (I % 8)));
    ++Nulls;
  }
};

/// Distinct texts, in Arrow's layout.
struct Texts {
  /// The offset of each text, and the end of the last one.
  std::vector<int32_t> Offsets{0};
  std::vector<char> Bytes;

  size_t size() const { return Offsets.size() - 1; }
};

/// The result of symbolize() (TableSymbolizer.h): the frames of each row,
/// innermost first, or the reason why a row has none.
struct FrameTable {
  /// The rows of one array.
  struct Chunk {
    size_t Rows = 0;
    /// The index of each row's first frame, and the end of the last row's
    /// frames.
    NullableValues<int32_t> Offsets;
    /// For each frame, indices in FunctionNames and FileNames; null if unknown.
    NullableValues<int32_t> Functions;
    NullableValues<int32_t> Files;
    /// Null if unknown.
    NullableValues<uint32_t> Lines;
    /// A bit for each frame: whether it was inlined into the next.
    std::vector<uint8_t> Inlined;
    /// For each row, an index in ReasonTexts; null for rows that have frames
    /// and for rows without an address or a build ID.
    NullableValues<int32_t> Reasons;
    /// For each row, a MissCode, which is the index of its name in MissNames;
    /// null for rows with a name and a line, and for rows without an address or
    /// a build ID.
    NullableValues<int32_t> Misses;
  };

  std::vector<Chunk> Chunks;
  /// The texts of all chunks.
  Texts FunctionNames;
  Texts FileNames;
  Texts ReasonTexts;
  /// The names of all codes.
  Texts MissNames;
  /// The rows with an address and a build ID. Origins are counted if
  /// TableRequest::CountOrigins is set.
  AnswerCounts Answers;
};

/// A column of the table.
enum class Column {
  /// list<struct<function: dictionary<int32, utf8>, file: the same, line:
  /// uint32, inlined: bool>>
  Frames,
  /// dictionary<int32, utf8>
  Reasons,
  /// dictionary<int32, utf8>
  Misses,
};

/// Stores the type of \p C in \p To, which the caller releases.
void exportType(Column C, ArrowSchema &To);
/// Stores \p C of the chunk with the index \p Chunk in \p To, which the caller
/// releases. Nothing is copied: \p To shares ownership of \p Table.
void exportArray(const std::shared_ptr<const FrameTable> &Table, Column C,
                 size_t Chunk, ArrowArray &To);
/// Stores a stream of \p C of all chunks in \p To, which the caller releases.
void exportStream(std::shared_ptr<const FrameTable> Table, Column C,
                  ArrowArrayStream &To);

} // namespace lidia::arrow

#endif // LIDIA_ARROW_FRAMETABLE_H
