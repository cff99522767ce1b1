//===- FlameGraphFuzzer.cpp - Flame graphs of any profile -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// For any profile, the page is that of an empty profile with another JSON
/// object. The object is printable text, has the form that FlameGraph.cpp
/// describes, and has the sums of the profile within the limits. Without
/// limits, the order of samples does not matter.
///
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"
#include "lidia/Profile/FlameGraph.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace lidia;
using namespace llvm;

static constexpr uint64_t MaxOutput = 64 * 1024 * 1024;

/// Fills \p P from \p Input: first strings, then the objects that refer to
/// them.
static void readProfile(FuzzInput &Input, Profile &P) {
  unsigned Strings = Input.byte() % 32;
  for (unsigned I = 0; I != Strings; ++I)
    P.Strings.append(Input.take(Input.byte() % 32));
  P.Strings.append("comm");
  auto Below = [&](size_t Count) { return uint32_t(Input.byte() % Count); };
  auto String = [&] { return Below(P.Strings.size()); };

  unsigned Types = Input.byte() % 12;
  for (unsigned I = 0; I != Types; ++I)
    P.SampleTypes.push_back({String(), String()});
  P.DefaultSampleType = Types ? Below(Types) : 0;
  for (unsigned I = Input.byte() % 4; I != 0; --I) {
    P.Mappings.emplace_back();
    P.Mappings.back().File = String();
  }
  for (unsigned I = Input.byte() % 16; I != 0; --I) {
    P.Functions.emplace_back();
    P.Functions.back().Name = String();
    P.Functions.back().File = String();
  }
  for (unsigned I = Input.byte() % 32; I != 0; --I) {
    Profile::Location L;
    uint32_t Mapping = Below(P.Mappings.size() + 1);
    L.Mapping = Mapping == P.Mappings.size() ? Profile::None : Mapping;
    L.FirstLine = uint32_t(P.Lines.size());
    for (L.LineCount = Input.byte() % 4;
         P.Lines.size() != L.FirstLine + L.LineCount;) {
      Profile::Line Line;
      uint32_t Function = Below(P.Functions.size() + 1);
      Line.Function = Function == P.Functions.size() ? Profile::None : Function;
      Line.Number = uint32_t(Input.variableNumber());
      P.Lines.push_back(Line);
    }
    P.Locations.push_back(L);
  }
  while (!Input.empty()) {
    Profile::Sample S;
    S.FirstLocation = uint32_t(P.StackLocations.size());
    if (!P.Locations.empty())
      S.LocationCount = Input.byte() % 16;
    for (unsigned I = 0; I != S.LocationCount; ++I)
      P.StackLocations.push_back(Below(P.Locations.size()));
    S.FirstLabel = uint32_t(P.Labels.size());
    S.LabelCount = Input.byte() % 2;
    for (unsigned I = 0; I != S.LabelCount; ++I)
      P.Labels.push_back({String(), String(), 0, 0});
    // Small values, so that no sum exceeds the range of JSON's numbers, or the
    // minimum.
    for (unsigned I = 0; I != Types; ++I) {
      uint8_t Value = Input.byte();
      P.Values.push_back(Value == 0xff ? INT64_MIN : int8_t(Value));
    }
    P.Samples.push_back(S);
  }
}

static std::string write(const Profile &P, StringRef Title,
                         const FlameGraphLimits &Limits) {
  LimitedStream OS(MaxOutput);
  printFlameGraph(P, Title, OS, Limits);
  return OS.text().str();
}

/// The JSON object of \p Page. The rest of the page must be that of an empty
/// profile.
static StringRef dataOf(StringRef Page) {
  static const std::string Empty = write(Profile(), "", {});
  static const StringRef Begin = "type=\"application/json\">";
  size_t Before = StringRef(Empty).find(Begin) + Begin.size();
  StringRef After = StringRef(Empty).substr(StringRef(Empty).find("</script>"));
  check(Page.consume_front(StringRef(Empty).take_front(Before)) &&
            Page.consume_back(After),
        "the profile changes the page");
  return Page;
}

namespace {
/// Reads a page's JSON object.
class PageReader {
public:
  explicit PageReader(StringRef Text) : Value(cantFail(json::parse(Text))) {}

  std::vector<uint64_t> numbers(StringRef Key) const {
    return numbers(*object().getArray(Key));
  }
  std::vector<uint64_t> numbers(const json::Array &A) const {
    std::vector<uint64_t> Result;
    for (const json::Value &V : A)
      Result.push_back(*V.getAsUINT64());
    return Result;
  }
  const json::Object &object() const { return *Value.getAsObject(); }

private:
  json::Value Value;
};
} // namespace

