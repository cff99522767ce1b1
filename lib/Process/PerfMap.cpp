//===- PerfMap.cpp - Maps of just-in-time compiled code -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextLines.h"
#include "lidia/Process/NamedRanges.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {
/// Ranges by their start, where a new range replaces the parts that it covers.
/// Each insertion splits one range at most, so memory and time are in
/// proportion to the lines.
class ReplacedRanges {
public:
  void insert(const NamedRange &R) {
    auto Next = ByBegin.lower_bound(R.Begin);
    if (Next != ByBegin.begin()) {
      NamedRange &Before = std::prev(Next)->second;
      if (Before.End > R.End) {
        NamedRange Tail = Before;
        Tail.Begin = R.End;
        Next = ByBegin.emplace_hint(Next, Tail.Begin, Tail);
      }
      Before.End = std::min(Before.End, R.Begin);
    }
    while (Next != ByBegin.end() && Next->first < R.End) {
      NamedRange Rest = Next->second;
      Next = ByBegin.erase(Next);
      if (Rest.End <= R.End)
        continue;
      Rest.Begin = R.End;
      ByBegin.emplace_hint(Next, Rest.Begin, Rest);
      break;
    }
    ByBegin[R.Begin] = R;
  }

  std::map<uint64_t, NamedRange> ByBegin;
};
} // namespace

static bool readLine(StringRef Line, ReplacedRanges &Ranges) {
  NamedRange R;
  uint64_t Size;
  if (Line.empty())
    return true;
  // Some compilers write a prefix.
  Line.consume_front("0x");
  if (Line.consumeInteger(16, R.Begin) || !Line.consume_front(" "))
    return false;
  Line.consume_front("0x");
  if (Line.consumeInteger(16, Size) || !Line.consume_front(" ") ||
      Size > UINT64_MAX - R.Begin)
    return false;
  R.End = R.Begin + Size;
  R.Name = Line;
  if (Size != 0)
    Ranges.insert(R);
  return true;
}

PerfMap::PerfMap(std::unique_ptr<MemoryBuffer> Buffer, WarningFunction Warn)
    : Text(std::move(Buffer)) {
  ReplacedRanges All;
  MalformedLines Malformed;
  forEachLine(Text->getBuffer(), [&](StringRef Line, size_t Number) {
    if (!readLine(Line, All))
      Malformed.add(Number);
  });
  Malformed.report(Text->getBufferIdentifier(), Warn);
  Ranges.reserve(All.ByBegin.size());
  for (const auto &[Begin, R] : All.ByBegin)
    if (R.Begin != R.End)
      Ranges.push_back(R);
}

const NamedRange *PerfMap::find(uint64_t Address) const {
  auto After = partition_point(
      Ranges, [&](const NamedRange &R) { return R.Begin <= Address; });
  if (After == Ranges.begin() || Address >= std::prev(After)->End)
    return nullptr;
  return &*std::prev(After);
}

} // namespace lidia
