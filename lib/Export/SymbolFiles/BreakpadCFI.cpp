//===- BreakpadCFI.cpp - Unwind rows as STACK CFI records -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A STACK CFI INIT record has the rules of all registers from an address on.
/// The STACK CFI records after it have the rules that change. Rules are
/// expressions in postfix notation:
/// https://chromium.googlesource.com/breakpad/breakpad/+/master/docs/symbol_files.md
///
//===----------------------------------------------------------------------===//

#include "BreakpadCFI.h"
#include "Support/LEB128.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Unwind/Registers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/BinaryFormat/ELF.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {

class PostfixText;

/// The expressions of a row by register; that of the CFA comes first.
using RowText = std::map<uint32_t, std::string>;

class CFIWriter {
public:
  CFIWriter(const UnwindTable &Table, const UnwindMachine &Machine,
            uint64_t ImageBase, raw_ostream &OS)
      : Table(Table), Machine(Machine), ImageBase(ImageBase), OS(OS) {}

  Error run();
  uint64_t rowsLeftOut() const { return RowsLeftOut; }

private:
  struct Rules {
    /// None if records cannot express the rules.
    std::optional<RowText> Text;
    /// Whether these are the rules at the entry of a function.
    bool IsEntry = false;
  };

  const Rules &rules(uint32_t Number);
  std::optional<std::string> expression(const RegisterRule &R,
                                        uint32_t Register) const;
  bool addOperation(ArrayRef<uint8_t> &Bytes, PostfixText &To) const;
  std::optional<std::string> fromDWARF(ArrayRef<uint8_t> Bytes) const;
  std::optional<RowText> text(const UnwindRules &R) const;
  std::string nameOf(uint32_t Register) const;
  std::string plus(const Twine &Base, int64_t Offset) const;
  void add(const UnwindRow &Row);
  void writeBlock();
  void writeRules(const RowText &Rules, const RowText *Before);

  const UnwindTable &Table;
  const UnwindMachine &Machine;
  const uint64_t ImageBase;
  raw_ostream &OS;
  std::map<uint32_t, Rules> Known;
  /// The rows of the next STACK CFI INIT record, without gaps between them.
  std::vector<UnwindRow> Block;
  uint64_t RowsLeftOut = 0;
};

} // namespace

/// Keys of RowText that are not registers. They sort before registers and in
/// the order in which other tools write them.
static constexpr uint32_t KeyOfCFA = 0;
static constexpr uint32_t KeyOfRA = 1;
static uint32_t keyOf(uint32_t Register) { return Register + 2; }

std::string CFIWriter::nameOf(uint32_t Register) const {
  bool IsX86 =
      Machine.ELFMachine == ELF::EM_386 || Machine.ELFMachine == ELF::EM_X86_64;
  return (IsX86 ? "$" : "") + Machine.registerName(Register);
}

std::string CFIWriter::plus(const Twine &Base, int64_t Offset) const {
  return (Base + " " + Twine(Offset) + " +").str();
}

namespace {
/// A DWARF expression in postfix notation. Breakpad lacks some operators, such
/// as the comparisons in the rules of PLTs.
class PostfixText {
public:
  /// Appends \p Tokens, which pop \p Pops values off the stack and push one.
  /// Returns false if the stack has fewer.
  bool add(const Twine &Tokens, unsigned Pops) {
    if (Depth < Pops)
      return false;
    Depth = Depth - Pops + 1;
    if (!Text.empty())
      Text += ' ';
    Text += Tokens.str();
    return true;
  }
  std::optional<std::string> take() {
    if (Depth != 1)
      return std::nullopt;
    return std::move(Text);
  }

private:
  std::string Text;
  unsigned Depth = 0;
};
} // namespace

