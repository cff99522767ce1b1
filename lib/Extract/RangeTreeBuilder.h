//===- RangeTreeBuilder.h - Builds trees of ranges --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_RANGETREEBUILDER_H
#define LIDIA_LIB_EXTRACT_RANGETREEBUILDER_H

#include "Range.h"

namespace lidia {

/// Real programs do not nest inlined calls deeper than this.
inline constexpr uint32_t DeepestCall = 1000;

/// Appends trees of ranges to \p Out, for a source that visits the code of a
/// function in ascending order of address. Open ranges nest until the source
/// closes them; rows belong to the innermost open range.
class RangeTreeBuilder {
public:
  /// Keeps rows only if \p Lines.
  RangeTreeBuilder(RangeTrees &Out, bool Lines) : Out(Out), Lines(Lines) {}

  /// The number of open ranges.
  size_t depth() const { return OpenCount; }
  /// The open range of depth \p Depth. Its end is not known yet.
  Range &range(size_t Depth) { return Out.Ranges[Open[Depth].Index]; }
  /// The index in Out of the open range of depth \p Depth.
  size_t index(size_t Depth) const { return Open[Depth].Index; }
  /// The number that the source assigned to the open range of depth \p Depth.
  uint32_t &item(size_t Depth) { return Open[Depth].Item; }

  /// Opens \p R inside the innermost open range.
  void open(Range R, uint32_t Item);
  /// Closes all open ranges of depth \p Depth and more at \p End.
  void close(size_t Depth, uint64_t End);
  /// Adds \p R, which is in force from \p Address on, and sets its offset.
  /// Omits a row that repeats the previous position unless \p KeepRepeated.
  void addRow(uint64_t Address, Row R, bool KeepRepeated = false);

  /// The size of Out while no range is open, for drop().
  struct Mark {
    size_t Ranges;
    size_t Rows;
  };
  Mark mark() const { return {Out.Ranges.size(), Out.Rows.size()}; }
  /// Drops all ranges since \p M, open or not.
  void drop(Mark M);

private:
  struct OpenRange {
    uint32_t Item = 0;
    size_t Index = 0;
    /// The call file of the first call in the range.
    StringID CallFile = 0;
    std::vector<Row> Rows;
  };

  RangeTrees &Out;
  bool Lines;
  /// By depth. The first OpenCount are open; the others are kept to reuse their
  /// memory.
  std::vector<OpenRange> Open;
  size_t OpenCount = 0;
};

/// Whether no answer can distinguish the calls \p A and \p B in the same range.
inline bool sameCall(const Range &A, const Range &B) {
  return A.Name == B.Name && A.CallFile == B.CallFile &&
         A.CallLine == B.CallLine && A.CallColumn == B.CallColumn;
}

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_RANGETREEBUILDER_H
