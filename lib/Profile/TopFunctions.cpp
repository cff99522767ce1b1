//===- TopFunctions.cpp - The functions of a profile as a table -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints like `pprof -top`, for the default type of value:
//
//        self  self%       total  total%  function
//     7000000  70.0%    10000000  100.0%  lex (program)
//
//===----------------------------------------------------------------------===//

#include "ProfileFormats.h"
#include "lidia/Profile/BaseProfile.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {
class TopFunctions {
public:
  explicit TopFunctions(const Profile &P) : P(P) {}

  void add(size_t Sample);
  void print(raw_ostream &OS);

private:
  /// The name of a function, or of code without a name, and its file.
  using Key = std::pair<std::string, Profile::StringID>;
  struct Row {
    const Key *Function = nullptr;
    uint64_t Self = 0;
    uint64_t Total = 0;
    /// Self in the base profile.
    uint64_t BaseSelf = 0;
    /// The last sample that was added to Total.
    size_t Last = SIZE_MAX;
  };

  Row &row(const Profile::Location &L, uint32_t Function);
  void addFrame(Row &R, size_t Sample, uint64_t Value, bool IsInnermost);
  void addBase(size_t Sample, uint32_t Type);
  void printHeader(raw_ostream &OS) const;
  void printRow(const Row &R, raw_ostream &OS) const;

  const Profile &P;
  std::map<Key, Row> Rows;
  /// Rows by function and mapping, or by location.
  std::map<std::tuple<bool, uint32_t, uint32_t>, Row *> Known;
  uint64_t Sum = 0;
  uint64_t BaseSum = 0;
  const std::optional<uint32_t> Base = baseType(P);
};
} // namespace

TopFunctions::Row &TopFunctions::row(const Profile::Location &L,
                                     uint32_t Function) {
  bool HasName = Function != Profile::None && P.Functions[Function].Name != 0;
  std::tuple<bool, uint32_t, uint32_t> Index(
      HasName, HasName ? Function : uint32_t(&L - P.Locations.data()),
      HasName ? L.Mapping : 0);
  Row *&Slot = Known[Index];
  if (!Slot) {
    Profile::StringID File =
        L.Mapping == Profile::None ? 0 : P.Mappings[L.Mapping].File;
    Key K(HasName ? P.Strings[P.Functions[Function].Name].str() : placeOf(P, L),
          HasName ? File : 0);
    auto It = Rows.try_emplace(std::move(K)).first;
    It->second.Function = &It->first;
    Slot = &It->second;
  }
  return *Slot;
}

void TopFunctions::addFrame(Row &R, size_t Sample, uint64_t Value,
                            bool IsInnermost) {
  if (IsInnermost)
    R.Self = SaturatingAdd(R.Self, Value);
  // A recursive function counts once.
  if (std::exchange(R.Last, Sample) != Sample)
    R.Total = SaturatingAdd(R.Total, Value);
}

/// Adds \p Sample of the base profile, in which it has values of \p Type.
void TopFunctions::addBase(size_t Sample, uint32_t Type) {
  uint64_t Value = uint64_t(std::max<int64_t>(P.values(Sample)[Type], 0));
  ArrayRef<uint32_t> Stack = P.stack(P.Samples[Sample]);
  if (Value == 0 || Stack.empty())
    return;
  BaseSum = SaturatingAdd(BaseSum, Value);
  const Profile::Location &L = P.Locations[Stack.front()];
  Row &R = row(L, L.LineCount ? P.lines(L).front().Function : Profile::None);
  R.BaseSelf = SaturatingAdd(R.BaseSelf, Value);
}

void TopFunctions::add(size_t Sample) {
  if (Base)
    addBase(Sample, *Base);
  int64_t Signed = P.values(Sample)[P.DefaultSampleType];
  if (Signed <= 0)
    return;
  uint64_t Value = uint64_t(Signed);
  Sum = SaturatingAdd(Sum, Value);
  bool IsInnermost = true;
  for (uint32_t Index : P.stack(P.Samples[Sample])) {
    const Profile::Location &L = P.Locations[Index];
    if (L.LineCount == 0)
      addFrame(row(L, Profile::None), Sample, Value,
               std::exchange(IsInnermost, false));
    for (const Profile::Line &Line : P.lines(L))
      addFrame(row(L, Line.Function), Sample, Value,
               std::exchange(IsInnermost, false));
  }
}

static double percent(uint64_t Value, uint64_t Whole) {
  return Whole ? 100.0 * double(Value) / double(Whole) : 0;
}

void TopFunctions::print(raw_ostream &OS) {
  std::vector<const Row *> Order;
  for (const auto &[Key, R] : Rows)
    Order.push_back(&R);
  llvm::sort(Order, [](const Row *A, const Row *B) {
    if (A->Self != B->Self)
      return A->Self > B->Self;
    if (A->Total != B->Total)
      return A->Total > B->Total;
    return *A->Function < *B->Function;
  });
  printHeader(OS);
  for (const Row *R : Order)
    printRow(*R, OS);
}

void TopFunctions::printHeader(raw_ostream &OS) const {
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  OS << Sum << ' ';
  printText(OS, P.Strings[T.Type]);
  if (T.Unit != 0 && P.Strings[T.Unit] != "count") {
    OS << ' ';
    printText(OS, P.Strings[T.Unit]);
  }
  if (Base)
    OS << ", base " << BaseSum;
  OS << "\n            self   self%" << (Base ? "  change" : "")
     << "           total  total%  function\n";
}

void TopFunctions::printRow(const Row &R, raw_ostream &OS) const {
  OS << llvm::format("%16llu %6.2f%%", (unsigned long long)R.Self,
                     percent(R.Self, Sum));
  // In percentage points, because the two profiles may have different
  // durations.
  if (Base)
    OS << llvm::format(" %+7.2f",
                       percent(R.Self, Sum) - percent(R.BaseSelf, BaseSum));
  OS << llvm::format("%16llu %6.2f%%  ", (unsigned long long)R.Total,
                     percent(R.Total, Sum));
  printText(OS, R.Function->first);
  if (StringRef File = P.Strings[R.Function->second]; !File.empty()) {
    OS << " (";
    printText(OS, sys::path::filename(File));
    OS << ')';
  }
  OS << '\n';
}

void writeTop(const ProfileFile &File, raw_ostream &OS, WarningFunction) {
  const Profile &P = File.profile();
  if (P.SampleTypes.empty())
    return;
  TopFunctions Top(P);
  for (size_t I = 0; I != P.Samples.size(); ++I)
    Top.add(I);
  Top.print(OS);
}

} // namespace lidia