/// Adds the operation at the beginning of \p Bytes to \p To and removes it from
/// \p Bytes.
bool CFIWriter::addOperation(ArrayRef<uint8_t> &Bytes, PostfixText &To) const {
  uint8_t Op = Bytes.front();
  Bytes = Bytes.drop_front();
  unsigned Size = 0;
  const char *Failure = nullptr;
  const uint8_t *LEBEnd = Bytes.take_front(LongestLEB).end();
  if (Op >= dwarf::DW_OP_breg0 && Op <= dwarf::DW_OP_breg31) {
    int64_t Offset = decodeSLEB128(Bytes.begin(), &Size, LEBEnd, &Failure);
    Bytes = Bytes.drop_front(Size);
    return !Failure && To.add(plus(nameOf(Op - dwarf::DW_OP_breg0), Offset), 0);
  }
  if (Op >= dwarf::DW_OP_lit0 && Op <= dwarf::DW_OP_lit31)
    return To.add(Twine(Op - dwarf::DW_OP_lit0), 0);
  switch (Op) {
  case dwarf::DW_OP_plus_uconst: {
    uint64_t Value = decodeULEB128(Bytes.begin(), &Size, LEBEnd, &Failure);
    Bytes = Bytes.drop_front(Size);
    return !Failure && Value <= INT64_MAX && To.add(Twine(Value) + " +", 1);
  }
  case dwarf::DW_OP_deref:
    return To.add("^", 1);
  case dwarf::DW_OP_plus:
    return To.add("+", 2);
  case dwarf::DW_OP_minus:
    return To.add("-", 2);
  case dwarf::DW_OP_mul:
    return To.add("*", 2);
  default:
    return false;
  }
}

/// None for an expression that uses the CFA, which DWARF pushes first. No
/// compiler emits one.
std::optional<std::string> CFIWriter::fromDWARF(ArrayRef<uint8_t> Bytes) const {
  PostfixText Text;
  while (!Bytes.empty())
    if (!addOperation(Bytes, Text))
      return std::nullopt;
  return Text.take();
}

std::optional<std::string> CFIWriter::expression(const RegisterRule &R,
                                                 uint32_t Register) const {
  using Kind = RegisterRule::Kind;
  switch (R.How) {
  case Kind::Undefined:
    return ".undef";
  case Kind::Same:
    return nameOf(Register);
  case Kind::AtCFA:
    return plus(".cfa", R.Offset) + " ^";
  case Kind::IsCFA:
    return plus(".cfa", R.Offset);
  case Kind::Register:
    return nameOf(R.Register);
  case Kind::AtRegister:
    return plus(nameOf(R.Register), R.Offset) + " ^";
  case Kind::IsRegister:
    return plus(nameOf(R.Register), R.Offset);
  case Kind::AtExpression:
    if (std::optional<std::string> Text = fromDWARF(R.Expression))
      return *Text + " ^";
    return std::nullopt;
  case Kind::IsExpression:
    return fromDWARF(R.Expression);
  }
  llvm_unreachable("no other kind");
}

std::optional<RowText> CFIWriter::text(const UnwindRules &R) const {
  RowText Text;
  std::optional<std::string> CFA = expression(R.CFA, 0);
  if (!CFA || R.CFA.How == RegisterRule::Kind::Undefined)
    return std::nullopt;
  Text[KeyOfCFA] = *CFA;
  const RegisterRule *RA = R.find(R.ReturnAddress);
  // All readers end the stack at a return address of zero. If it is unknown,
  // they guess.
  if (RA && RA->How == RegisterRule::Kind::Undefined)
    Text[KeyOfRA] = "0";
  else if (std::optional<std::string> Address =
               expression(RA ? *RA : RegisterRule(), R.ReturnAddress))
    Text[KeyOfRA] = *Address;
  else
    return std::nullopt;
  for (const auto &[Register, Rule] : R.Registers) {
    if (Register == R.ReturnAddress)
      continue;
    std::optional<std::string> Value = expression(Rule, Register);
    Text[keyOf(Register)] = Value.value_or(".undef");
  }
  return Text;
}

