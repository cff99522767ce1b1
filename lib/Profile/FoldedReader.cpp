//===- FoldedReader.cpp - Profiles from folded stacks ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line for each stack, the outermost frame first: "main;work;hash 12", as
// stackcollapse-perf.pl and many other tools write them.
//
//===----------------------------------------------------------------------===//

#include "MergedSamples.h"
#include "ProfileFormats.h"
#include "lidia/Error.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace lidia {

/// Splits \p Line into a stack and its value. Some tools write fractions.
static bool splitLine(StringRef Line, StringRef &Stack, int64_t &Value) {
  StringRef Number;
  std::tie(Stack, Number) = Line.rtrim().rsplit(' ');
  Stack = Stack.rtrim();
  double Real = 0;
  if (Stack.empty() || Number.empty() || !isDigit(Number.front()))
    return false;
  if (!Number.getAsInteger(10, Value))
    return true;
  // Above, a double is no exact number.
  constexpr double Max = 9e15;
  if (Number.getAsDouble(Real) || !(Real <= Max))
    return false;
  Value = int64_t(std::llround(Real));
  return true;
}

/// Each line of the beginning must be a stack, and one must have two frames:
/// lines of perf script begin with a space, or end otherwise.
bool recogniseFolded(StringRef Bytes) {
  constexpr size_t Start = 16 * 1024;
  if (Bytes.take_front(Start).contains('\0'))
    return false;
  // Whole lines, of which one may be longer than that.
  StringRef Left = Bytes.take_front(Bytes.find('\n', Start));
  bool HasStack = false;
  while (!Left.empty()) {
    StringRef Line, Stack;
    std::tie(Line, Left) = Left.split('\n');
    int64_t Value;
    if (Line.trim().empty() || Line.starts_with("#"))
      continue;
    if (isSpace(Line.front()) || !splitLine(Line, Stack, Value))
      return false;
    HasStack |= Stack.contains(';');
  }
  return HasStack;
}

namespace {
/// Fills a profile with the lines of a file.
class FoldedReader {
public:
  explicit FoldedReader(Profile &P) : P(P) {
    P.SampleTypes.push_back(
        {P.Strings.intern("samples"), P.Strings.intern("count")});
  }

  void readLine(StringRef Line);
  Error finish(StringRef Name);
  uint64_t leftOut() const { return LeftOut; }

private:
  uint32_t locationOf(StringRef Frame);

  Profile &P;
  /// Of the frames, by the numbers of their names.
  DenseMap<Profile::StringID, uint32_t> Locations;
  std::vector<int64_t> Values;
  uint64_t LeftOut = 0;
};
} // namespace

uint32_t FoldedReader::locationOf(StringRef Frame) {
  Profile::StringID Name = P.Strings.intern(Frame);
  auto [It, New] = Locations.try_emplace(Name, uint32_t(P.Locations.size()));
  if (!New)
    return It->second;
  Profile::Function F;
  F.Name = F.SystemName = Name;
  Profile::Location L;
  L.FirstLine = uint32_t(P.Lines.size());
  L.LineCount = 1;
  P.Lines.push_back({uint32_t(P.Functions.size()), 0, 0});
  P.Functions.push_back(F);
  P.Locations.push_back(L);
  return It->second;
}

void FoldedReader::readLine(StringRef Line) {
  StringRef Stack;
  int64_t Value;
  if (Line.trim().empty() || Line.starts_with("#"))
    return;
  if (!splitLine(Line, Stack, Value)) {
    ++LeftOut;
    return;
  }
  Profile::Sample S;
  S.FirstLocation = uint32_t(P.StackLocations.size());
  while (!Stack.empty()) {
    auto [Outer, Frame] =
        Stack.contains(';') ? Stack.rsplit(';') : std::pair(StringRef(), Stack);
    P.StackLocations.push_back(locationOf(Frame.trim()));
    Stack = Outer;
  }
  S.LocationCount = uint32_t(P.StackLocations.size() - S.FirstLocation);
  P.Samples.push_back(S);
  Values.push_back(Value);
}

Error FoldedReader::finish(StringRef Name) {
  if (P.Samples.empty())
    return make_error<DamagedError>(Name, "has no line like 'main;work 12'");
  if (Error E = P.allotValues(Values.size(), Name))
    return E;
  P.Values = std::move(Values);
  return Error::success();
}

Error readFolded(std::unique_ptr<MemoryBuffer> Bytes,
                 const ProfileReadOptions &, WarningFunction Warn,
                 ProfileFile &Into) {
  StringRef Name = Bytes->getBufferIdentifier(), Left = Bytes->getBuffer();
  if (Left.size() > INT32_MAX)
    return make_error<LimitError>(Name, "is larger than 2 GiB");
  FoldedReader Reader(Into.Other);
  Into.Other.FileSize = Left.size();
  while (!Left.empty()) {
    StringRef Line;
    std::tie(Line, Left) = Left.split('\n');
    Reader.readLine(Line);
  }
  if (Reader.leftOut())
    Warn(Name + ": " + Twine(Reader.leftOut()) +
         " lines that are not like 'main;work 12' are left out");
  return Reader.finish(Name);
}

uint64_t estimateFolded(const Profile &P) { return estimateText(P); }

} // namespace lidia
