//===- BreakpadCFIReader.cpp - STACK CFI records as unwind rows -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BreakpadCFIReader.h"
#include "BreakpadFields.h"
#include "CFIExpression.h"
#include "Extract/UnwindRows.h"
#include "Support/StableSort.h"
#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {

/// A record STACK CFI INIT and the STACK CFI records that follow it.
struct CFIBlock {
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// The rules at Begin.
  StringRef Rules;
  /// The addresses and rules of the other records.
  std::vector<std::pair<uint64_t, StringRef>> Changes;
};

/// The rules in force, by the name of the register: ".cfa", "$rbx".
using NamedRules = std::map<StringRef, StringRef>;

class CFIReader {
public:
  CFIReader(const SymbolFile &File, const UnwindMachine &Machine, uint64_t Bias,
            UnwindStatistics &Statistics)
      : File(File), Registers(Machine), Machine(Machine), Bias(Bias),
        Statistics(Statistics),
        Builder(Machine.RA, /*Shift=*/0, (1 << 16) + File.size() / 16) {}

  std::string read();

private:
  void readBlocks();
  void setRules(StringRef Text, NamedRules &Rules) const;
  void addRows(const CFIBlock &B);
  void addRow(uint64_t Begin, uint64_t End, const NamedRules &Rules);
  bool addRule(StringRef Name, StringRef Text, UnwindRules &To);

  const SymbolFile &File;
  const CFIRegisters Registers;
  const UnwindMachine &Machine;
  const uint64_t Bias;
  UnwindStatistics &Statistics;
  UnwindTableBuilder Builder;
  std::vector<CFIBlock> Blocks;
  /// The expressions of the row that is being made.
  std::vector<std::unique_ptr<CFIValue>> Values;
};

} // namespace

void CFIReader::readBlocks() {
  for (StringRef Line : split(File.bytes(), '\n')) {
    if (!Line.consume_front("STACK CFI "))
      continue;
    Line.consume_back("\r");
    bool IsFirst = Line.consume_front("INIT ");
    uint64_t Address = 0, Size = 0;
    bool IsGood = !takeWord(Line).getAsInteger(16, Address) &&
                  (!IsFirst || !takeWord(Line).getAsInteger(16, Size)) &&
                  Size <= UINT64_MAX - Address && (IsFirst || !Blocks.empty());
    if (!IsGood)
      ++Statistics.Broken;
    else if (IsFirst)
      Blocks.push_back({Address, Address + Size, Line, {}});
    else
      Blocks.back().Changes.emplace_back(Address, Line);
  }
}

/// Sets the rules of \p Text, "REGISTER: EXPRESSION ...", in \p Rules. Unknown
/// registers are skipped. The cost of a row depends on the number and the size
/// of its rules, so both are limited.
void CFIReader::setRules(StringRef Text, NamedRules &Rules) const {
  constexpr size_t MaxOfRule = 256;
  StringRef Name;
  const char *Begin = Text.begin();
  auto Finish = [&](const char *End) {
    StringRef Rule = StringRef(Begin, End - Begin).trim();
    if (Name == ".cfa" || Name == ".ra" || Registers.find(Name))
      Rules[Name] = Rule.size() <= MaxOfRule ? Rule : "";
  };
  while (!(Text = Text.ltrim(' ')).empty()) {
    StringRef Word = takeWord(Text);
    if (!Word.ends_with(":"))
      continue;
    Finish(Word.begin());
    Name = Word.drop_back();
    Begin = Word.end();
  }
  Finish(Text.end());
}

/// Returns false if the rule is invalid and the row is useless without it.
bool CFIReader::addRule(StringRef Name, StringRef Text, UnwindRules &To) {
  Values.push_back(std::make_unique<CFIValue>());
  CFIValue &Value = *Values.back();
  if (Name == ".cfa")
    return Value.parse(Text, Registers, /*HasCFA=*/false) &&
           Value.isCFA(To.CFA);
  uint32_t Register = Name == ".ra" ? Machine.RA : *Registers.find(Name);
  RegisterRule Rule;
  Rule.How = RegisterRule::Kind::Undefined;
  bool IsKnown = Value.parse(Text, Registers, /*HasCFA=*/true) &&
                 Value.isRegister(Register, Rule);
  if (!IsKnown && Name == ".ra" && Text != ".undef")
    return false;
  bool IsKept = Name == ".ra" || Machine.isPreserved(Register);
  bool IsDefault = Rule.How == (IsKept ? RegisterRule::Kind::Same
                                       : RegisterRule::Kind::Undefined);
  if (!IsDefault)
    To.Registers.emplace_back(Register, Rule);
  return true;
}

void CFIReader::addRow(uint64_t Begin, uint64_t End, const NamedRules &Rules) {
  UnwindRules Row;
  Row.ReturnAddress = Machine.RA;
  Values.clear();
  bool IsGood = Rules.count(".cfa") && Rules.count(".ra");
  for (const auto &[Name, Text] : Rules)
    IsGood = IsGood && addRule(Name, Text, Row);
  llvm::sort(Row.Registers,
             [](const auto &A, const auto &B) { return A.first < B.first; });
  // One register may have two names.
  auto *Repeated = std::adjacent_find(
      Row.Registers.begin(), Row.Registers.end(),
      [](const auto &A, const auto &B) { return A.first == B.first; });
  IsGood &= Repeated == Row.Registers.end();
  std::optional<uint32_t> Number = IsGood ? Builder.intern(Row) : std::nullopt;
  if (!Number) {
    ++Statistics.Broken;
    return;
  }
  cantFail(Builder.addRow({Begin, End, *Number}));
}

void CFIReader::addRows(const CFIBlock &B) {
  NamedRules Rules;
  setRules(B.Rules, Rules);
  uint64_t Begin = B.Begin;
  for (const auto &[Address, Changed] : B.Changes) {
    if (Address < Begin || Address >= B.End) {
      ++Statistics.Broken;
      continue;
    }
    if (Begin < Address)
      addRow(Begin + Bias, Address + Bias, Rules);
    Begin = Address;
    setRules(Changed, Rules);
  }
  if (Begin < B.End)
    addRow(Begin + Bias, B.End + Bias, Rules);
}

std::string CFIReader::read() {
  readBlocks();
  stableSort(Blocks, [](const CFIBlock &B) { return B.Begin; });
  uint64_t End = 0;
  for (const CFIBlock &B : Blocks) {
    if (B.Begin < End) {
      ++Statistics.Repeated;
      continue;
    }
    if (B.End > UINT64_MAX - Bias) {
      ++Statistics.Outside;
      continue;
    }
    End = std::max(End, B.End);
    addRows(B);
  }
  if (!Blocks.empty())
    Statistics.Functions.push_back({"STACK CFI", Blocks.size()});
  std::string Bytes = Builder.bytes().value_or("");
  if (Bytes.empty())
    return Bytes;
  UnwindTable Table = cantFail(UnwindTable::open(Bytes));
  Statistics.Rows = Table.rowCount();
  Statistics.Rules = Table.ruleCount();
  return Bytes;
}

std::string readBreakpadCFI(const SymbolFile &File, uint64_t Bias,
                            UnwindStatistics &Statistics) {
  const UnwindMachine *Machine = unwindMachineOf(File);
  if (!Machine)
    return "";
  return CFIReader(File, *Machine, Bias, Statistics).read();
}

} // namespace lidia
