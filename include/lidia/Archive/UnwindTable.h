//===- UnwindTable.h - How to find callers' frames --------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The UNWD section of an archive (docs/Format.md): for each address of code,
/// how to compute the caller's registers. It holds the information of DWARF's
/// call frame information (DWARF 5, section 6.4) in one table.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_ARCHIVE_UNWINDTABLE_H
#define LIDIA_ARCHIVE_UNWINDTABLE_H

#include "lidia/Archive/Format.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// How the value of one register in the caller is found.
struct RegisterRule {
  /// These numbers are stored in archives.
  enum class Kind : uint8_t {
    /// The value is lost. For the return address: there is no caller.
    Undefined = 0,
    /// The value is unchanged.
    Same = 1,
    /// The value is in memory at CFA + Offset.
    AtCFA = 2,
    /// The value is CFA + Offset.
    IsCFA = 3,
    /// The value is in the register Register.
    Register = 4,
    /// The value is in memory at the address that Expression computes.
    AtExpression = 5,
    /// The value is the result of Expression.
    IsExpression = 6,
    /// The value is in memory at the address in the register Register, plus
    /// Offset.
    AtRegister = 7,
    /// The value is that of the register Register, plus Offset.
    IsRegister = 8,
  };

  Kind How = Kind::Same;
  /// DWARF's number of a register.
  uint32_t Register = 0;
  int64_t Offset = 0;
  /// A DWARF expression, which starts with the CFA on the stack.
  llvm::ArrayRef<uint8_t> Expression;
};

/// The rules for a run of addresses. A register without a rule is Same if
/// callees preserve it, and lost otherwise; the stack pointer is the CFA.
struct UnwindRules {
  /// Of kind IsRegister, IsExpression or AtRegister.
  RegisterRule CFA;
  /// The register whose rule gives the return address.
  uint32_t ReturnAddress = 0;
  /// Whether the frame belongs to a signal trampoline ('S' in a CIE's
  /// augmentation): the address in the interrupted frame is then not a return
  /// address.
  bool IsSignalFrame = false;
  /// Whether the caller did not call the function but faulted, and was made to
  /// look like a caller (Go's runtime.sigpanic): its address is that of the
  /// faulting instruction.
  bool IsFaultFrame = false;
  /// Whether the return address is signed (AArch64's pointer authentication).
  bool IsSigned = false;
  /// Whether the rules hold only at the function's calls, and not before its
  /// frame is complete (.ARM.exidx, __unwind_info). A row with such rules
  /// covers one function or, in Mach-O files, several functions with the same
  /// rules.
  bool HoldAtCallsOnly = false;
  /// The rules of registers, in ascending order of register.
  llvm::SmallVector<std::pair<uint32_t, RegisterRule>, 8> Registers;

  /// The rule of \p Register; null if it has none.
  const RegisterRule *find(uint32_t Register) const {
    for (const auto &[Number, Rule] : Registers)
      if (Number == Register)
        return &Rule;
    return nullptr;
  }
};

/// A run of addresses with the same rules.
struct UnwindRow {
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// The number of the rules; see UnwindTable::rules().
  uint32_t Rules = 0;
};

/// The unwind rows of an archive, by the archive's addresses. This is a view:
/// the bytes passed to open() must outlive it. Thread-safe.
class UnwindTable {
public:
  UnwindTable() = default;

  /// Opens the section \p Bytes of the archive \p Name. The error says that the
  /// header or the sizes of parts or rules are invalid. Takes time in
  /// proportion to the number of rules, which is small.
  static llvm::Expected<UnwindTable> open(llvm::StringRef Bytes,
                                          llvm::StringRef Name = {});

  uint64_t rowCount() const { return RowCount; }
  uint32_t ruleCount() const { return uint32_t(RuleOffsets.size()); }
  bool empty() const { return RowCount == 0; }

  /// The row that covers \p Address. None if there are no rules for the
  /// address. Takes a binary search and reads at most 128 rows.
  std::optional<UnwindRow> find(uint64_t Address) const;

  /// The rules with the number \p Number, from 1 on. None if there are no such
  /// rules, or their bytes are invalid.
  std::optional<UnwindRules> rules(uint32_t Number) const;

  /// Calls \p Visit for each row that has rules, in order of address. The error
  /// names the first invalid row.
  llvm::Error
  forEachRow(llvm::function_ref<void(const UnwindRow &)> Visit) const;

private:
  struct Block;

  uint64_t address(uint64_t Units) const {
    return Base + std::min(Units << Shift, UINT64_MAX - Base);
  }
  uint64_t firstOf(uint64_t BlockIndex) const;
  std::optional<Block> block(uint64_t Index) const;

  llvm::Error broken(const llvm::Twine &Message) const;

  llvm::StringRef Name;
  uint64_t Base = 0;
  uint64_t RowCount = 0;
  uint64_t BlockCount = 0;
  unsigned Shift = 0;
  uint32_t ReturnAddress = 0;
  uint8_t Word = 8;
  llvm::StringRef Index;
  llvm::StringRef RuleBytes;
  llvm::StringRef Rows;
  /// Element I is the offset in RuleBytes of the rules with the number I + 1,
  /// which begin with their size.
  std::vector<uint32_t> RuleOffsets;
};

/// Builds the section UNWD.
class UnwindTableBuilder {
public:
  /// In most rows, the rule of the register \p ReturnAddress gives the return
  /// address. All addresses must be multiples of 1 << \p Shift. Registers have
  /// \p Word bytes. All rules together may take at most \p MaxRuleBytes.
  explicit UnwindTableBuilder(uint32_t ReturnAddress, unsigned Shift = 0,
                              uint64_t MaxRuleBytes = 1 << 20,
                              uint8_t Word = 8);
  ~UnwindTableBuilder();
  UnwindTableBuilder(UnwindTableBuilder &&);
  UnwindTableBuilder &operator=(UnwindTableBuilder &&);

  /// The number that stands for \p Rules in rows, which is the same for equal
  /// rules. None if the rules would take too many bytes, or if this was called
  /// too often for rules of this size.
  std::optional<uint32_t> intern(const UnwindRules &Rules);

  /// Adds \p Row. Add rows in order of address. The error says that the row is
  /// empty, begins before the end of the previous row, has a number that
  /// intern() did not return, or has an address that is not a multiple of 1 <<
  /// Shift.
  llvm::Error addRow(const UnwindRow &Row);

  /// The contents of the section. Adjacent rows with the same rules are merged,
  /// unless the rules hold only at calls. Rules are renumbered from 1 on in
  /// order of use, the most frequent first. None if the section cannot hold the
  /// rows, because there are too many or they span too many addresses.
  std::optional<std::string> bytes() const;

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_UNWINDTABLE_H