const CFIWriter::Rules &CFIWriter::rules(uint32_t Number) {
  auto [Found, IsNew] = Known.try_emplace(Number);
  Rules &Result = Found->second;
  if (!IsNew)
    return Result;
  std::optional<UnwindRules> Read = Table.rules(Number);
  if (!Read)
    return Result;
  Result.Text = text(*Read);
  int64_t AtEntry = Machine.PushesReturnAddress ? Machine.WordSize : 0;
  Result.IsEntry = Read->CFA.How == RegisterRule::Kind::IsRegister &&
                   Read->CFA.Register == Machine.SP &&
                   Read->CFA.Offset == AtEntry && Read->Registers.size() <= 1;
  return Result;
}

/// Writes \p Rules, or only those that differ from \p Before.
void CFIWriter::writeRules(const RowText &Rules, const RowText *Before) {
  auto Write = [&](uint32_t Key, const Twine &Expression) {
    OS << ' '
       << (Key == KeyOfCFA  ? ".cfa"
           : Key == KeyOfRA ? ".ra"
                            : nameOf(Key - keyOf(0)))
       << ": " << Expression;
  };
  for (const auto &[Key, Expression] : Rules) {
    auto Old = Before ? Before->find(Key) : Rules.end();
    if (!Before || Old == Before->end() || Old->second != Expression)
      Write(Key, Expression);
  }
  if (!Before)
    return;
  // A rule stays in force until another one replaces it.
  for (const auto &[Key, Expression] : *Before)
    if (!Rules.count(Key))
      Write(Key, Machine.isPreserved(Key - keyOf(0)) ? nameOf(Key - keyOf(0))
                                                     : ".undef");
}

void CFIWriter::writeBlock() {
  if (Block.empty())
    return;
  OS << "STACK CFI INIT ";
  OS.write_hex(Block.front().Begin - ImageBase) << ' ';
  OS.write_hex(Block.back().End - Block.front().Begin);
  const RowText *Before = nullptr;
  for (const UnwindRow &Row : Block) {
    if (Before) {
      OS << "STACK CFI ";
      OS.write_hex(Row.Begin - ImageBase);
    }
    const RowText &Text = *rules(Row.Rules).Text;
    writeRules(Text, Before);
    OS << '\n';
    Before = &Text;
  }
  Block.clear();
}

/// Readers search all records of a block, so a block has the rows of one
/// function, as far as the rules show where functions begin.
void CFIWriter::add(const UnwindRow &Row) {
  constexpr size_t Max = 64;
  const Rules &R = rules(Row.Rules);
  if (!R.Text || Row.Begin < ImageBase) {
    ++RowsLeftOut;
    return;
  }
  if (!Block.empty() &&
      (Block.back().End != Row.Begin || R.IsEntry || Block.size() == Max))
    writeBlock();
  Block.push_back(Row);
}

Error CFIWriter::run() {
  Error E = Table.forEachRow([&](const UnwindRow &Row) { add(Row); });
  writeBlock();
  return E;
}

Error writeBreakpadCFI(const Archive &A, uint64_t ImageBase, raw_ostream &OS,
                       LossReport Report) {
  Expected<UnwindTable> Table = A.unwindTable();
  if (!Table)
    return Table.takeError();
  if (Table->empty() || !A.info())
    return Error::success();
  const UnwindMachine *Machine = UnwindMachine::find(*A.info());
  if (!Machine) {
    Report("the unwind rows are left out: the machine's registers have no "
           "names");
    return Error::success();
  }
  CFIWriter Writer(*Table, *Machine, ImageBase, OS);
  if (Error E = Writer.run())
    return E;
  if (uint64_t Count = Writer.rowsLeftOut())
    Report(Twine(Count) + " unwind rows are left out: STACK CFI records cannot "
                          "express them");
  return Error::success();
}

} // namespace lidia
