//===- UnwindTable.cpp - How to find callers' frames ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A row is two ULEB128 numbers: the distance from the previous row and the
/// number of its rules. The first row of a block has no distance, because its
/// address is in the index. A row ends at the next one. The number 0 means "no
/// rules"; the last row has it.
///
//===----------------------------------------------------------------------===//

#include "lidia/Archive/UnwindTable.h"
#include "StatementCodec.h"
#include "UnwindRuleCodec.h"
#include "lidia/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lidia;
using namespace lidia::format;
using namespace llvm;

Error UnwindTable::broken(const Twine &Message) const {
  return make_error<DamagedError>(Name, Message, "section UNWD");
}

Expected<UnwindTable> UnwindTable::open(StringRef Bytes, StringRef Name) {
  UnwindTable T;
  T.Name = Name;
  if (Bytes.size() < sizeof(UnwindHeader))
    return T.broken("is too small");
  const auto &H = *reinterpret_cast<const UnwindHeader *>(Bytes.data());
  T.Base = H.Base;
  T.RowCount = H.RowCount;
  T.BlockCount = divideCeil(T.RowCount, UnwindBlockRows);
  T.Shift = H.Shift;
  T.ReturnAddress = H.ReturnAddress;
  T.Word = H.Word;
  Bytes = Bytes.drop_front(sizeof(UnwindHeader));
  uint64_t IndexSize = T.BlockCount * sizeof(UnwindBlock);
  if (IndexSize > Bytes.size() || H.RulesSize > Bytes.size() - IndexSize ||
      T.Shift > MaxUnwindShift || H.RuleCount > H.RulesSize)
    return T.broken("has parts outside it");
  T.Index = Bytes.take_front(IndexSize);
  T.RuleBytes = Bytes.substr(IndexSize, H.RulesSize);
  T.Rows = Bytes.drop_front(IndexSize + H.RulesSize);
  StringRef Left = T.RuleBytes;
  for (uint32_t I = 0; I != H.RuleCount; ++I) {
    T.RuleOffsets.push_back(uint32_t(Left.data() - T.RuleBytes.data()));
    std::optional<uint64_t> Size = takeULEB(Left);
    if (!Size || *Size > Left.size())
      return T.broken("has rules outside it");
    Left = Left.drop_front(*Size);
  }
  return T;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Reads the rows of a block one by one.
struct UnwindTable::Block {
  StringRef Bytes;
  /// The number of rows that have not been read yet.
  unsigned RowsLeft;
  /// The address of the row that was read last, in units from the base, and the
  /// address at which the block ends.
  uint64_t Begin;
  uint64_t Limit;
  uint64_t Rules = 0;
  bool IsFirst = true;

  /// Reads the next row into Begin and Rules.
  bool next() {
    if (RowsLeft == 0)
      return false;
    --RowsLeft;
    std::optional<uint64_t> Step = IsFirst ? 0 : takeULEB(Bytes);
    std::optional<uint64_t> Number = takeULEB(Bytes);
    if (!Step || !Number || (!IsFirst && *Step == 0) ||
        *Step >= Limit - Begin) {
      IsBroken = true;
      RowsLeft = 0;
      return false;
    }
    Begin += *Step;
    Rules = *Number;
    IsFirst = false;
    return true;
  }

  bool IsBroken = false;
};

uint64_t UnwindTable::firstOf(uint64_t BlockIndex) const {
  return reinterpret_cast<const UnwindBlock *>(Index.data())[BlockIndex].First;
}

/// None if the index is invalid there.
std::optional<UnwindTable::Block> UnwindTable::block(uint64_t I) const {
  const auto *Blocks = reinterpret_cast<const UnwindBlock *>(Index.data());
  uint64_t Limit = I + 1 == BlockCount ? uint64_t(1) << 32 : firstOf(I + 1);
  if (Blocks[I].Offset > Rows.size() || Limit <= firstOf(I))
    return std::nullopt;
  unsigned Count = unsigned(
      std::min<uint64_t>(UnwindBlockRows, RowCount - I * UnwindBlockRows));
  return Block{Rows.drop_front(Blocks[I].Offset), Count, firstOf(I), Limit};
}

std::optional<UnwindRow> UnwindTable::find(uint64_t Address) const {
  if (RowCount == 0 || Address < Base)
    return std::nullopt;
  uint64_t Units = (Address - Base) >> Shift;
  uint64_t Low = 0, High = BlockCount;
  while (High - Low > 1) {
    uint64_t Middle = Low + (High - Low) / 2;
    (firstOf(Middle) <= Units ? Low : High) = Middle;
  }
  std::optional<Block> B = block(Low);
  if (!B || Units < B->Begin || Units >= B->Limit)
    return std::nullopt;
  uint64_t Begin = 0, Rules = 0;
  while (B->next() && B->Begin <= Units) {
    Begin = B->Begin;
    Rules = B->Rules;
  }
  if (B->IsBroken || Rules == 0 || Rules > ruleCount())
    return std::nullopt;
  uint64_t End = B->Begin > Units ? B->Begin : B->Limit;
  return UnwindRow{address(Begin), address(End), uint32_t(Rules)};
}

Error UnwindTable::forEachRow(
    function_ref<void(const UnwindRow &)> Visit) const {
  UnwindRow Last;
  auto Broken = [&](uint64_t I) {
    return broken(formatv("is invalid in block {0}, after {1:x}", I,
                          address(Last.Begin)));
  };
  for (uint64_t I = 0; I != BlockCount; ++I) {
    std::optional<Block> B = block(I);
    if (!B)
      return Broken(I);
    while (B->next()) {
      if (B->Rules > ruleCount())
        return Broken(I);
      if (Last.Rules)
        Visit({address(Last.Begin), address(B->Begin), Last.Rules});
      Last = {B->Begin, 0, uint32_t(B->Rules)};
    }
    if (B->IsBroken)
      return Broken(I);
  }
  if (Last.Rules)
    return broken("has no end");
  return Error::success();
}

std::optional<UnwindRules> UnwindTable::rules(uint32_t Number) const {
  if (Number == 0 || Number > ruleCount())
    return std::nullopt;
  StringRef Bytes = RuleBytes.drop_front(RuleOffsets[Number - 1]);
  uint64_t Size = *takeULEB(Bytes);
  return decodeRules(Bytes.take_front(Size), {ReturnAddress, Word});
}
