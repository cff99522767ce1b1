//===- CodeList.cpp - Functions with the values of their instructions -----===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As `pprof -disasm` prints them:
//
//   Total: 10.0 s cpu
//   ROUTINE work in a.out
//       2.00 s     5.00 s (self, total) 50.00% of Total
//            .          .     401120: push rbp            ; work.c:10
//       2.00 s     5.00 s     401121: call 0x401100       ; work.c:11
//
// The value of a caller is that of its call instruction.
//
//===----------------------------------------------------------------------===//

#include "ListText.h"
#include "ProfileModule.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <map>
#include <set>

using namespace llvm;

namespace lidia {

namespace {
struct ListedCode {
  const ProfileModule *Module = nullptr;
  StringRef File;
  Profile::StringID Name = 0;
  uint64_t Begin = 0;
  uint64_t Size = 0;
  ListedValue Sum;
  /// By the module's own address.
  std::map<uint64_t, ListedValue> Values;
};

class CodeList {
public:
  CodeList(const Profile &P, const ProfileView &View, ModuleResolver &Modules,
           CodeReader Read)
      : P(P), Text(P, View), Limit(View.Limit), Modules(Modules), Read(Read) {}

  void find(const Regex &Pattern);
  void addSamples();
  void print(raw_ostream &OS) const;
  bool isEmpty() const { return Order.empty(); }

private:
  /// Where a location is.
  struct Place {
    ListedCode *Of = nullptr;
    uint64_t Address = 0;
  };

  const ProfileModule &module(uint32_t Mapping);
  Place placeOf(const Profile::Location &L, Profile::StringID Name);
  void printFunction(const ListedCode &C, raw_ostream &OS) const;
  void printRow(const ListedValue &V, uint64_t Address, StringRef Code,
                StringRef Source, raw_ostream &OS) const;
  std::vector<CodeLine> linesOf(const ListedCode &C) const;
  std::string sourceAt(const ListedCode &C, uint64_t Address) const;

  const Profile &P;
  const ListText Text;
  const uint64_t Limit;
  ModuleResolver &Modules;
  const CodeReader Read;
  std::map<std::pair<Profile::StringID, Profile::StringID>, ProfileModule>
      Opened;
  std::map<std::pair<const ProfileModule *, uint64_t>, ListedCode> Functions;
  /// By location.
  std::vector<Place> Places;
  std::vector<const ListedCode *> Order;
  uint64_t Sum = 0;
};
} // namespace

const ProfileModule &CodeList::module(uint32_t Mapping) {
  const Profile::Mapping &M = P.Mappings[Mapping];
  auto It = Opened.find({M.File, M.BuildID});
  if (It == Opened.end())
    It = Opened
             .emplace(
                 std::pair(M.File, M.BuildID),
                 ProfileModule::open(P, M, /*IsProgram=*/Mapping == 0, Modules))
             .first;
  return It->second;
}

/// The function, of the name \p Name, that has the code of \p L.
CodeList::Place CodeList::placeOf(const Profile::Location &L,
                                  Profile::StringID Name) {
  const Profile::Mapping &M = P.Mappings[L.Mapping];
  if (P.Strings[M.File].size() > ProfileModule::LongestPath)
    return {};
  const ProfileModule &Its = module(L.Mapping);
  std::optional<uint64_t> Own;
  if (Its.A)
    Own = Its.addressOf(M, L.Address);
  SmallVector<Frame, 8> Frames;
  if (Own)
    Its.A->lookup(*Own, Frames);
  if (Frames.empty() || Frames.back().Range >= Its.A->rangeCount())
    return {};
  RangeEntry Range = Its.A->range(Frames.back().Range);
  ListedCode &C = Functions[{&Its, Range.VA}];
  C.Module = &Its;
  C.File = P.Strings[M.File];
  if (C.Name == 0)
    C.Name = Name;
  C.Begin = Range.VA;
  C.Size = Range.Length;
  return {&C, *Own};
}

void CodeList::find(const Regex &Pattern) {
  for (const Profile::Location &L : P.Locations) {
    Places.emplace_back();
    if (L.LineCount == 0 || L.Mapping == Profile::None)
      continue;
    const Profile::Line &Outer = P.lines(L).back();
    if (Outer.Function == Profile::None)
      continue;
    Profile::StringID Name = P.Functions[Outer.Function].Name;
    if (Pattern.match(P.Strings[Name]))
      Places.back() = placeOf(L, Name);
  }
}

void CodeList::addSamples() {
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    int64_t Signed = P.values(I)[P.DefaultSampleType];
    if (Signed <= 0)
      continue;
    uint64_t Value = uint64_t(Signed);
    Sum = SaturatingAdd(Sum, Value);
    // A recursive function, and each of its calls, counts once.
    std::set<const ListedValue *> Seen;
    bool IsSelf = true;
    for (uint32_t Index : P.stack(P.Samples[I])) {
      bool IsInnermost = std::exchange(IsSelf, false);
      auto [Of, Address] = Places[Index];
      if (!Of)
        continue;
      for (ListedValue *To : {&Of->Sum, &Of->Values[Address]})
        To->add(Value, IsInnermost, Seen.insert(To).second);
    }
  }
  for (const auto &[Key, C] : Functions)
    if (C.Sum.Total)
      Order.push_back(&C);
  llvm::sort(Order, [&](const ListedCode *A, const ListedCode *B) {
    auto Rank = [&](const ListedCode *C) {
      return std::tuple(~C->Sum.Total, P.Strings[C->Name], C->File, C->Begin);
    };
    return Rank(A) < Rank(B);
  });
}

