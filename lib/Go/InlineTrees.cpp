//===- InlineTrees.cpp - Calls inlined by Go's compiler -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineTrees.h"
#include "lidia/Error.h"

using namespace llvm;

namespace lidia::go {

std::vector<InlineTrees::Form>
InlineTrees::forms(const FunctionTable &Table, ArrayRef<uint64_t> DataStarts) {
  std::vector<Form> Forms;
  switch (Table.layout()) {
  case Layout::Go12:
    // For Go 1.9 to 1.11, 1.12 and 1.13, 1.14 and 1.15.
    return {{1, 2, Entry::Go19, 0},
            {1, 2, Entry::Go112, 0},
            {2, 4, Entry::Go112, 0}};
  case Layout::Go116:
    return {{2, 3, Entry::Go112, 0}};
  case Layout::Go118:
    for (uint64_t Start : DataStarts)
      Forms.push_back({2, 3, Entry::Go112, Start});
    return Forms;
  case Layout::Go120:
    for (uint64_t Start : DataStarts)
      Forms.push_back({2, 3, Entry::Go120, Start});
    return Forms;
  }
  llvm_unreachable("unknown layout");
}

Expected<std::optional<InlineTrees>>
InlineTrees::open(const FunctionTable &Table, ArrayRef<uint64_t> DataStarts) {
  bool Any = false;
  std::optional<InlineTrees> Best;
  Score BestScore;
  for (const Form &F : forms(Table, DataStarts)) {
    InlineTrees Trees(Table, F);
    Score S = Trees.score();
    Any |= S.Good || S.Bad;
    bool Sense = S.Good > S.Bad * 8;
    if (Sense && S.Good > BestScore.Good) {
      Best = Trees;
      BestScore = S;
      // Usually the first layout is correct.
      if (S.Bad == 0 && Table.layout() != Layout::Go12)
        break;
    }
  }
  // Before Go 1.9 nothing was inlined, and these slots had other data.
  if (!Best && Any && Table.layout() != Layout::Go12)
    return make_error<UnsupportedError>(
        "", "the layout of Go's inlined calls is not known");
  return Best;
}

InlineTrees::Score InlineTrees::score() const {
  constexpr unsigned Sample = 256;
  Score S;
  std::vector<ValueRun> Indices;
  for (uint64_t I = 0; I < Table->size() && S.Good + S.Bad < Sample; ++I) {
    Expected<std::optional<Function>> F = Table->function(I);
    if (!F) {
      consumeError(F.takeError());
      continue;
    }
    if (!*F || !Table->dataAddress(**F, Way.Data, Way.DataStart))
      continue;
    bool Good = readIndices(**F, Indices) && makesSense(**F, Indices);
    ++(Good ? S.Good : S.Bad);
  }
  return S;
}

/// Whether the first calls of a function are plausible output of a compiler.
bool InlineTrees::makesSense(const Function &F,
                             ArrayRef<ValueRun> Indices) const {
  constexpr size_t Sample = 16;
  std::optional<InlinedCall> Last;
  int32_t LastIndex = -1;
  for (const ValueRun &R : Indices.take_front(Sample)) {
    if (R.Value < 0)
      continue;
    std::optional<InlinedCall> C = call(F, R.Value);
    if (!C || C->Name.empty())
      return false;
    // Zeros could look like calls, but not like distinct ones.
    if (Last && LastIndex != R.Value && Last->Name == C->Name &&
        Last->ParentOffset == C->ParentOffset && Last->Line == C->Line)
      return false;
    Last = C;
    LastIndex = R.Value;
    if (C->HasPosition && (C->Parent < -1 || C->Parent >= R.Value ||
                           Table->file(F, C->File).empty() || C->Line < 0))
      return false;
    if (!C->HasPosition && C->ParentOffset >= F.NextEntry - F.Entry)
      return false;
  }
  return Last.has_value();
}

std::optional<InlinedCall> InlineTrees::call(const Function &F,
                                             int32_t Index) const {
  uint64_t Tree = Table->dataAddress(F, Way.Data, Way.DataStart);
  if (!Tree || Index < 0)
    return std::nullopt;
  const Image &Memory = Table->memory();
  unsigned Size = Way.Calls == Entry::Go112 ? 20 : 16;
  uint64_t At = Tree + uint64_t(Index) * Size;
  if (Memory.bytes(At).size() < Size)
    return std::nullopt;
  auto Word = [&](unsigned Offset) { return *Memory.word(At + Offset); };
  InlinedCall C;
  if (Way.Calls == Entry::Go120) {
    C.Name = Table->name(Word(4));
    C.ParentOffset = Word(8);
    return C;
  }
  C.HasPosition = true;
  C.Parent = Word(0);
  if (Way.Calls == Entry::Go112)
    C.Parent =
        support::endian::read<int16_t>(Memory.bytes(At).data(), Memory.order());
  C.File = Word(4);
  C.Line = Word(8);
  C.Name = Table->name(Word(12));
  return C;
}

} // namespace lidia::go
