//===- GoUnwindRows.cpp - Unwind rows from Go's tables --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoUnwindRows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/LEB128.h"

using namespace llvm;

namespace lidia {

using Kind = RegisterRule::Kind;

/// Whether functions save the frame pointer.
static bool savesFP(const UnwindMachine &M) {
  return M.ELFMachine == ELF::EM_X86_64 || M.ELFMachine == ELF::EM_AARCH64;
}

static RegisterRule rule(Kind How, int64_t Offset, uint32_t Register = 0) {
  RegisterRule R;
  R.How = How;
  R.Offset = Offset;
  R.Register = Register;
  return R;
}

/// The rules where the frame has \p Size bytes.
static UnwindRules rulesOf(const UnwindMachine &M, int64_t Size, bool IsTop) {
  const int64_t Word = M.WordSize;
  UnwindRules Rules;
  Rules.ReturnAddress = M.RA;
  Rules.CFA =
      rule(Kind::IsRegister, M.PushesReturnAddress ? Size + Word : Size, M.SP);
  auto Add = [&](uint32_t Register, RegisterRule R) {
    Rules.Registers.push_back({Register, R});
  };
  if (savesFP(M) && Size >= Word)
    Add(M.FP, M.PushesReturnAddress ? rule(Kind::AtCFA, -2 * Word)
                                    : rule(Kind::AtRegister, -Word, M.SP));
  // The unwinder's own rule for the stack pointer is that of C.
  if (M.ELFMachine == ELF::EM_S390)
    Add(M.SP, rule(Kind::IsCFA, 0));
  if (IsTop)
    Add(M.RA, rule(Kind::Undefined, 0));
  else if (M.PushesReturnAddress)
    Add(M.RA, rule(Kind::AtCFA, -Word));
  else if (Size > 0)
    Add(M.RA, rule(Kind::AtRegister, 0, M.SP));
  llvm::sort(Rules.Registers, less_first());
  return Rules;
}

/// The function that the runtime makes code seem to call that faulted: the
/// address in the caller's frame is that of the faulting instruction.
static constexpr StringLiteral FaultFunction = "runtime.sigpanic";

/// Functions that write the stack pointer and do not return to their callers.
static constexpr StringLiteral NeverReturn[] = {
    "runtime.gogo", "runtime.mcall", "runtime.morestack",
    "runtime.morestack_noctxt", "runtime.rt0_go"};

/// The caller's frame as the function at a fault finds it: below its own, the
/// runtime has put a word for the link register.
static UnwindRules rulesOfFault(const UnwindMachine &M, int64_t Size) {
  UnwindRules Rules = rulesOf(M, Size, /*IsTop=*/false);
  Rules.IsFaultFrame = true;
  if (!M.PushesReturnAddress) {
    // The size of the runtime's stack alignment.
    Rules.CFA.Offset += M.ELFMachine == ELF::EM_AARCH64 ? 16 : M.WordSize;
  }
  return Rules;
}

/// The rules of a function that runs on another stack than its caller. Its
/// frame pointer still points to its frame on the caller's stack, which has
/// \p Size bytes. \p Expression receives the CFA, because only an expression
/// may lead to another stack.
static UnwindRules rulesByFP(const UnwindMachine &M, int64_t Size,
                             SmallVectorImpl<uint8_t> &Expression) {
  const int64_t Word = M.WordSize;
  // Go keeps the return address next to the caller's frame pointer: on x86
  // above the frame, otherwise at its bottom.
  int64_t ToCFA = M.PushesReturnAddress ? 2 * Word : Word + Size;
  Expression.assign(1, uint8_t(llvm::dwarf::DW_OP_breg0 + M.FP));
  uint8_t Buffer[10];
  Expression.append(Buffer, Buffer + encodeSLEB128(ToCFA, Buffer));
  UnwindRules Rules;
  Rules.ReturnAddress = M.RA;
  Rules.CFA.How = Kind::IsExpression;
  Rules.CFA.Expression = Expression;
  Rules.Registers = {{M.FP, rule(Kind::AtCFA, -ToCFA)},
                     {M.RA, rule(Kind::AtCFA, Word - ToCFA)}};
  llvm::sort(Rules.Registers, less_first());
  return Rules;
}

/// The size of the frame that the function makes on entry and that holds the
/// caller's frame pointer; zero if there is none, as in assembly before
/// Go 1.21.
static int64_t frameOnEntry(const UnwindMachine &M,
                            ArrayRef<go::ValueRun> Sizes) {
  // The longest instruction that subtracts from the stack pointer.
  constexpr uint64_t Longest = 8;
  if (!savesFP(M) || Sizes.size() < 2 || Sizes[0].Value != 0 ||
      Sizes[0].End > Longest || Sizes[1].Value < M.WordSize)
    return 0;
  return Sizes[1].Value;
}

namespace {
/// Visits the rows of one function.
class FunctionRows {
public:
  FunctionRows(const go::Function &F, StringRef Name, const UnwindMachine &M,
               ArrayRef<go::ValueRun> Sizes)
      : Machine(M), IsFault(Name == FaultFunction),
        IsTop(F.Flags & go::FF_TopFrame) {
    if (IsTop || !(F.Flags & go::FF_SPWrite))
      return;
    Frame = is_contained(NeverReturn, Name) ? 0 : frameOnEntry(M, Sizes);
    IsTop = Frame == 0;
  }

  UnwindRules rules(int64_t Size) {
    if (IsFault)
      return rulesOfFault(Machine, Size);
    if (Frame != 0 && Size >= Machine.WordSize)
      return rulesByFP(Machine, Frame, Expression);
    return rulesOf(Machine, Size, IsTop);
  }

private:
  const UnwindMachine &Machine;
  const bool IsFault;
  bool IsTop;
  /// The size of the frame on the caller's stack, if the function leaves that
  /// stack and returns to it; otherwise zero.
  int64_t Frame = 0;
  SmallVector<uint8_t, 12> Expression;
};
} // namespace

void visitGoUnwindRows(
    const GoTables &Tables, const UnwindMachine &Machine,
    function_ref<void(uint64_t, uint64_t, const UnwindRules &)> Visit) {
  const go::FunctionTable &Table = Tables.functions();
  std::vector<go::ValueRun> Sizes;
  for (uint64_t I = 0; I < Table.size() && !Table.exhausted(); ++I) {
    Expected<std::optional<go::Function>> F = Table.function(I);
    if (!F) {
      consumeError(F.takeError());
      continue;
    }
    if (!*F || !Table.readValues(**F, (*F)->StackTable, Sizes))
      continue;
    FunctionRows Rows(**F, Table.name((*F)->Name), Machine, Sizes);
    uint64_t Begin = (*F)->Entry;
    for (const go::ValueRun &Run : Sizes) {
      uint64_t End = (*F)->Entry + Run.End;
      if (Run.Value >= 0)
        Visit(Begin, std::min(End, (*F)->NextEntry), Rows.rules(Run.Value));
      Begin = End;
    }
  }
}

} // namespace lidia
