//===- CallFrameWriter.cpp - Unwind rows as .debug_frame ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Readers look for the entry (FDE) that covers an address, and run its
/// instructions up to that address. The instructions of a row state only what
/// differs from the row before. Entries share their initial rules (CIE): those
/// that most of them begin with.
///
//===----------------------------------------------------------------------===//

#include "CallFrameWriter.h"
#include "lidia/Archive/UnwindTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace llvm;
using namespace llvm::dwarf;

namespace lidia {

namespace {

/// The rows of one function, without gaps.
struct Entry {
  uint64_t Begin = 0;
  uint64_t End = 0;
  /// The index of the first row in Rows.
  size_t First = 0;
  size_t Count = 0;
};

/// The properties that entries must share to share a CIE.
struct CommonKey {
  uint32_t ReturnAddress = 0;
  bool IsSignalFrame = false;

  bool operator<(const CommonKey &K) const {
    return std::tie(ReturnAddress, IsSignalFrame) <
           std::tie(K.ReturnAddress, K.IsSignalFrame);
  }
  bool operator!=(const CommonKey &K) const { return *this < K || K < *this; }
};

struct CommonPart {
  uint64_t Offset = 0;
  /// The initial rules of the entries.
  uint32_t Rules = 0;
};

class CallFrameWriter {
public:
  CallFrameWriter(const Archive &A, const UnwindTable &Table, const Target &T,
                  uint64_t Max)
      : Out(T), A(A), Table(Table), Max(Max), DataFactor(T.AddressSize) {}

  /// Returns false if the rows are invalid or the section would be too large.
  bool run();

  SectionWriter Out;

private:
  bool collectRows();
  void addRow(UnwindRow R);
  void chooseFactors();
  void chooseCommonParts();
  CommonKey keyOf(const Entry &E) const;
  const UnwindRules &rules(uint32_t Number) const { return *Rules[Number - 1]; }

  void writeCommonPart(const CommonKey &Key, CommonPart &Part);
  void writeEntry(const Entry &E);
  void endEntry(uint64_t Start);
  void advance(uint64_t Distance);
  void change(const UnwindRules *From, const UnwindRules &To);
  void writeCFA(const UnwindRules *From, const RegisterRule &To);
  void writeRule(uint32_t Register, const RegisterRule &Rule);
  void writeOffset(uint32_t Register, int64_t Offset);
  void writeNoRule(uint32_t Register);
  void writeBlock(const SectionWriter &Expression);
  SectionWriter expression(const RegisterRule &Rule, bool IsAddress) const;

