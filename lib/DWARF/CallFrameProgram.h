//===- CallFrameProgram.h - Runs call frame instructions --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_DWARF_CALLFRAMEPROGRAM_H
#define LIDIA_LIB_DWARF_CALLFRAMEPROGRAM_H

#include "CallFrames.h"

namespace lidia {
namespace dwarf {

/// The factors in a CIE by which operands are multiplied.
struct CallFrameFactors {
  uint64_t Code = 1;
  int64_t Data = 1;
};

/// Runs the instructions of a CIE or an FDE (DWARF 5, section 6.4.2).
class CallFrameProgram {
public:
  CallFrameProgram(const CallFrameSection &Section,
                   const CallFrameFactors &Factors)
      : Section(Section), Factors(Factors) {}

  /// The rules at the current address.
  UnwindRules &rules() { return Rules; }

  /// Runs the instructions of a CIE, from the offset \p Begin to \p End in the
  /// section. Returns false if they are malformed.
  bool runInitial(uint64_t Begin, uint64_t End);

  /// Runs the instructions of the function at [\p First, \p Last), which begins
  /// with the rules \p Initial.
  bool run(uint64_t Begin, uint64_t End, uint64_t First, uint64_t Last,
           const UnwindRules &Initial, CallFrames::VisitRow Visit);

private:
  enum class Step : uint8_t { Rules, Advance, Broken };

  Step step(Cursor &C);
  Step extended(Cursor &C, uint8_t Opcode);
  Step advance(uint64_t Delta);
  Step registerRule(Cursor &C, uint8_t Opcode);
  Step definesCFA(Cursor &C, uint8_t Opcode);
  Step vendor(Cursor &C, uint8_t Opcode);
  Step set(uint64_t Register, RegisterRule Rule);
  Step restore(uint64_t Register);
  Step setLocation(Cursor &C);
  RegisterRule atCFA(uint64_t Factored, bool IsAddress = true) const;
  RegisterRule atCFA(int64_t Factored, bool IsAddress = true) const;
  std::optional<RegisterRule> expression(Cursor &C, bool IsAddress) const;
  std::optional<RegisterRule> cfaExpression(Cursor &C) const;

  const CallFrameSection &Section;
  const CallFrameFactors Factors;
  UnwindRules Rules;
  /// Null while a CIE's instructions run.
  const UnwindRules *Initial = nullptr;
  std::vector<UnwindRules> Remembered;
  uint64_t Location = 0;
};

} // namespace dwarf
} // namespace lidia

#endif // LIDIA_LIB_DWARF_CALLFRAMEPROGRAM_H
