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
/// how the caller's registers follow from a function's. It says what DWARF's
/// call frame information says (DWARF 5, section 6.4), as one table.
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
  /// The values are stored in archives.
  enum class Kind : uint8_t {
    /// It is lost. For the return address: there is no caller.
    Undefined = 0,
    /// It is what it is.
    Same = 1,
    /// It is in memory at CFA + Offset.
    AtCFA = 2,
    /// It is CFA + Offset.
    IsCFA = 3,
    /// It is in the register Register.
    Register = 4,
    /// It is in memory at the address that Expression computes.
    AtExpression = 5,
    /// It is what Expression computes.
    IsExpression = 6,
    /// It is in memory at the register Register, plus Offset.
    AtRegister = 7,
    /// It is the register Register, plus Offset.
    IsRegister = 8,
  };

  Kind How = Kind::Same;
  /// Of DWARF's numbers.
  uint32_t Register = 0;
  int64_t Offset = 0;
  /// An expression of DWARF, with the CFA on the stack at its beginning.
  llvm::ArrayRef<uint8_t> Expression;
};

/// The rules for a run of addresses. A register without a rule is Same if
/// callees preserve it, and lost otherwise; the stack pointer is the CFA.
struct UnwindRules {
  /// IsRegister or IsExpression; or AtRegister.
  RegisterRule CFA;
  /// The register whose rule gives the return address.
  uint32_t ReturnAddress = 0;
  /// Whether it is the frame of a signal's return code: the address in the
  /// caller is no return address ('S' in a CIE's augmentation).
  bool IsSignalFrame = false;
  /// Whether the return address is signed (AArch64's pointer authentication).
  bool IsSigned = false;
  /// Whether the rules hold at the function's calls only, and not before its
  /// frame is complete (.ARM.exidx, __unwind_info). A row with such rules is
  /// one function, or of Mach-O files several that are alike.
  bool HoldAtCallsOnly = false;
  /// By register, ascending.
  llvm::SmallVector<std::pair<uint32_t, RegisterRule>, 8> Registers;

  /// Null if it has none.
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

/// The rows of an archive, of its own addresses. A view: what it is opened over
/// must outlive it. Safe for threads.
class UnwindTable {
public:
  UnwindTable() = default;

  /// Opens the section \p Bytes of the archive \p Name. The error says that the
  /// header, or the sizes of parts or rules, make no sense. Costs a step for
  /// each of the rules, of which there are few.
  static llvm::Expected<UnwindTable> open(llvm::StringRef Bytes,
                                          llvm::StringRef Name = {});

  uint64_t rowCount() const { return RowCount; }
  uint32_t ruleCount() const { return uint32_t(RuleOffsets.size()); }
  bool empty() const { return RowCount == 0; }

  /// The row that covers \p Address. None if there are no rules there. Costs a
  /// binary search and reading at most 128 rows.
  std::optional<UnwindRow> find(uint64_t Address) const;

  /// The rules number \p Number, from 1 on. None if there are no such rules, or
  /// their bytes make no sense.
  std::optional<UnwindRules> rules(uint32_t Number) const;

  /// Calls \p Visit for each row that has rules, in order of address. The error
  /// names the first row that makes no sense.
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
  /// Where rules number I + 1 begin in RuleBytes: with their size.
  std::vector<uint32_t> RuleOffsets;
};

/// Makes the section UNWD.
class UnwindTableBuilder {
public:
  /// The rules of most rows give the return address as that of the register
  /// \p ReturnAddress. All addresses are multiples of 1 << \p Shift, and
  /// registers have \p Word bytes. All rules together take at most
  /// \p MostRuleBytes.
  explicit UnwindTableBuilder(uint32_t ReturnAddress, unsigned Shift = 0,
                              uint64_t MostRuleBytes = 1 << 20,
                              uint8_t Word = 8);
  ~UnwindTableBuilder();
  UnwindTableBuilder(UnwindTableBuilder &&);
  UnwindTableBuilder &operator=(UnwindTableBuilder &&);

  /// The number that stands for \p Rules in rows that are added, the same for
  /// equal rules; none if rules take too
  /// much, or are asked for too often for their size.
  std::optional<uint32_t> intern(const UnwindRules &Rules);

  /// Adds \p Row, in order of address. The error says that it is empty, begins
  /// before the end of the row before it, has a number that intern() did not
  /// give, or an address that is no multiple.
  llvm::Error addRow(const UnwindRow &Row);

  /// The section: rows that follow each other and are equal are one, unless
  /// they hold at calls only; rules have new numbers, from 1 on, by how often
  /// they are used. None if the section cannot hold the rows: too many, or over
  /// too many addresses.
  std::optional<std::string> bytes() const;

private:
  class Impl;
  std::unique_ptr<Impl> P;
};

} // namespace lidia

#endif // LIDIA_ARCHIVE_UNWINDTABLE_H
