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
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <map>
#include <optional>

using namespace llvm;

namespace lidia {

namespace {
/// Ranges by their start, where a new range replaces the parts that it covers.
/// Each insertion splits at most one range, so memory and time are proportional
/// to the number of lines.
class ReplacedRanges {
public:
  /// Whether there is room for \p R, which is inserted.
  bool insert(const NamedRange &R) {
    // These take a few hundred megabytes. A large program in Java or JavaScript
    // has a tenth of this number of methods.
    constexpr size_t Max = size_t(4) << 20;
    if (ByBegin.size() >= Max)
      return false;
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
    return true;
  }

  std::map<uint64_t, NamedRange> ByBegin;
};
} // namespace

/// None if \p Line is malformed.
static std::optional<NamedRange> readLine(StringRef Line) {
  NamedRange R;
  uint64_t Size;
  // Some compilers write a prefix.
  Line.consume_front("0x");
  if (Line.consumeInteger(16, R.Begin) || !Line.consume_front(" "))
    return std::nullopt;
  Line.consume_front("0x");
  if (Line.consumeInteger(16, Size) || !Line.consume_front(" ") ||
      Size > UINT64_MAX - R.Begin)
    return std::nullopt;
  R.End = R.Begin + Size;
  R.Name = Line;
  return R;
}

PerfMap::PerfMap(std::unique_ptr<MemoryBuffer> Buffer, WarningFunction Warn)
    : Text(std::move(Buffer)) {
  StringRef Name = Text->getBufferIdentifier();
  ReplacedRanges All;
  MalformedLines Malformed;
  uint64_t LeftOut = 0;
  forEachLine(Text->getBuffer(), [&](StringRef Line, size_t Number) {
    if (Line.empty())
      return;
    std::optional<NamedRange> R = readLine(Line);
    if (!R)
      Malformed.add(Number);
    else if (R->Begin != R->End)
      LeftOut += !All.insert(*R);
  });
  Malformed.report(Name, Warn);
  if (LeftOut)
    Warn(Name + ": " + Twine(LeftOut) + " lines are too many and left out");
  Ranges.reserve(All.ByBegin.size());
  for (const auto &[Begin, R] : All.ByBegin)
    if (R.Begin != R.End)
      Ranges.push_back(R);
}

std::unique_ptr<PerfMap> PerfMap::ofFile(const ByteReader &File, StringRef Name,
                                         WarningFunction Warn) {
  constexpr size_t Max = size_t(256) << 20;
  constexpr size_t Piece = size_t(1) << 20;
  SmallVector<char, 0> Bytes;
  bool IsText = true;
  bool IsWhole = false;
  while (IsText && !IsWhole && Bytes.size() < Max) {
    size_t Done = Bytes.size();
    Bytes.resize_for_overwrite(Done + Piece);
    size_t Got = File.read(
        Done,
        MutableArrayRef(reinterpret_cast<uint8_t *>(&Bytes[Done]), Piece));
    IsWhole = Got != Piece;
    // A file may have terabytes of zeros that take no space on disk.
    size_t End = StringRef(&Bytes[Done], Got).find('\0');
    IsText = End == StringRef::npos;
    Bytes.truncate(Done + std::min(Got, End));
  }
  if (!IsText)
    Warn(Name + ": not text after its first " + Twine(Bytes.size()) +
         " bytes; the rest is left out");
  else if (!IsWhole)
    Warn(Name + ": larger than 256 MiB; the rest is left out");
  return std::make_unique<PerfMap>(
      std::make_unique<SmallVectorMemoryBuffer>(
          std::move(Bytes), Name, /*RequiresNullTerminator=*/false),
      Warn);
}

const NamedRange *PerfMap::find(uint64_t Address) const {
  auto After = partition_point(
      Ranges, [&](const NamedRange &R) { return R.Begin <= Address; });
  if (After == Ranges.begin() || Address >= std::prev(After)->End)
    return nullptr;
  return &*std::prev(After);
}

} // namespace lidia
