//===- ArmExceptionTable.h - Arm's exception tables -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// .ARM.exidx and .ARM.extab ("Exception Handling ABI for the Arm
/// Architecture", IHI0038, sections 6 and 7).
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_UNWINDINFO_ARMEXCEPTIONTABLE_H
#define LIDIA_LIB_UNWINDINFO_ARMEXCEPTIONTABLE_H

#include "UnwindInfo.h"
#include <vector>

namespace lidia {
namespace unwindinfo {

/// The section .ARM.exidx, and the data to which it refers.
struct ArmExceptionSection {
  llvm::StringRef Index;
  uint64_t Address = 0;
  bool IsLittleEndian = true;
  LoadedImage Image;
  /// The entry point of the program. Its first function has no caller, and the
  /// table says only that it cannot be unwound. 0 if unknown.
  uint64_t EntryPoint = 0;
  /// The maximum number of bytes of instructions read from outside the index.
  /// Each byte may belong to one function.
  uint64_t MaxBytes = 0;
};

/// The functions of an exception table. A function has one row, which is valid
/// only at its calls.
class ArmExceptionTable {
public:
  explicit ArmExceptionTable(ArmExceptionSection Section)
      : Section(std::move(Section)) {}

  struct Function {
    uint64_t Begin;
    uint64_t End;
    /// The address of the second word of its entry.
    uint64_t Content;
  };

  /// The functions, in the order of the section. Each extends to the next one,
  /// because the table has no end addresses.
  std::vector<Function> functions();

  /// Visits nothing if \p F says that it cannot be unwound. Returns false if
  /// its instructions are malformed or rules cannot express them, or if all
  /// instructions together exceed MaxBytes.
  bool visitRows(const Function &F, VisitRow Visit);

  /// The number of malformed entries.
  uint64_t broken() const { return Broken; }
  /// The number of runs of functions that cannot be unwound.
  uint64_t withoutRules() const { return WithoutRules; }

private:
  std::optional<uint32_t> word(llvm::StringRef Bytes, uint64_t Offset) const;
  bool appendTable(uint64_t Address, std::string &To);

  ArmExceptionSection Section;
  uint64_t Broken = 0;
  uint64_t WithoutRules = 0;
};

} // namespace unwindinfo
} // namespace lidia

#endif // LIDIA_LIB_UNWINDINFO_ARMEXCEPTIONTABLE_H