static void checkIndices(ArrayRef<uint64_t> Numbers, size_t Step, size_t First,
                         size_t Limit) {
  check(Numbers.size() % Step == 0, "a list is cut off");
  for (size_t I = First; I < Numbers.size(); I += Step)
    check(Numbers[I] < Limit, "an index is out of range");
}

static void checkLines(ArrayRef<uint64_t> Lines, size_t Boxes,
                       size_t Positions) {
  size_t I = 0;
  for (; Boxes != 0; --Boxes) {
    check(I < Lines.size(), "a box has no lines");
    uint64_t Count = Lines[I++];
    size_t Step = Count == 1 ? 1 : 2;
    check(Count <= 5 && Count * Step <= Lines.size() - I, "too many lines");
    checkIndices(Lines.slice(I, Count * Step), Step, 0, Positions);
    I += Count * Step;
  }
  check(I == Lines.size(), "lines belong to no box");
}

/// The sum of the samples' values of the type \p Type.
static uint64_t sumOf(const Profile &P, size_t Type) {
  uint64_t Sum = 0;
  for (size_t I = 0; I != P.Samples.size(); ++I)
    Sum += uint64_t(std::max<int64_t>(P.values(I)[Type], 0));
  return Sum;
}

static void checkPage(const Profile &P, StringRef Page,
                      const FlameGraphLimits &Limits) {
  StringRef Text = dataOf(Page);
  check(!Text.contains('<'), "markup in the profile");
  for (StringRef Line : split(Text, '\n'))
    check(isPrintableText(Line), "text that cannot be printed");
  PageReader Reader(Text);
  std::vector<uint64_t> Depths = Reader.numbers("depth");
  check(Depths.size() <= 2 * Limits.PageBoxes + 1, "too many boxes");
  for (size_t I = 0; I != Depths.size(); ++I)
    check(Depths[I] >= 1 && Depths[I] <= (I ? Depths[I - 1] : 0) + 1 &&
              Depths[I] <= Limits.Depth + 1,
          "a box has no parent, or is too deep");

  size_t Strings = Reader.object().getArray("strings")->size();
  std::vector<uint64_t> Functions = Reader.numbers("functions");
  checkIndices(Functions, 3, 0, Strings);
  checkIndices(Functions, 3, 1, Strings);
  checkIndices(Functions, 3, 2, 3);
  std::vector<uint64_t> Positions = Reader.numbers("positions");
  checkIndices(Positions, 2, 0, Strings);
  std::vector<uint64_t> BoxFunctions = Reader.numbers("function");
  check(BoxFunctions.size() == Depths.size(), "a box has no function");
  checkIndices(BoxFunctions, 1, 0, Functions.size() / 3);
  checkLines(Reader.numbers("lines"), Depths.size(), Positions.size() / 2);

  const json::Array &Self = *Reader.object().getArray("self");
  check(Self.size() == std::min<size_t>(P.SampleTypes.size(), 8),
        "types are missing");
  for (size_t T = 0; T != Self.size(); ++T) {
    std::vector<uint64_t> Values = Reader.numbers(*Self[T].getAsArray());
    check(Values.size() == Depths.size(), "a box has no value");
    uint64_t Sum = 0;
    for (uint64_t Value : Values)
      Sum += Value;
    bool IsLast = T + 1 == Self.size() && P.DefaultSampleType >= Self.size();
    check(Sum == sumOf(P, IsLast ? P.DefaultSampleType : T), "values got lost");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  FuzzInput Input(StringRef(reinterpret_cast<const char *>(Data), Size));
  FlameGraphLimits Limits;
  Limits.Depth = Input.byte();
  Limits.Boxes = Input.byte();
  Limits.PageBoxes = Input.byte();
  Profile P;
  readProfile(Input, P);
  StringRef Title = P.Strings[1];
  checkPage(P, write(P, Title, Limits), Limits);

  std::string Page = write(P, Title, {});
  checkPage(P, Page, {});
  std::vector<int64_t> Values;
  for (size_t I = P.Samples.size(); I-- != 0;)
    append_range(Values, P.values(I));
  std::reverse(P.Samples.begin(), P.Samples.end());
  P.Values = Values;
  check(write(P, Title, {}) == Page, "the order of samples matters");
  return 0;
}
