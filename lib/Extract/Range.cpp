//===- Range.cpp - The ranges of a source of symbols ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Range.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

StringID mainFile(ArrayRef<Row> Rows) {
  // Usually there is only one.
  if (all_of(Rows, [&](const Row &R) { return R.File == Rows[0].File; }))
    return Rows.empty() ? 0 : Rows[0].File;
  MapVector<StringID, unsigned> Counts;
  for (const Row &R : Rows)
    if (R.File)
      ++Counts[R.File];
  auto *Best = std::max_element(
      Counts.begin(), Counts.end(),
      [](const auto &A, const auto &B) { return A.second < B.second; });
  return Best == Counts.end() ? 0 : Best->first;
}

StringRef RangeTrees::statements(size_t Root) const {
  auto It = partition_point(StatementStarts,
                            [&](const auto &S) { return S.first < Root; });
  if (It == StatementStarts.end() || It->first != Root)
    return StringRef();
  auto Next = std::next(It);
  return StringRef(Statements)
      .slice(It->second,
             Next == StatementStarts.end() ? StringRef::npos : Next->second);
}

ArrayRef<std::pair<uint32_t, CallNote>>
RangeTrees::callNotes(size_t Root) const {
  ArrayRef<std::pair<uint32_t, CallNote>> Notes = CallNotes;
  return Notes
      .drop_front(partition_point(
                      Notes, [&](const auto &N) { return N.first < Root; }) -
                  Notes.begin())
      .take_while([&](const auto &N) { return N.first == Root; });
}

uint64_t RangeTrees::entry(size_t Root) const {
  auto It = partition_point(
      Entries, [&](const auto &Entry) { return Entry.first < Root; });
  return It != Entries.end() && It->first == Root ? It->second
                                                  : Ranges[Root].Start;
}

} // namespace lidia
