//===- NameLimit.cpp - Bounds the names of all sources --------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NameLimit.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace lidia {

namespace {

class NameLimit {
public:
  NameLimit(const StringPool &Strings, uint64_t Max)
      : Strings(Strings), Left(Max), Kept(Strings.idEnd()) {}

  void apply(RangeTrees &Trees);
  uint64_t leftOut() const { return LeftOut; }

private:
  bool keep(const RangeTrees &Trees, size_t Root, size_t End);
  void add(StringID ID);

  const StringPool &Strings;
  uint64_t Left;
  BitVector Kept;
  /// The strings of the current tree that are not in earlier trees.
  SmallVector<StringID, 16> New;
  uint64_t NewBytes = 0;
  uint64_t LeftOut = 0;
};

} // namespace

void NameLimit::add(StringID ID) {
  if (Kept.test(ID))
    return;
  Kept.set(ID);
  New.push_back(ID);
  NewBytes += Strings[ID].size();
}

/// Whether the tree from \p Root to \p End fits.
bool NameLimit::keep(const RangeTrees &Trees, size_t Root, size_t End) {
  New.clear();
  NewBytes = 0;
  for (const Range &R : ArrayRef(Trees.Ranges).slice(Root, End - Root)) {
    for (StringID ID : {R.Name, R.File, R.CallFile, R.DeclFile})
      add(ID);
    for (const Row &Row : Trees.rows(R))
      add(Row.File);
  }
  if (NewBytes <= Left) {
    Left -= NewBytes;
    return true;
  }
  for (StringID ID : New)
    Kept.reset(ID);
  ++LeftOut;
  return false;
}

void NameLimit::apply(RangeTrees &Trees) {
  size_t Size = 0;
  std::vector<std::pair<uint32_t, uint64_t>> Entries;
  for (size_t Root = 0, End; Root < Trees.Ranges.size(); Root = End) {
    End = Trees.treeEnd(Root);
    if (!keep(Trees, Root, End))
      continue;
    if (uint64_t Entry = Trees.entry(Root); Entry != Trees.Ranges[Root].Start)
      Entries.emplace_back(Size, Entry);
    std::move(Trees.Ranges.begin() + Root, Trees.Ranges.begin() + End,
              Trees.Ranges.begin() + Size);
    Size += End - Root;
  }
  Trees.Ranges.resize(Size);
  Trees.Entries = std::move(Entries);
}

/// Removes the data that only debuggers need, except declarations, because it
/// refers to trees by position, and to strings that keep() does not count.
static void dropDebuggerData(UnitRanges &Unit) {
  for (RangeTrees *Trees : {&Unit.Functions, &Unit.LineOnly}) {
    Trees->Statements.clear();
    Trees->StatementStarts.clear();
    Trees->CallNotes.clear();
  }
  Unit.Calls.clear();
  Unit.PlainNames.clear();
  Unit.LastDeclarations.clear();
  Unit.Name = 0;
}

uint64_t keepNamesWithin(std::vector<SourceRanges> &Sources,
                         const StringPool &Strings, uint64_t Max) {
  NameLimit Limit(Strings, Max);
  for (SourceRanges &Source : Sources)
    for (UnitRanges &Unit : Source.Units) {
      dropDebuggerData(Unit);
      Limit.apply(Unit.Functions);
      Limit.apply(Unit.LineOnly);
    }
  return Limit.leftOut();
}

} // namespace lidia
