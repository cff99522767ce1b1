//===- CFIExpression.h - The expressions of STACK CFI records ---*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_EXTRACT_CFIEXPRESSION_H
#define LIDIA_LIB_EXTRACT_CFIEXPRESSION_H

#include "lidia/Archive/UnwindTable.h"
#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/StringMap.h"

namespace lidia {

/// The registers of a machine by their names in symbol files, with and without
/// a leading "$".
class CFIRegisters {
public:
  explicit CFIRegisters(const UnwindMachine &Machine);

  /// DWARF's number of the register \p Name.
  std::optional<uint32_t> find(llvm::StringRef Name) const;

private:
  llvm::StringMap<uint32_t> Numbers;
};

/// An expression in the form of an archive's rules: a register or the CFA plus
/// an offset, the value in memory at that address, or a DWARF expression for
/// anything else.
class CFIValue {
public:
  /// Parses \p Text, which is in postfix notation. Returns false if it is
  /// malformed, cannot be represented, or is ".undef".
  bool parse(llvm::StringRef Text, const CFIRegisters &Registers, bool HasCFA);

  /// Sets \p Rule to a rule for the CFA with this value. Returns false if there
  /// is no such rule.
  bool isCFA(RegisterRule &Rule) const;
  /// Sets \p Rule to a rule for the register \p Register with this value.
  /// \p Rule refers to this object.
  bool isRegister(uint32_t Register, RegisterRule &Rule) const;

private:
  struct Term {
    enum class Kind : uint8_t { Constant, CFA, Register, Other };

    Kind Type = Kind::Constant;
    /// For the CFA and for a register: whether the value is in memory at that
    /// address.
    bool IsInMemory = false;
    uint32_t Register = 0;
    /// The constant, or the offset.
    int64_t Offset = 0;
    /// The DWARF expression, for Other.
    llvm::SmallVector<uint8_t, 0> Expression;
  };

  static bool toExpression(Term &T);
  bool combine(char Operator, llvm::SmallVectorImpl<Term> &Stack);

  Term Result;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CFIEXPRESSION_H
