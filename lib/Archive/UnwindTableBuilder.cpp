//===- UnwindTableBuilder.cpp - Makes the section UNWD --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementCodec.h"
#include "UnwindRuleCodec.h"
#include "lidia/Archive/UnwindTable.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

class UnwindTableBuilder::Impl {
public:
  Impl(UnwindRuleDefaults Defaults, unsigned Shift, uint64_t RuleBytesLeft)
      : Defaults(Defaults), Shift(Shift), RuleBytesLeft(RuleBytesLeft),
        WorkLeft(RuleBytesLeft * WorkRatio) {}

  std::optional<uint32_t> intern(const UnwindRules &Rules);
  Error addRow(const UnwindRow &Row);
  std::optional<std::string> bytes() const;

  struct Row {
    uint64_t Begin;
    /// A number that intern() returned, or 0.
    uint32_t Rules;
  };
  /// A row ends at the next one; the last row has no rules.
  std::vector<Row> Rows;

private:
  /// Whether each row with the rules \p Number covers one function.
  bool isFunction(uint32_t Number) const {
    return uint8_t(RuleBytes[Number - 1].front()) & UF_AtCallsOnly;
  }
  std::vector<uint32_t> rulesByUse() const;
  std::string rowBytes(ArrayRef<uint32_t> NumberOf,
                       std::string &BlockIndex) const;

  const UnwindRuleDefaults Defaults;
  const unsigned Shift;
  /// The maximum ratio of the bytes that are encoded to look up rules to the
  /// bytes that rules may take.
  static constexpr uint64_t WorkRatio = 1024;
  uint64_t RuleBytesLeft;
  uint64_t WorkLeft;
  StringMap<uint32_t> Numbers;
  /// Element I has the bytes of the rules with the number I + 1.
  std::vector<StringRef> RuleBytes;
  /// Used by intern(), and kept to reuse its memory.
  std::string Encoded;
};

std::optional<uint32_t>
UnwindTableBuilder::Impl::intern(const UnwindRules &Rules) {
  encodeRules(Rules, Defaults, Encoded);
  // A few bytes of instructions can produce large rules any number of times.
  if (Encoded.size() > WorkLeft)
    return std::nullopt;
  WorkLeft -= Encoded.size();
  auto Known = Numbers.find(Encoded);
  if (Known != Numbers.end())
    return Known->second;
  if (Encoded.size() > RuleBytesLeft)
    return std::nullopt;
  RuleBytesLeft -= Encoded.size();
  uint32_t Number = uint32_t(RuleBytes.size() + 1);
  RuleBytes.push_back(Numbers.try_emplace(Encoded, Number).first->getKey());
  return Number;
}

Error UnwindTableBuilder::Impl::addRow(const UnwindRow &R) {
  auto Broken = [&](const char *Rule) {
    return make_error<ArgumentError>(
        "",
        formatv("unwind row [{0:x}, {1:x}) {2}", R.Begin, R.End, Rule).str());
  };
  if (R.Begin >= R.End)
    return Broken("is empty");
  if (R.Rules == 0 || R.Rules > RuleBytes.size())
    return Broken("has unknown rules");
  if (uint64_t Mask = (uint64_t(1) << Shift) - 1; (R.Begin | R.End) & Mask)
    return Broken("is not aligned");
  if (!Rows.empty() && R.Begin < Rows.back().Begin)
    return Broken("begins before the end of the one before");
  if (!Rows.empty() && Rows.back().Begin == R.Begin)
    Rows.pop_back();
  if (Rows.empty() || Rows.back().Rules != R.Rules || isFunction(R.Rules))
    Rows.push_back({R.Begin, R.Rules});
  Rows.push_back({R.End, 0});
  return Error::success();
}

/// The numbers of rules, the most frequent first, so that these take one byte.
/// Rules without rows are left out.
std::vector<uint32_t> UnwindTableBuilder::Impl::rulesByUse() const {
  std::vector<uint64_t> Uses(RuleBytes.size() + 1);
  for (const Row &R : Rows)
    ++Uses[R.Rules];
  std::vector<uint32_t> Order;
  for (uint32_t Number = 1; Number != Uses.size(); ++Number)
    if (Uses[Number])
      Order.push_back(Number);
  llvm::sort(Order, [&](uint32_t A, uint32_t B) {
    if (Uses[A] != Uses[B])
      return Uses[A] > Uses[B];
    return RuleBytes[A - 1] < RuleBytes[B - 1];
  });
  return Order;
}

/// Returns the bytes of all rows, and stores those of the index in
/// \p BlockIndex.
std::string UnwindTableBuilder::Impl::rowBytes(ArrayRef<uint32_t> NumberOf,
                                               std::string &BlockIndex) const {
  std::string Out;
  uint64_t Base = Rows.front().Begin, Last = 0;
  for (size_t I = 0; I != Rows.size(); ++I) {
    uint64_t Units = (Rows[I].Begin - Base) >> Shift;
    if (I % UnwindBlockRows == 0) {
      UnwindBlock B = {};
      B.First = uint32_t(Units);
      B.Offset = uint32_t(Out.size());
      BlockIndex.append(reinterpret_cast<const char *>(&B), sizeof(B));
    } else {
      appendULEB(Out, Units - Last);
    }
    Last = Units;
    appendULEB(Out, NumberOf[Rows[I].Rules]);
  }
  return Out;
}

std::optional<std::string> UnwindTableBuilder::Impl::bytes() const {
  if (Rows.empty())
    return std::nullopt;
  uint64_t Base = Rows.front().Begin;
  // At most seven bytes a row.
  if ((Rows.back().Begin - Base) >> Shift > UINT32_MAX ||
      Rows.size() > UINT32_MAX / 10)
    return std::nullopt;
  std::vector<uint32_t> NumberOf(RuleBytes.size() + 1);
  std::string RulesOut, BlockIndex;
  uint32_t Number = 0;
  for (uint32_t Old : rulesByUse()) {
    NumberOf[Old] = ++Number;
    appendULEB(RulesOut, RuleBytes[Old - 1].size());
    RulesOut += RuleBytes[Old - 1];
  }
  std::string RowsOut = rowBytes(NumberOf, BlockIndex);
  UnwindHeader H = {};
  H.Base = Base;
  H.RowCount = uint32_t(Rows.size());
  H.RuleCount = Number;
  H.RulesSize = uint32_t(RulesOut.size());
  H.ReturnAddress = uint16_t(Defaults.ReturnAddress);
  H.Shift = uint8_t(Shift);
  H.Word = Defaults.Word;
  StringRef Head(reinterpret_cast<const char *>(&H), sizeof(H));
  return (Head + BlockIndex + RulesOut + RowsOut).str();
}

UnwindTableBuilder::UnwindTableBuilder(uint32_t ReturnAddress, unsigned Shift,
                                       uint64_t MaxRuleBytes, uint8_t Word)
    : P(std::make_unique<Impl>(UnwindRuleDefaults{ReturnAddress, Word}, Shift,
                               MaxRuleBytes)) {}
UnwindTableBuilder::~UnwindTableBuilder() = default;
UnwindTableBuilder::UnwindTableBuilder(UnwindTableBuilder &&) = default;
UnwindTableBuilder &
UnwindTableBuilder::operator=(UnwindTableBuilder &&) = default;

std::optional<uint32_t> UnwindTableBuilder::intern(const UnwindRules &Rules) {
  return P->intern(Rules);
}

Error UnwindTableBuilder::addRow(const UnwindRow &Row) {
  return P->addRow(Row);
}

std::optional<std::string> UnwindTableBuilder::bytes() const {
  return P->bytes();
}
