//===- Range.cpp - The ranges of a source of symbols ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Range.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lidia {

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
