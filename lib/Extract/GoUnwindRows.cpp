//===- GoUnwindRows.cpp - Unwind rows from Go's tables --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GoUnwindRows.h"
#include "llvm/BinaryFormat/ELF.h"

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
    uint64_t Begin = (*F)->Entry;
    for (const go::ValueRun &Run : Sizes) {
      uint64_t End = (*F)->Entry + Run.End;
      if (Run.Value >= 0)
        Visit(Begin, std::min(End, (*F)->NextEntry),
              rulesOf(Machine, Run.Value,
                      (*F)->Flags & (go::FF_TopFrame | go::FF_SPWrite)));
      Begin = End;
    }
  }
}

} // namespace lidia
