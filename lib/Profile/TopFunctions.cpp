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
#include "SampleThread.h"
#include "lidia/Profile/BaseProfile.h"
#include "lidia/Profile/ProfilePrinters.h"
#include "lidia/Symbolize/PrintableText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <map>

using namespace llvm;

namespace lidia {

namespace {
class TopFunctions {
public:
  TopFunctions(const Profile &P, const ProfileView &View) : P(P), View(View) {}

  void add(size_t Sample);
  void print(raw_ostream &OS);

private:
  /// The text of a row, and the file of its module; 0 if the text says it.
  using Key = std::pair<std::string, Profile::StringID>;
  struct Row {
    const Key *Function = nullptr;
    uint64_t Self = 0;
    uint64_t Total = 0;
    /// Self in the base profile.
    uint64_t BaseSelf = 0;
    /// The sums of the squares of the observations in Self and in BaseSelf.
    double SelfSquares = 0;
    double BaseSquares = 0;
    /// The last sample that was added to Total.
    size_t Last = SIZE_MAX;
  };

  Row &row(size_t Sample, const Profile::Location &L,
           const Profile::Line &Line);
  Key keyOf(size_t Sample, const Profile::Location &L,
            const Profile::Line &Line) const;
  double squaresOf(size_t Sample, uint64_t Value) const;
  void addFrame(Row &R, size_t Sample, uint64_t Value, bool IsInnermost);
  void addBase(size_t Sample, uint32_t Type);
  std::string text(uint64_t Value) const;
  double changeOf(const Row &R) const;
  bool isNoise(const Row &R) const;
  std::vector<const Row *> inOrder() const;
  void printHeader(raw_ostream &OS) const;
  void printRow(const Row &R, raw_ostream &OS) const;

