//===- CompactUnwindTable.h - Apple's unwind table --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// __unwind_info of Mach-O files (mach-o/compact_unwind_encoding.h in LLVM's
/// libunwind): an index of pages, whose entries are functions.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_COMPACTUNWINDTABLE_H
#define LIDIA_LIB_UNWINDINFO_COMPACTUNWINDTABLE_H

#include "UnwindInfo.h"
#include <vector>

namespace lidia {
namespace unwindinfo {

/// The section __unwind_info, and the code to which it refers.
struct CompactSection {
  llvm::StringRef Bytes;
  uint64_t ImageBase = 0;
  /// Whether the section is for ARM64 or for x86-64.
  bool IsArm64 = false;
  LoadedImage Image;
};

/// The functions of a table, in order of address. A function has one row, which
/// is valid only at its calls, or none if call frame information has its rows
/// or if there is no unwind information. Linkers merge adjacent functions with
/// equal encodings into one.
class CompactUnwindTable {
public:
  explicit CompactUnwindTable(CompactSection Section)
      : Section(std::move(Section)),
        // Pages may overlap. No entry is smaller than four bytes.
        EntriesLeft(this->Section.Bytes.size() / 4) {}

  struct Function {
    uint64_t Begin;
    uint64_t End;
    uint32_t Encoding;
  };

  std::vector<Function> functions();

  /// Returns false if the encoding is invalid.
  bool visitRows(const Function &F, VisitRow Visit);

  /// The number of malformed parts of the section.
  uint64_t broken() const { return Broken; }

private:
  bool readPage(uint32_t At, uint32_t FirstFunction,
                std::vector<Function> &Into);
  std::optional<uint32_t> encodingAt(uint64_t Array, uint32_t Count,
                                     uint32_t Index) const;

  CompactSection Section;
  uint64_t EntriesLeft;
  /// Encodings that all pages share: their offset and number.
  uint32_t CommonEncodings = 0;
  uint32_t CommonCount = 0;
  uint64_t Broken = 0;
};

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_COMPACTUNWINDTABLE_H
