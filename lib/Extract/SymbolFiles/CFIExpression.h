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

/// The registers of a machine by the names that symbol files have, with and
/// without "$" before them.
class CFIRegisters {
public:
  explicit CFIRegisters(const UnwindMachine &Machine);

  /// DWARF's number of the register \p Name.
  std::optional<uint32_t> find(llvm::StringRef Name) const;

private:
  llvm::StringMap<uint32_t> Numbers;
};

/// An expression, as a rule of an archive has it: a register or the CFA plus
/// an offset, what memory has there, or anything else as an expression of
/// DWARF.
class CFIValue {
public:
  /// Reads \p Text, in postfix notation. False if it is malformed or cannot be
  /// expressed, and for ".undef".
  bool parse(llvm::StringRef Text, const CFIRegisters &Registers, bool HasCFA);

  /// Sets \p Rule to that of the CFA. False if it cannot be one.
  bool isCFA(RegisterRule &Rule) const;
  /// Sets \p Rule to that of the register \p Register. \p Rule refers to this
  /// object.
  bool isRegister(uint32_t Register, RegisterRule &Rule) const;

private:
  struct Term {
    enum class Kind : uint8_t { Constant, CFA, Register, Other };

    Kind What = Kind::Constant;
    /// Of the CFA and of a register: whether it is what memory has there.
    bool IsInMemory = false;
    uint32_t Register = 0;
    /// The constant, or what is added.
    int64_t Offset = 0;
    /// Of Other.
    llvm::SmallVector<uint8_t, 0> Expression;
  };

  static bool toExpression(Term &T);
  bool combine(char Operator, llvm::SmallVectorImpl<Term> &Stack);

  Term Result;
};

} // namespace lidia

#endif // LIDIA_LIB_EXTRACT_CFIEXPRESSION_H
