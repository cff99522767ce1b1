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

#include "ListText.h"
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
struct SourceFunction {
  uint32_t FirstLine = 0;
  ListedValue Sum;
  std::map<uint32_t, ListedValue> Lines;
};

class SourceList {
public:
  SourceList(const Profile &P, const ProfileView &View, SourceLineReader LineOf)
      : P(P), Text(P, View), Limit(View.Limit), LineOf(LineOf) {}

  void add(const Regex &Pattern);
  void print(raw_ostream &OS) const;
  bool isEmpty() const { return Functions.empty(); }

private:
  /// Names of a function and of its file.
  using Key = std::pair<Profile::StringID, Profile::StringID>;

  void addSample(const Profile::Sample &S, uint64_t Value);
  void printFunction(const Key &K, const SourceFunction &F,
                     raw_ostream &OS) const;
  void printLine(const Key &K, uint32_t Number, const ListedValue *Value,
                 raw_ostream &OS) const;

  const Profile &P;
  const ListText Text;
  /// 0 for all.
  const uint64_t Limit;
  const SourceLineReader LineOf;
  /// For each function of the profile, whether it is listed.
  std::vector<bool> IsListed;
  std::map<Key, SourceFunction> Functions;
  uint64_t Sum = 0;
};
} // namespace

void SourceList::addSample(const Profile::Sample &S, uint64_t Value) {
  Sum = SaturatingAdd(Sum, Value);
  // A recursive function, and each of its lines, counts once.
  std::set<std::pair<Key, uint32_t>> Seen;
  bool IsInnermost = true;
  auto Add = [&](const Key &K, uint32_t Number, ListedValue &To, bool IsSelf) {
    To.add(Value, IsSelf, Seen.insert({K, Number}).second);
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
      SourceFunction &F = Functions[K];
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

void SourceList::printLine(const Key &K, uint32_t Number,
                           const ListedValue *Value, raw_ostream &OS) const {
  ListedValue None;
  const ListedValue &V = Value ? *Value : None;
  std::optional<StringRef> Line = LineOf(P.Strings[K.second], Number);
  // Without the file, only lines with values say something.
  if (!Line && !Value)
    return;
  OS << llvm::format("%10s %10s %6u:", Text.cell(V.Self).c_str(),
                     Text.cell(V.Total).c_str(), Number);
  printSourceLine(OS, Line.value_or("").rtrim("\r"));
  OS << '\n';
}

void SourceList::printFunction(const Key &K, const SourceFunction &F,
                               raw_ostream &OS) const {
  StringRef File = P.Strings[K.second];
  Text.printFunction(P.Strings[K.first],
                     File.empty() ? "an unknown file" : File, F.Sum, Sum, OS);
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
  Text.printTotal(Sum, OS);
  std::vector<const std::pair<const Key, SourceFunction> *> Order;
  for (const auto &Entry : Functions)
    Order.push_back(&Entry);
  llvm::sort(Order, [&](const auto *A, const auto *B) {
    auto Rank = [&](const auto *E) {
      return std::tuple(~E->second.Sum.Total, P.Strings[E->first.first],
                        P.Strings[E->first.second]);
    };
    return Rank(A) < Rank(B);
  });
  size_t Count = Limit ? Limit : Order.size();
  for (const auto *Entry : ArrayRef(Order).take_front(Count))
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