  const Archive &A;
  const UnwindTable &Table;
  const uint64_t Max;
  std::vector<std::optional<UnwindRules>> Rules;
  std::vector<UnwindRow> Rows;
  std::vector<Entry> Entries;
  std::map<CommonKey, CommonPart> CommonParts;
  unsigned CodeShift = 4;
  /// All offsets are multiples of this. The section stores its negative.
  int64_t DataFactor;
  /// The rules of the CIE of the current entry.
  const UnwindRules *Common = nullptr;
  /// The next function, in collectRows().
  uint64_t NextRange = 0;
};

} // namespace

static bool isEqual(const RegisterRule &X, const RegisterRule &Y) {
  return X.How == Y.How && X.Register == Y.Register && X.Offset == Y.Offset &&
         X.Expression == Y.Expression;
}

//===----------------------------------------------------------------------===//
// Collecting entries
//===----------------------------------------------------------------------===//

/// Appends \p R, which is inside one function or outside of all.
void CallFrameWriter::addRow(UnwindRow R) {
  bool IsFirst = Entries.empty() || Entries.back().End != R.Begin;
  while (NextRange != A.rangeCount() &&
         (A.range(NextRange).VA < R.Begin || A.range(NextRange).Depth))
    ++NextRange;
  if (NextRange != A.rangeCount() && A.range(NextRange).VA == R.Begin)
    IsFirst = true;
  // An entry has one return address column, and is a signal frame or not.
  if (!IsFirst) {
    const UnwindRules &Before = rules(Rows.back().Rules), &Now = rules(R.Rules);
    IsFirst = Before.ReturnAddress != Now.ReturnAddress ||
              Before.IsSignalFrame != Now.IsSignalFrame;
  }
  if (IsFirst)
    Entries.push_back({R.Begin, R.End, Rows.size(), 0});
  Entries.back().End = R.End;
  ++Entries.back().Count;
  Rows.push_back(R);
}

/// Splits rows that span several functions, into one for each.
bool CallFrameWriter::collectRows() {
  for (uint32_t Number = 1; Number <= Table.ruleCount(); ++Number)
    if (!Rules.emplace_back(Table.rules(Number)))
      return false;
  uint64_t Range = 0;
  Error E = Table.forEachRow([&](const UnwindRow &Whole) {
    UnwindRow R = Whole;
    for (; Range != A.rangeCount() && A.range(Range).VA < Whole.End; ++Range) {
      RangeEntry F = A.range(Range);
      if (F.Depth || F.VA <= R.Begin)
        continue;
      addRow({R.Begin, F.VA, R.Rules});
      R.Begin = F.VA;
    }
    addRow(R);
  });
  if (!E)
    return true;
  consumeError(std::move(E));
  return false;
}

void CallFrameWriter::chooseFactors() {
  uint64_t Bits = uint64_t(1) << CodeShift;
  for (const UnwindRow &R : Rows)
    Bits |= R.Begin | R.End;
  CodeShift = llvm::countr_zero(Bits);
  auto Check = [&](const RegisterRule &Rule) {
    if (Rule.Offset % DataFactor)
      DataFactor = 1;
  };
  for (const std::optional<UnwindRules> &R : Rules)
    for (const auto &[Register, Rule] : R->Registers)
      if (Rule.How == RegisterRule::Kind::AtCFA ||
          Rule.How == RegisterRule::Kind::IsCFA)
        Check(Rule);
}

CommonKey CallFrameWriter::keyOf(const Entry &E) const {
  const UnwindRules &R = rules(Rows[E.First].Rules);
  return {R.ReturnAddress, R.IsSignalFrame || R.IsFaultFrame};
}

void CallFrameWriter::chooseCommonParts() {
  std::map<CommonKey, std::map<uint32_t, uint64_t>> Uses;
  for (const Entry &E : Entries)
    ++Uses[keyOf(E)][Rows[E.First].Rules];
  for (const auto &[Key, Counts] : Uses)
    CommonParts[Key].Rules = std::max_element(Counts.begin(), Counts.end(),
                                              [](const auto &X, const auto &Y) {
                                                return X.second < Y.second;
                                              })
                                 ->first;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void CallFrameWriter::advance(uint64_t Distance) {
  Distance >>= CodeShift;
  if (Distance < 0x40) {
    Out.u8(uint8_t(DW_CFA_advance_loc | Distance));
  } else if (Distance <= UINT8_MAX) {
    Out.u8(DW_CFA_advance_loc1);
    Out.u8(uint8_t(Distance));
  } else if (Distance <= UINT16_MAX) {
    Out.u8(DW_CFA_advance_loc2);
    Out.u16(uint16_t(Distance));
  } else {
    // Rows of archives span less than 4 Gi units.
    Out.u8(DW_CFA_advance_loc4);
    Out.u32(uint32_t(Distance));
  }
}

/// The expression of a value or, with \p IsAddress, of the value's address.
SectionWriter CallFrameWriter::expression(const RegisterRule &Rule,
                                          bool IsAddress) const {
  SectionWriter Code(Out.target());
  if (Rule.How == RegisterRule::Kind::AtExpression ||
      Rule.How == RegisterRule::Kind::IsExpression) {
    Code.append(toStringRef(Rule.Expression));
    return Code;
  }
  if (Rule.Register < 32) {
    Code.u8(uint8_t(DW_OP_breg0 + Rule.Register));
  } else {
    Code.u8(DW_OP_bregx);
    Code.uleb(Rule.Register);
  }
  Code.sleb(Rule.Offset);
  if (Rule.How == RegisterRule::Kind::AtRegister && !IsAddress)
    Code.u8(DW_OP_deref);
  return Code;
}

void CallFrameWriter::writeBlock(const SectionWriter &Expression) {
  Out.uleb(Expression.size());
  Out.append(Expression.bytes());
}

void CallFrameWriter::writeCFA(const UnwindRules *From,
                               const RegisterRule &To) {
  if (From && isEqual(From->CFA, To))
    return;
  if (To.How != RegisterRule::Kind::IsRegister || To.Offset < 0) {
    Out.u8(DW_CFA_def_cfa_expression);
    return writeBlock(expression(To, /*IsAddress=*/false));
  }
  bool WasRegister = From && From->CFA.How == To.How && From->CFA.Offset >= 0;
  if (WasRegister && From->CFA.Register == To.Register) {
    Out.u8(DW_CFA_def_cfa_offset);
    return Out.uleb(To.Offset);
  }
  if (WasRegister && From->CFA.Offset == To.Offset) {
    Out.u8(DW_CFA_def_cfa_register);
    return Out.uleb(To.Register);
  }
  Out.u8(DW_CFA_def_cfa);
  Out.uleb(To.Register);
  Out.uleb(To.Offset);
}

/// Writes the rule for a register saved at the CFA plus \p Offset.
void CallFrameWriter::writeOffset(uint32_t Register, int64_t Offset) {
  int64_t Factored = -(Offset / DataFactor);
  if (Factored < 0) {
    Out.u8(DW_CFA_offset_extended_sf);
    Out.uleb(Register);
    return Out.sleb(Factored);
  }
  if (Register < 64) {
    Out.u8(uint8_t(DW_CFA_offset | Register));
  } else {
    Out.u8(DW_CFA_offset_extended);
    Out.uleb(Register);
  }
  Out.uleb(Factored);
}

void CallFrameWriter::writeRule(uint32_t Register, const RegisterRule &Rule) {
  auto Begin = [&](CallFrameInfo Code) {
    Out.u8(Code);
    Out.uleb(Register);
  };
  switch (Rule.How) {
  case RegisterRule::Kind::Undefined:
    return Begin(DW_CFA_undefined);
  case RegisterRule::Kind::Same:
    return Begin(DW_CFA_same_value);
  case RegisterRule::Kind::AtCFA:
    return writeOffset(Register, Rule.Offset);
  case RegisterRule::Kind::IsCFA:
    Begin(DW_CFA_val_offset_sf);
    return Out.sleb(-(Rule.Offset / DataFactor));
  case RegisterRule::Kind::Register:
    Begin(DW_CFA_register);
    return Out.uleb(Rule.Register);
  case RegisterRule::Kind::AtExpression:
  case RegisterRule::Kind::AtRegister:
    Begin(DW_CFA_expression);
    return writeBlock(expression(Rule, /*IsAddress=*/true));
  case RegisterRule::Kind::IsExpression:
  case RegisterRule::Kind::IsRegister:
    Begin(DW_CFA_val_expression);
    return writeBlock(expression(Rule, /*IsAddress=*/false));
  }
}

/// DW_CFA_restore restores the rule of the CIE, so it cannot remove that rule.
void CallFrameWriter::writeNoRule(uint32_t Register) {
  if (Common && Common->find(Register)) {
    Out.u8(DW_CFA_same_value);
    Out.uleb(Register);
  } else if (Register < 64) {
    Out.u8(uint8_t(DW_CFA_restore | Register));
  } else {
    Out.u8(DW_CFA_restore_extended);
    Out.uleb(Register);
  }
}

/// Writes the instructions that change the rules \p From (null for none) to
/// \p To.
void CallFrameWriter::change(const UnwindRules *From, const UnwindRules &To) {
  writeCFA(From, To.CFA);
  for (const auto &[Register, Rule] : To.Registers) {
    const RegisterRule *Before = From ? From->find(Register) : nullptr;
    if (!Before || !isEqual(*Before, Rule))
      writeRule(Register, Rule);
  }
  if (From)
    for (const auto &[Register, Rule] : From->Registers)
      if (!To.find(Register))
        writeNoRule(Register);
  if (To.IsSigned != (From && From->IsSigned))
    Out.u8(DW_CFA_AARCH64_negate_ra_state);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void CallFrameWriter::endEntry(uint64_t Start) {
  while ((Out.size() - (Start - 4)) % Out.target().AddressSize)
    Out.u8(DW_CFA_nop);
  Out.endLength(Start);
}

void CallFrameWriter::writeCommonPart(const CommonKey &Key, CommonPart &Part) {
  Part.Offset = Out.size();
  uint64_t Start = Out.beginLength();
  Out.u32(UINT32_MAX); // CIE_id
  // libunwind does not know version 4.
  Out.u8(3);
  Out.cstring(Key.IsSignalFrame ? "zS" : "");
  Out.uleb(uint64_t(1) << CodeShift);
  Out.sleb(-DataFactor);
  Out.uleb(Key.ReturnAddress);
  if (Key.IsSignalFrame)
    Out.uleb(0); // length of the augmentation data
  Common = nullptr;
  change(nullptr, rules(Part.Rules));
  endEntry(Start);
}

void CallFrameWriter::writeEntry(const Entry &E) {
  CommonKey Key = keyOf(E);
  const CommonPart &Part = CommonParts[Key];
  Common = &rules(Part.Rules);
  uint64_t Start = Out.beginLength();
  Out.u32(uint32_t(Part.Offset));
  Out.address(E.Begin);
  Out.address(E.End - E.Begin);
  if (Key.IsSignalFrame)
    Out.uleb(0);
  uint64_t At = E.Begin;
  const UnwindRules *Before = Common;
  for (const UnwindRow &R : ArrayRef(Rows).slice(E.First, E.Count)) {
    const UnwindRules &Now = rules(R.Rules);
    if (R.Begin != At)
      advance(R.Begin - std::exchange(At, R.Begin));
    change(Before, Now);
    Before = &Now;
    // run() reports the excess.
    if (Out.size() > Max)
      break;
  }
  endEntry(Start);
}

bool CallFrameWriter::run() {
  if (!collectRows() || Rows.empty())
    return false;
  chooseFactors();
  chooseCommonParts();
  for (auto &[Key, Part] : CommonParts)
    writeCommonPart(Key, Part);
  for (const Entry &E : Entries) {
    writeEntry(E);
    if (Out.size() > Max)
      return false;
  }
  return true;
}

SectionWriter writeCallFrames(const Archive &A, const Target &T, uint64_t Max) {
  Expected<UnwindTable> Table = A.unwindTable();
  if (Table && !Table->empty()) {
    CallFrameWriter Writer(A, *Table, T, std::min<uint64_t>(Max, UINT32_MAX));
    if (Writer.run())
      return std::move(Writer.Out);
  }
  consumeError(Table.takeError());
  return SectionWriter(T);
}

} // namespace lidia
