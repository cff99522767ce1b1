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

/// The section __unwind_info, and what it refers to.
struct CompactSection {
  llvm::StringRef Bytes;
  uint64_t ImageBase = 0;
  /// Whether it is for ARM64, not for x86-64.
  bool IsArm64 = false;
  LoadedImage Image;
};

/// The functions of a table, which are in the order of their addresses. A
/// function has one row, which holds at its calls only, or none: call frame
/// information has it, or nothing. Linkers make one function of those that
/// follow each other and are alike.
class CompactUnwindTable {
public:
  explicit CompactUnwindTable(CompactSection Section)
      : Section(std::move(Section)),
        // Pages may overlap. No entry is smaller.
        EntriesLeft(this->Section.Bytes.size() / 4) {}

  struct Function {
    uint64_t Begin;
    uint64_t End;
    uint32_t Encoding;
  };

  std::vector<Function> functions();

  /// False if the encoding makes no sense.
  bool visitRows(const Function &F, VisitRow Visit);

  /// Parts of the section that are malformed.
  uint64_t broken() const { return Broken; }

private:
  bool readPage(uint32_t At, uint32_t FirstFunction,
                std::vector<Function> &Into);
  std::optional<uint32_t> encodingAt(uint64_t Array, uint32_t Count,
                                     uint32_t Index) const;

  CompactSection Section;
  uint64_t EntriesLeft;
  /// Encodings that all pages share: their offset, and how many they are.
  uint32_t CommonEncodings = 0;
  uint32_t CommonCount = 0;
  uint64_t Broken = 0;
};

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_COMPACTUNWINDTABLE_H
