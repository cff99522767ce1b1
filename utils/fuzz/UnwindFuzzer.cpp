//===- UnwindFuzzer.cpp - Any registers, memory and call frames -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Any bytes as call frame information become a table of rows that is sound and
/// answers as it was made; any registers and memory give a stack that ends.
///
//===----------------------------------------------------------------------===//

#include "DWARF/CallFrames.h"
#include "FuzzInput.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace lidia;
using namespace llvm;

namespace {
/// One module, whose rows may be anywhere.
class OneModule final : public UnwindModules {
public:
  explicit OneModule(const UnwindTable &Table) : Table(Table) {}

  Place find(uint64_t) override { return {&Table, 0, true}; }

private:
  const UnwindTable &Table;
};
} // namespace

static const UnwindMachine *machine(uint8_t Choice) {
  switch (Choice % 4) {
  case 0:
    return UnwindMachine::find(ELF::EM_X86_64, 8, true);
  case 1:
    return UnwindMachine::find(ELF::EM_AARCH64, 8, true);
  case 2:
    return UnwindMachine::find(ELF::EM_386, 4, true);
  default:
    return UnwindMachine::find(ELF::EM_S390, 8, false);
  }
}

/// The rows of \p Frames, those that follow each other.
static std::string makeTable(dwarf::CallFrames &Frames) {
  UnwindTableBuilder Builder(16, 0, 1 << 16);
  uint64_t End = 0;
  for (const dwarf::CallFrames::Function &F : Frames.functions())
    Frames.visitRows(F, [&](uint64_t Begin, uint64_t RowEnd,
                            const UnwindRules &Rules) {
      std::optional<uint32_t> Number = Builder.intern(Rules);
      if (!Number || Begin < End || Rules.CFA.How == RegisterRule::Kind::Same)
        return true;
      check(Begin < RowEnd, "an empty row");
      cantFail(Builder.addRow({Begin, RowEnd, *Number}));
      End = RowEnd;
      return true;
    });
  return Builder.bytes().value_or("");
}

static void checkTable(const UnwindTable &Table) {
  cantFail(Table.forEachRow([&](const UnwindRow &Row) {
    std::optional<UnwindRow> Found = Table.find(Row.End - 1);
    check(Found && Found->Begin == Row.Begin && Found->End == Row.End &&
              Found->Rules == Row.Rules,
          "a row is not found");
    check(bool(Table.rules(Row.Rules)), "a row has no rules");
  }));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  FuzzInput Input(StringRef(reinterpret_cast<const char *>(Data), Size));
  const UnwindMachine &Machine = *machine(Input.byte());
  dwarf::CallFrameSection Section;
  Section.IsEH = Input.byte() & 1;
  Section.IsLittleEndian = Machine.IsLittleEndian;
  Section.AddressSize = Machine.WordSize;
  Section.Machine = Machine.ELFMachine;
  RegisterSet Registers;
  Registers.PC = Input.variableNumber();
  for (unsigned I = 0; I != 16; ++I)
    Registers.set(I, Input.variableNumber());
  Registers.set(Machine.SP, Input.variableNumber());
  StringRef Memory = Input.rest();
  Section.Bytes = Memory;
  dwarf::CallFrames Frames(Section);
  std::string Bytes = makeTable(Frames);
  UnwindTable Table;
  if (!Bytes.empty())
    Table = cantFail(UnwindTable::open(Bytes));
  checkTable(Table);
  OneModule Module(Table);
  Unwinder U(Machine, Module);
  UnwindOptions Options;
  Options.MaxFrames = 64;
  Options.Scan = Input.byte() & 1;
  // Memory repeats the input.
  UnwoundStack Stack = U.unwind(
      Registers,
      [&](uint64_t Address, MutableArrayRef<uint8_t> To) -> size_t {
        uint64_t At = Address % 4096;
        if (At >= Memory.size())
          return 0;
        size_t Count = std::min<size_t>(To.size(), Memory.size() - At);
        std::memcpy(To.data(), Memory.data() + At, Count);
        return Count;
      },
      Options);
  check(Stack.Frames.size() <= Options.MaxFrames, "too many frames");
  return 0;
}
