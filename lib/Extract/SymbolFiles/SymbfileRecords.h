//===- SymbfileRecords.h - The records of a symbfile ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_SYMBFILERECORDS_H
#define LIDIA_LIB_EXTRACT_SYMBFILERECORDS_H

#include "Object/SymbolFile.h"
#include <optional>
#include <vector>

namespace lidia::symbfile {

/// Code of a function, or of a call that is inlined into one, with one source
/// file. symblib splits a function or call where its file changes.
struct Range {
  /// End is exclusive, and not below Start.
  uint64_t Start = 0;
  uint64_t End = 0;
  /// Zero for the function itself.
  uint32_t Depth = 0;
  llvm::StringRef Name;
  llvm::StringRef File;
  /// Where a call is; none for the file of the range that it is inlined into.
  std::optional<llvm::StringRef> CallFile;
  uint32_t CallLine = 0;
  /// Its rows in Records::Rows.
  size_t FirstRow = 0;
  size_t EndRow = 0;
};

/// Code from Address on belongs to Line, up to the next row of its range. The
/// rows of a range ascend and are inside of it.
struct Row {
  uint64_t Address = 0;
  /// Zero if unknown.
  uint32_t Line = 0;
};

/// A function or call of a return pad.
struct PadFrame {
  llvm::StringRef Name;
  llvm::StringRef File;
  /// That of the call of the next frame; for the last one, that of the code.
  uint32_t Line = 0;
};

/// A return address.
struct Pad {
  /// The return address minus one.
  uint64_t Address = 0;
  /// Its frames in Records::Frames, the outermost function first. There is at
  /// least one.
  size_t FirstFrame = 0;
  size_t EndFrame = 0;
};

/// All records of a file, in their order. Strings point into the file.
struct Records {
  std::vector<Range> Ranges;
  std::vector<Row> Rows;
  std::vector<Pad> Pads;
  std::vector<PadFrame> Frames;
  /// Records that were left out, or are without their rows.
  uint64_t Broken = 0;
};

/// Adds the records of \p File to \p Result. What is broken is left out and
/// counted. Fails if the file ends within a message; \p Result then has the
/// records before it.
llvm::Error readRecords(const SymbolFile &File, Records &Result);

} // namespace lidia::symbfile

#endif // LIDIA_LIB_EXTRACT_SYMBFILERECORDS_H