/// The instructions of \p C; empty if its code cannot be read.
std::vector<CodeLine> CodeList::linesOf(const ListedCode &C) const {
  const ArchiveInfo *Info = C.Module->A->info();
  constexpr uint64_t MaxSize = 1 << 20;
  std::vector<uint8_t> Bytes(std::min(C.Size, MaxSize));
  if (!Info || !C.Module->Loaded.File)
    return {};
  Bytes.resize(C.Module->Loaded.read(C.Begin, Bytes));
  return Read(*Info, C.Begin, Bytes);
}

/// "work.c:11", the innermost line at \p Address.
std::string CodeList::sourceAt(const ListedCode &C, uint64_t Address) const {
  SmallVector<Frame, 8> Frames;
  C.Module->A->lookup(Address, Frames);
  if (Frames.empty() || Frames.front().Line == 0)
    return "";
  return (sys::path::filename(C.Module->A->string(Frames.front().File)) + ":" +
          Twine(Frames.front().Line))
      .str();
}

void CodeList::printRow(const ListedValue &V, uint64_t Address, StringRef Code,
                        StringRef Source, raw_ostream &OS) const {
  OS << llvm::format("%10s %10s %10llx:", Text.cell(V.Self).c_str(),
                     Text.cell(V.Total).c_str(), (unsigned long long)Address);
  if (!Code.empty() || !Source.empty())
    OS << ' ';
  printText(OS, Code);
  if (!Source.empty()) {
    constexpr size_t Width = 40;
    OS.indent(Code.size() < Width ? unsigned(Width - Code.size()) : 1) << "; ";
    printSourceLine(OS, Source);
  }
  OS << '\n';
}

void CodeList::printFunction(const ListedCode &C, raw_ostream &OS) const {
  Text.printFunction(P.Strings[C.Name], sys::path::filename(C.File), C.Sum, Sum,
                     OS);
  std::string LastSource;
  auto Print = [&](uint64_t Address, uint64_t End, StringRef Code) {
    ListedValue V;
    for (auto It = C.Values.lower_bound(Address);
         It != C.Values.end() && It->first < End; ++It) {
      V.Self = SaturatingAdd(V.Self, It->second.Self);
      V.Total = SaturatingAdd(V.Total, It->second.Total);
    }
    std::string Source = sourceAt(C, Address);
    printRow(V, Address, Code, Source == LastSource ? "" : Source, OS);
    LastSource = Source;
  };
  uint64_t Next = C.Begin;
  for (const CodeLine &Line : linesOf(C)) {
    Print(Next, Next + Line.Size, Line.Text);
    Next += Line.Size;
  }
  // What could not be read.
  for (auto It = C.Values.lower_bound(Next); It != C.Values.end(); ++It)
    Print(It->first, It->first + 1, "");
}

void CodeList::print(raw_ostream &OS) const {
  Text.printTotal(Sum, OS);
  size_t Count = Limit ? Limit : Order.size();
  for (const ListedCode *C : ArrayRef(Order).take_front(Count))
    printFunction(*C, OS);
}

bool printCodeList(const Profile &P, const Regex &Pattern,
                   const ProfileView &View, ModuleResolver &Modules,
                   CodeReader Read, raw_ostream &OS) {
  if (P.SampleTypes.empty())
    return false;
  CodeList List(P, View, Modules, Read);
  List.find(Pattern);
  List.addSamples();
  List.print(OS);
  return !List.isEmpty();
}

} // namespace lidia
