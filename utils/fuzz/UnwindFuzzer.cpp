//===- UnwindFuzzer.cpp - Any registers, memory and call frames -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Any bytes, read as call frame information or as another unwind table, become
/// a valid table of rows that answers with the original rows. Any registers and
/// memory give a stack that ends.
///
//===----------------------------------------------------------------------===//

#include "DWARF/CallFrames.h"
#include "FuzzInput.h"
#include "UnwindInfo/ArmExceptionTable.h"
#include "UnwindInfo/CompactUnwindTable.h"
#include "UnwindInfo/WindowsTable.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace lidia;
using namespace llvm;

namespace {
/// One module, whose rows may have any addresses.
class OneModule final : public UnwindModules {
public:
  explicit OneModule(const UnwindTable &Table) : Table(Table) {}

  Place find(uint64_t) override { return {&Table, 0, true}; }

private:
  const UnwindTable &Table;
};
} // namespace

static const UnwindMachine *machine(uint8_t Choice) {
  switch (Choice % 5) {
  case 0:
    return UnwindMachine::find(ELF::EM_X86_64, 8, true);
  case 1:
    return UnwindMachine::find(ELF::EM_AARCH64, 8, true);
  case 2:
    return UnwindMachine::find(ELF::EM_386, 4, true);
  case 3:
    return UnwindMachine::find(ELF::EM_ARM, 4, true);
  default:
    return UnwindMachine::find(ELF::EM_S390, 8, false);
  }
}

/// Makes a table of the rows of \p Frames, as far as they are in order.
template <class TableT> static std::string makeTable(TableT Frames) {
  UnwindTableBuilder Builder(16, 0, 1 << 16);
  uint64_t End = 0;
  for (const typename TableT::Function &F : Frames.functions())
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

/// Makes a table of \p Bytes, which are an unwind table for \p Machine other
/// than call frame information; Apple's if \p IsApple. The bytes are also the
/// data to which the table refers.
static std::string makeOtherTable(StringRef Bytes, const UnwindMachine &Machine,
                                  bool IsApple) {
  constexpr uint64_t Base = 0x10000;
  auto Image = [Bytes](uint64_t Address) {
    return Address < Base ? StringRef() : Bytes.substr(Address - Base);
  };
  if (Machine.ELFMachine == ELF::EM_ARM) {
    unwindinfo::ArmExceptionSection Section;
    Section.Index = Bytes;
    Section.Address = Base;
    Section.Image = Image;
    Section.MaxBytes = Bytes.size();
    return makeTable(unwindinfo::ArmExceptionTable(std::move(Section)));
  }
  if (IsApple) {
    unwindinfo::CompactSection Section;
    Section.Bytes = Bytes;
    Section.ImageBase = Base;
    Section.IsArm64 = Machine.ELFMachine == ELF::EM_AARCH64;
    Section.Image = Image;
    return makeTable(unwindinfo::CompactUnwindTable(std::move(Section)));
  }
  unwindinfo::WindowsSection Section;
  Section.Table = Bytes;
  Section.ImageBase = Base;
  Section.Image = Image;
  Section.MaxRows = Bytes.size();
  if (Machine.ELFMachine == ELF::EM_X86_64)
    return makeTable(unwindinfo::X64UnwindTable(std::move(Section)));
  if (Machine.ELFMachine == ELF::EM_AARCH64)
    return makeTable(unwindinfo::Arm64UnwindTable(std::move(Section)));
  return "";
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
  lidia::dwarf::CallFrameSection Section;
  const uint8_t Kind = Input.byte();
  Section.IsEH = Kind & 1;
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
  std::string Bytes = Kind & 2 ? makeOtherTable(Memory, Machine, Kind & 4)
                               : makeTable(lidia::dwarf::CallFrames(Section));
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
