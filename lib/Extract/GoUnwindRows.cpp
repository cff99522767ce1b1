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

namespace {
/// DWARF's numbers of a machine's registers that Go's frames use.
struct GoMachine {
  uint16_t ELFMachine;
  uint32_t SP;
  uint32_t ReturnAddress;
  /// The frame pointer that functions save; none on most machines.
  std::optional<uint32_t> FP;
  /// Whether a call pushes the return address.
  bool Pushes;
};
} // namespace

static constexpr GoMachine Machines[] = {
    {ELF::EM_X86_64, 7, 16, 6, true},
    {ELF::EM_386, 4, 8, std::nullopt, true},
    {ELF::EM_AARCH64, 31, 30, 29, false},
    {ELF::EM_ARM, 13, 14, std::nullopt, false},
    {ELF::EM_RISCV, 2, 1, std::nullopt, false},
    {ELF::EM_PPC64, 1, 65, std::nullopt, false},
    {ELF::EM_S390, 15, 14, std::nullopt, false},
};

static RegisterRule rule(Kind How, int64_t Offset, uint32_t Register = 0) {
  RegisterRule R;
  R.How = How;
  R.Offset = Offset;
  R.Register = Register;
  return R;
}

/// The rules where the frame has \p Size bytes.
static UnwindRules rulesOf(const GoMachine &M, int64_t Size, int64_t Word,
                           bool IsTop) {
  UnwindRules Rules;
  Rules.ReturnAddress = M.ReturnAddress;
  Rules.CFA = rule(Kind::IsRegister, M.Pushes ? Size + Word : Size, M.SP);
  auto Add = [&](uint32_t Register, RegisterRule R) {
    Rules.Registers.push_back({Register, R});
  };
  if (M.FP && Size >= Word)
    Add(*M.FP, M.Pushes ? rule(Kind::AtCFA, -2 * Word)
                        : rule(Kind::AtRegister, -Word, M.SP));
  // The unwinder's own rule for the stack pointer is that of C.
  if (M.ELFMachine == ELF::EM_S390)
    Add(M.SP, rule(Kind::IsCFA, 0));
  if (IsTop)
    Add(M.ReturnAddress, rule(Kind::Undefined, 0));
  else if (M.Pushes)
    Add(M.ReturnAddress, rule(Kind::AtCFA, -Word));
  else if (Size > 0)
    Add(M.ReturnAddress, rule(Kind::AtRegister, 0, M.SP));
  llvm::sort(Rules.Registers, less_first());
  return Rules;
}

void visitGoUnwindRows(
    const GoTables &Tables, uint16_t Machine, unsigned WordSize,
    function_ref<void(uint64_t, uint64_t, const UnwindRules &)> Visit) {
  const auto *M = find_if(
      Machines, [&](const GoMachine &M) { return M.ELFMachine == Machine; });
  if (M == std::end(Machines))
    return;
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
              rulesOf(*M, Run.Value, WordSize,
                      (*F)->Flags & (go::FF_TopFrame | go::FF_SPWrite)));
      Begin = End;
    }
  }
}

} // namespace lidia