  const Profile &P;
  const ProfileView View;
  std::map<Key, Row> Rows;
  /// Rows by what determines them (row()).
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Row *> Known;
  uint64_t Sum = 0;
  uint64_t BaseSum = 0;
  double SumSquares = 0;
  double BaseSquares = 0;
  const std::optional<uint32_t> Base = baseType(P);
};
} // namespace

/// "worker (12)".
static std::string threadText(const SampleThread &T) {
  std::string Text = T.Name.empty() ? "[unknown]" : T.Name.str();
  if (int64_t Number = T.TID ? T.TID : T.PID)
    Text += " (" + itostr(Number) + ")";
  return Text;
}

TopFunctions::Key TopFunctions::keyOf(size_t Sample, const Profile::Location &L,
                                      const Profile::Line &Line) const {
  using By = ProfileView::By;
  Profile::Function F;
  if (Line.Function != Profile::None)
    F = P.Functions[Line.Function];
  StringRef Name = P.Strings[F.Name], File = P.Strings[F.File];
  if (View.Rows == By::Thread)
    return {threadText(threadOf(P, P.Samples[Sample])), 0};
  if (View.Rows == By::Module || (View.Rows == By::File && File.empty()) ||
      Name.empty())
    return {placeOf(P, L), 0};
  if (View.Rows == By::File)
    return {File.str(), 0};
  Profile::StringID Module =
      L.Mapping == Profile::None ? 0 : P.Mappings[L.Mapping].File;
  if (View.Rows == By::Function || File.empty())
    return {Name.str(), Module};
  return {(Name + " " + File + ":" + Twine(Line.Number)).str(), Module};
}

TopFunctions::Row &TopFunctions::row(size_t Sample, const Profile::Location &L,
                                     const Profile::Line &Line) {
  bool ByThread = View.Rows == ProfileView::By::Thread;
  bool HasName =
      Line.Function != Profile::None && P.Functions[Line.Function].Name != 0;
  std::tuple<uint32_t, uint32_t, uint32_t> Index(
      ByThread  ? uint32_t(Sample)
      : HasName ? Line.Function
                : Profile::None,
      ByThread  ? 0
      : HasName ? L.Mapping
                : uint32_t(&L - P.Locations.data()),
      View.Rows == ProfileView::By::Line ? Line.Number : 0);
  Row *&Slot = Known[Index];
  if (!Slot) {
    auto It = Rows.try_emplace(keyOf(Sample, L, Line)).first;
    It->second.Function = &It->first;
    Slot = &It->second;
  }
  return *Slot;
}

/// The sum of the squares of the observations of \p Sample, which have \p Value
/// in equal parts. A profile that was compared before it was written does not
/// say how many they were.
double TopFunctions::squaresOf(size_t Sample, uint64_t Value) const {
  if (!Base)
    return 0;
  double Count = P.Observations.empty() ? 1 : P.Observations[Sample];
  return double(Value) * double(Value) / Count;
}

void TopFunctions::addFrame(Row &R, size_t Sample, uint64_t Value,
                            bool IsInnermost) {
  if (IsInnermost) {
    R.Self = SaturatingAdd(R.Self, Value);
    R.SelfSquares += squaresOf(Sample, Value);
  }
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
  BaseSquares += squaresOf(Sample, Value);
  const Profile::Location &L = P.Locations[Stack.front()];
  Row &R = row(Sample, L, L.LineCount ? P.lines(L).front() : Profile::Line());
  R.BaseSelf = SaturatingAdd(R.BaseSelf, Value);
  R.BaseSquares += squaresOf(Sample, Value);
}

void TopFunctions::add(size_t Sample) {
  if (Base)
    addBase(Sample, *Base);
  int64_t Signed = P.values(Sample)[P.DefaultSampleType];
  if (Signed <= 0)
    return;
  uint64_t Value = uint64_t(Signed);
  Sum = SaturatingAdd(Sum, Value);
  SumSquares += squaresOf(Sample, Value);
  bool IsInnermost = true;
  for (uint32_t Index : P.stack(P.Samples[Sample])) {
    const Profile::Location &L = P.Locations[Index];
    if (L.LineCount == 0)
      addFrame(row(Sample, L, {}), Sample, Value,
               std::exchange(IsInnermost, false));
    for (const Profile::Line &Line : P.lines(L))
      addFrame(row(Sample, L, Line), Sample, Value,
               std::exchange(IsInnermost, false));
  }
}

static double percent(uint64_t Value, uint64_t Whole) {
  return Whole ? 100.0 * double(Value) / double(Whole) : 0;
}

/// In percentage points, because the two profiles may have different durations.
double TopFunctions::changeOf(const Row &R) const {
  return percent(R.Self, Sum) - percent(R.BaseSelf, BaseSum);
}

/// The variance of the share \p Part of \p Whole, in squared points, that comes
/// from observing by chance: that which a bootstrap over the observations
/// converges to. \p PartSquares and \p Squares are the sums of the squares of
/// the observations in both.
static double varianceOf(uint64_t Part, uint64_t Whole, double PartSquares,
                         double Squares) {
  if (Whole == 0)
    return 0;
  double Share = percent(Part, Whole), Rest = 100 - Share;
  return (Rest * Rest * PartSquares + Share * Share * (Squares - PartSquares)) /
         (double(Whole) * double(Whole));
}

/// Whether the change of \p R is within two standard deviations.
bool TopFunctions::isNoise(const Row &R) const {
  double Change = changeOf(R);
  double Variance = varianceOf(R.Self, Sum, R.SelfSquares, SumSquares) +
                    varianceOf(R.BaseSelf, BaseSum, R.BaseSquares, BaseSquares);
  return Change * Change <= 4 * Variance;
}

std::vector<const TopFunctions::Row *> TopFunctions::inOrder() const {
  std::vector<const Row *> Sorted;
  for (const auto &[Key, R] : Rows)
    Sorted.push_back(&R);
  using Order = ProfileView::Order;
  bool ByChange =
      Base && (View.Sort == Order::Auto || View.Sort == Order::Change);
  auto Rank =
      [&](const Row *R) -> std::tuple<bool, double, uint64_t, uint64_t> {
    if (ByChange)
      return {!isNoise(*R), std::abs(changeOf(*R)), R->Self, R->Total};
    if (View.Sort == Order::Total)
      return {false, 0, R->Total, R->Self};
    return {false, 0, R->Self, R->Total};
  };
  llvm::sort(Sorted, [&](const Row *A, const Row *B) {
    if (Rank(A) != Rank(B))
      return Rank(A) > Rank(B);
    return *A->Function < *B->Function;
  });
  return Sorted;
}

void TopFunctions::print(raw_ostream &OS) {
  std::vector<const Row *> Order = inOrder();
  printHeader(OS);
  size_t Count = Order.size();
  if (View.Limit)
    Count = std::min<uint64_t>(Count, View.Limit);
  for (const Row *R : ArrayRef(Order).take_front(Count))
    printRow(*R, OS);
  if (Count != Order.size())
    OS << "... " << Order.size() - Count << " more rows (--limit=)\n";
  if (Base && any_of(Order, [&](const Row *R) { return isNoise(*R); }))
    OS << "~: so few samples may change as much by chance\n";
}

/// The name of the last column.
static StringRef columnName(ProfileView::By By) {
  switch (By) {
  case ProfileView::By::Function:
    return "function";
  case ProfileView::By::Line:
    return "function and line";
  case ProfileView::By::File:
    return "file";
  case ProfileView::By::Module:
    return "module";
  case ProfileView::By::Thread:
    return "thread";
  }
  llvm_unreachable("all are handled");
}

std::string TopFunctions::text(uint64_t Value) const {
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  int64_t Signed = int64_t(std::min<uint64_t>(Value, INT64_MAX));
  return valueText(Signed, P.Strings[T.Unit], View.RawUnits);
}

void TopFunctions::printHeader(raw_ostream &OS) const {
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  OS << typedValueText(P, T, int64_t(std::min<uint64_t>(Sum, INT64_MAX)),
                       View.RawUnits);
  if (Base)
    OS << ", base " << text(BaseSum);
  OS << "\n            self   self%" << (Base ? "  change" : "")
     << "           total  total%  " << columnName(View.Rows) << '\n';
}

void TopFunctions::printRow(const Row &R, raw_ostream &OS) const {
  OS << llvm::format("%16s %6.2f%%", text(R.Self).c_str(),
                     percent(R.Self, Sum));
  if (Base)
    OS << llvm::format(" %+7.2f%c", changeOf(R), isNoise(R) ? '~' : ' ')
       << llvm::format("%15s", text(R.Total).c_str());
  else
    OS << llvm::format("%16s", text(R.Total).c_str());
  OS << llvm::format(" %6.2f%%  ", percent(R.Total, Sum));
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
  TopFunctions Top(P, File.View);
  for (size_t I = 0; I != P.Samples.size(); ++I)
    Top.add(I);
  Top.print(OS);
}

} // namespace lidia
