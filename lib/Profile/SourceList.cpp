//===- SourceList.cpp - Functions with the values of their lines ----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As `pprof -list` prints them:
//
//   Total: 10 s cpu
//   ROUTINE main.work in /src/main.go
//         2 s       5 s (self, total) 50.00% of Total
//           .         .     10:func work() {
//         2 s       5 s     11:  for i := range n {
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <set>

using namespace llvm;

namespace lidia {

namespace {
/// A value of its own, and with what was called.
struct LineValue {
  uint64_t Self = 0;
  uint64_t Total = 0;
};

struct ListedFunction {
  uint32_t FirstLine = 0;
  LineValue Sum;
  std::map<uint32_t, LineValue> Lines;
};

class SourceList {
public:
  SourceList(const Profile &P, const ProfileView &View, SourceLineReader LineOf)
      : P(P), View(View), LineOf(LineOf) {}

  void add(const Regex &Pattern);
  void print(raw_ostream &OS) const;
  bool isEmpty() const { return Functions.empty(); }

private:
  /// Names of a function and of its file.
  using Key = std::pair<Profile::StringID, Profile::StringID>;

  void addSample(const Profile::Sample &S, uint64_t Value);
  std::string text(uint64_t Value) const;
  void printFunction(const Key &K, const ListedFunction &F,
                     raw_ostream &OS) const;
  void printLine(const Key &K, uint32_t Number, const LineValue *Value,
                 raw_ostream &OS) const;

  const Profile &P;
  const ProfileView View;
  const SourceLineReader LineOf;
  /// For each function of the profile, whether it is listed.
  std::vector<bool> IsListed;
  std::map<Key, ListedFunction> Functions;
  uint64_t Sum = 0;
};
} // namespace

void SourceList::addSample(const Profile::Sample &S, uint64_t Value) {
  Sum = SaturatingAdd(Sum, Value);
  // A recursive function, and each of its lines, counts once.
  std::set<std::pair<Key, uint32_t>> Seen;
  bool IsInnermost = true;
  auto Add = [&](const Key &K, uint32_t Number, LineValue &To, bool IsSelf) {
    if (IsSelf)
      To.Self = SaturatingAdd(To.Self, Value);
    if (Seen.insert({K, Number}).second)
      To.Total = SaturatingAdd(To.Total, Value);
  };
  for (uint32_t Index : P.stack(S)) {
    const Profile::Location &L = P.Locations[Index];
    if (L.LineCount == 0)
      IsInnermost = false;
    for (const Profile::Line &Line : P.lines(L)) {
      bool IsSelf = std::exchange(IsInnermost, false);
      if (Line.Function == Profile::None || !IsListed[Line.Function])
        continue;
      const Profile::Function &Its = P.Functions[Line.Function];
      Key K(Its.Name, Its.File);
      ListedFunction &F = Functions[K];
      F.FirstLine = Its.StartLine;
      Add(K, Line.Number, F.Lines[Line.Number], IsSelf);
      Add(K, Profile::None, F.Sum, IsSelf);
    }
  }
}

void SourceList::add(const Regex &Pattern) {
  for (const Profile::Function &F : P.Functions)
    IsListed.push_back(Pattern.match(P.Strings[F.Name]));
  for (size_t I = 0; I != P.Samples.size(); ++I)
    if (int64_t Value = P.values(I)[P.DefaultSampleType]; Value > 0)
      addSample(P.Samples[I], uint64_t(Value));
}

std::string SourceList::text(uint64_t Value) const {
  if (Value == 0)
    return ".";
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  return valueText(int64_t(std::min<uint64_t>(Value, INT64_MAX)),
                   P.Strings[T.Unit], View.RawUnits);
}

void SourceList::printLine(const Key &K, uint32_t Number,
                           const LineValue *Value, raw_ostream &OS) const {
  LineValue None;
  const LineValue &V = Value ? *Value : None;
  std::optional<StringRef> Line = LineOf(P.Strings[K.second], Number);
  // Without the file, only lines with values say something.
  if (!Line && !Value)
    return;
  OS << llvm::format("%10s %10s %6u:", text(V.Self).c_str(),
                     text(V.Total).c_str(), Number);
  printText(OS, Line.value_or("").rtrim("\r"));
  OS << '\n';
}

void SourceList::printFunction(const Key &K, const ListedFunction &F,
                               raw_ostream &OS) const {
  OS << "ROUTINE ";
  printText(OS, P.Strings[K.first]);
  StringRef File = P.Strings[K.second];
  OS << " in ";
  printText(OS, File.empty() ? "an unknown file" : File);
  double Share = Sum ? 100.0 * double(F.Sum.Total) / double(Sum) : 0;
  OS << llvm::format("\n%10s %10s (self, total) %.2f%% of Total\n",
                     text(F.Sum.Self).c_str(), text(F.Sum.Total).c_str(),
                     Share);
  // From the declaration on, unless it is far away, and a few lines around.
  constexpr uint32_t Around = 3, MaxLines = 10000;
  uint32_t First = F.Lines.begin()->first, Last = F.Lines.rbegin()->first;
  if (F.FirstLine != 0 && F.FirstLine < First && First - F.FirstLine < MaxLines)
    First = F.FirstLine;
  else
    First -= std::min(First, Around);
  Last = SaturatingAdd(Last, Around);
  uint32_t Next = std::max(First, 1u);
  for (const auto &[Number, Value] : F.Lines) {
    // A crafted profile may have lines far apart.
    if (Number > Next && Number - Next > MaxLines)
      Next = Number;
    for (; Next < Number; ++Next)
      printLine(K, Next, nullptr, OS);
    printLine(K, Number, &Value, OS);
    Next = Number + 1;
  }
  for (; Next != 0 && Next <= Last; ++Next)
    printLine(K, Next, nullptr, OS);
}

void SourceList::print(raw_ostream &OS) const {
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  OS << "Total: "
     << typedValueText(P, T, int64_t(std::min<uint64_t>(Sum, INT64_MAX)),
                       View.RawUnits)
     << '\n';
  std::vector<const std::pair<const Key, ListedFunction> *> Order;
  for (const auto &Entry : Functions)
    Order.push_back(&Entry);
  llvm::sort(Order, [&](const auto *A, const auto *B) {
    auto Rank = [&](const auto *E) {
      return std::tuple(~E->second.Sum.Total, P.Strings[E->first.first],
                        P.Strings[E->first.second]);
    };
    return Rank(A) < Rank(B);
  });
  size_t Most = View.Limit ? View.Limit : Order.size();
  for (const auto *Entry : ArrayRef(Order).take_front(Most))
    printFunction(Entry->first, Entry->second, OS);
}

bool printSourceList(const Profile &P, const Regex &Pattern,
                     const ProfileView &View, SourceLineReader LineOf,
                     raw_ostream &OS) {
  if (P.SampleTypes.empty())
    return false;
  SourceList List(P, View, LineOf);
  List.add(Pattern);
  List.print(OS);
  return !List.isEmpty();
}

} // namespace lidia
