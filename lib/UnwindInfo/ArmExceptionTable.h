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

/// The section .ARM.exidx, and what it refers to.
struct ArmExceptionSection {
  llvm::StringRef Index;
  uint64_t Address = 0;
  bool IsLittleEndian = true;
  LoadedImage Image;
  /// Where the program starts: its first function has no caller, and the table
  /// says of it only that it cannot be unwound. 0 if not known.
  uint64_t EntryPoint = 0;
  /// How many bytes of instructions outside the index are read. Each may belong
  /// to one function.
  uint64_t MostBytes = 0;
};

/// The functions of an exception table. A function has one row, which holds at
/// its calls only.
class ArmExceptionTable {
public:
  explicit ArmExceptionTable(ArmExceptionSection Section)
      : Section(std::move(Section)) {}

  struct Function {
    uint64_t Begin;
    uint64_t End;
    /// The address of its entry's second word.
    uint64_t Content;
  };

  /// The functions, in the order of the section. Each reaches to the next one:
  /// no end is known.
  std::vector<Function> functions();

  /// Visits nothing if \p F says that it cannot be unwound. False if its
  /// instructions are malformed or do what rules cannot say, or if all together
  /// have more bytes than may be read.
  bool visitRows(const Function &F, VisitRow Visit);

  /// Entries that are malformed.
  uint64_t broken() const { return Broken; }
  /// Runs of functions that say that they cannot be unwound.
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
