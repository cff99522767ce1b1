//===- ProfileMerge.cpp - Many profiles as one ----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/ProfileMerge.h"
#include "MergedSamples.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace lidia {

namespace {
/// The bytes of a sequence of numbers, by which equal entries are found.
class EntryKey {
public:
  EntryKey &add(uint64_t Number) {
    Bytes.append(reinterpret_cast<const char *>(&Number),
                 reinterpret_cast<const char *>(&Number) + sizeof(Number));
    return *this;
  }
  operator StringRef() const { return StringRef(Bytes.data(), Bytes.size()); }

private:
  SmallVector<char, 128> Bytes;
};
} // namespace

class ProfileMerge::Impl {
public:
  Error add(const Profile &From);

  Profile To;
  size_t Count = 0;

private:
  /// What numbers of the profile that is being added are in the sum; None if
  /// no sample has used them yet.
  struct Numbers {
    std::vector<Profile::StringID> Strings;
    std::vector<uint32_t> Mappings;
    /// What is added to addresses in each mapping.
    std::vector<uint64_t> Moved;
    std::vector<uint32_t> Functions;
    std::vector<uint32_t> Locations;
  };

  Error setTypes(const Profile &From);
  Profile::StringID string(const Profile &From, Profile::StringID ID);
  void addMapping(const Profile &From, const Profile::Mapping &M);
  uint32_t function(const Profile &From, uint32_t Index);
  uint32_t location(const Profile &From, uint32_t Index);
  void addSample(const Profile &From, size_t Index);
  uint32_t stackOf(const Profile &From, const Profile::Sample &S);

  Numbers Its;
  StringMap<uint32_t> Mappings, Functions, Locations, Stacks, Samples;
  /// Where each stack begins in StackLocations.
  std::vector<uint32_t> StackBegins;
};

static std::string typesText(const Profile &P) {
  std::vector<std::string> Names;
  for (const Profile::ValueType &T : P.SampleTypes)
    Names.push_back((P.Strings[T.Type] + " " + P.Strings[T.Unit]).str());
  return Names.empty() ? "no values" : join(Names, ", ");
}

/// Takes the types of the first profile, and compares those of the others.
Error ProfileMerge::Impl::setTypes(const Profile &From) {
  if (Count != 0) {
    std::string Ours = typesText(To), Theirs = typesText(From);
    if (Ours == Theirs)
      return Error::success();
    return make_error<ArgumentError>("", "has other values (" + Theirs +
                                             ") than the first (" + Ours + ")");
  }
  auto Type = [&](Profile::ValueType T) -> Profile::ValueType {
    return {To.Strings.intern(From.Strings[T.Type]),
            To.Strings.intern(From.Strings[T.Unit])};
  };
  for (const Profile::ValueType &T : From.SampleTypes)
    To.SampleTypes.push_back(Type(T));
  To.DefaultSampleType = From.DefaultSampleType;
  To.PeriodType = Type(From.PeriodType);
  To.CountsEvents = From.CountsEvents;
  return Error::success();
}

Profile::StringID ProfileMerge::Impl::string(const Profile &From,
                                             Profile::StringID ID) {
  Profile::StringID &Known = Its.Strings[ID];
  if (Known == Profile::None)
    Known = To.Strings.intern(From.Strings[ID]);
  return Known;
}

/// Whether memory called \p Name has no contents by which it is known.
static bool isAnonymous(StringRef Name) {
  return Name.empty() || Name.starts_with("//anon") ||
         Name.starts_with("[anon") || Name.starts_with("[heap") ||
         Name.starts_with("[stack");
}

/// As in pprof, a mapping is known by the build ID or else by the file, and by
/// what of it is mapped.
void ProfileMerge::Impl::addMapping(const Profile &From,
                                    const Profile::Mapping &M) {
  constexpr uint64_t PageSize = 4096;
  Profile::Mapping New = M;
  New.File = string(From, M.File);
  New.BuildID = string(From, M.BuildID);
  New.FileHash = string(From, M.FileHash);
  uint64_t Pages = (M.Limit - M.Start + PageSize - 1) / PageSize;
  // Without a name, only the place says which one it is.
  bool IsNamed =
      New.BuildID || New.FileHash || !isAnonymous(From.Strings[M.File]);
  EntryKey Key;
  Key.add(Pages).add(M.Offset).add(IsNamed ? 0 : M.Start);
  Key.add(New.BuildID).add(New.BuildID ? 0 : New.File).add(New.FileHash);
  Key.add(M.HasFunctions);
  auto [It, IsNew] = Mappings.try_emplace(Key, uint32_t(To.Mappings.size()));
  if (IsNew)
    To.Mappings.push_back(New);
  Its.Mappings.push_back(It->second);
  Its.Moved.push_back(To.Mappings[It->second].Start - M.Start);
}

uint32_t ProfileMerge::Impl::function(const Profile &From, uint32_t Index) {
  uint32_t &Known = Its.Functions[Index];
  if (Known != Profile::None)
    return Known;
  const Profile::Function &F = From.Functions[Index];
  Profile::Function New = F;
  New.Name = string(From, F.Name);
  New.SystemName = string(From, F.SystemName);
  New.File = string(From, F.File);
  EntryKey Key;
  Key.add(New.Name).add(New.SystemName).add(New.File).add(New.StartLine);
  auto [It, IsNew] = Functions.try_emplace(Key, uint32_t(To.Functions.size()));
  if (IsNew)
    To.Functions.push_back(New);
  return Known = It->second;
}

uint32_t ProfileMerge::Impl::location(const Profile &From, uint32_t Index) {
  uint32_t &Known = Its.Locations[Index];
  if (Known != Profile::None)
    return Known;
  const Profile::Location &L = From.Locations[Index];
  Profile::Location New = L;
  if (L.Mapping != Profile::None) {
    New.Mapping = Its.Mappings[L.Mapping];
    New.Address += Its.Moved[L.Mapping];
  }
  EntryKey Key;
  Key.add(New.Address).add(New.Mapping).add(New.IsProvisional);
  SmallVector<Profile::Line, 8> Lines;
  for (Profile::Line Line : From.lines(L)) {
    if (Line.Function != Profile::None)
      Line.Function = function(From, Line.Function);
    Key.add(Line.Function).add(Line.Number).add(Line.Column);
    Lines.push_back(Line);
  }
  auto [It, IsNew] = Locations.try_emplace(Key, uint32_t(To.Locations.size()));
  if (IsNew) {
    New.FirstLine = uint32_t(To.Lines.size());
    append_range(To.Lines, Lines);
    To.Locations.push_back(New);
  }
  return Known = It->second;
}

/// The number of the stack of \p S.
uint32_t ProfileMerge::Impl::stackOf(const Profile &From,
                                     const Profile::Sample &S) {
  EntryKey Key;
  for (uint32_t Location : From.stack(S))
    Key.add(location(From, Location));
  auto [It, IsNew] = Stacks.try_emplace(Key, uint32_t(StackBegins.size()));
  if (IsNew) {
    StackBegins.push_back(uint32_t(To.StackLocations.size()));
    for (uint32_t Location : From.stack(S))
      To.StackLocations.push_back(Its.Locations[Location]);
  }
  return It->second;
}

void ProfileMerge::Impl::addSample(const Profile &From, size_t Index) {
  const Profile::Sample &S = From.Samples[Index];
  uint32_t Stack = stackOf(From, S);
  EntryKey Key;
  Key.add(Stack);
  SmallVector<Profile::Label, 8> Labels;
  for (Profile::Label L : From.labels(S)) {
    L.Key = string(From, L.Key);
    L.Text = string(From, L.Text);
    L.Unit = string(From, L.Unit);
    Key.add(L.Key).add(L.Text).add(L.Unit).add(uint64_t(L.Number));
    Labels.push_back(L);
  }
  auto [It, IsNew] = Samples.try_emplace(Key, uint32_t(To.Samples.size()));
  size_t Types = To.SampleTypes.size();
  if (IsNew) {
    Profile::Sample New;
    New.FirstLocation = StackBegins[Stack];
    New.LocationCount = S.LocationCount;
    New.FirstLabel = uint32_t(To.Labels.size());
    New.LabelCount = uint32_t(Labels.size());
    append_range(To.Labels, Labels);
    To.Samples.push_back(New);
    To.Values.resize(To.Values.size() + Types);
  }
  for (size_t I = 0; I != Types; ++I) {
    int64_t &Sum = To.Values[It->second * Types + I];
    Sum = addValues(Sum, From.values(Index)[I]);
  }
}

Error ProfileMerge::Impl::add(const Profile &From) {
  if (Error E = setTypes(From))
    return E;
  Its = {};
  Its.Strings.assign(From.Strings.size(), Profile::None);
  for (const Profile::Mapping &M : From.Mappings)
    addMapping(From, M);
  Its.Functions.assign(From.Functions.size(), Profile::None);
  Its.Locations.assign(From.Locations.size(), Profile::None);
  for (size_t I = 0; I != From.Samples.size(); ++I)
    addSample(From, I);
  // As pprof does: the time of the first, and the sum of all durations.
  if (From.Time && (!To.Time || From.Time < To.Time))
    To.Time = From.Time;
  To.Duration = addValues(To.Duration, From.Duration);
  To.Period = std::max(To.Period, From.Period);
  To.FileSize += From.FileSize;
  ++Count;
  return Error::success();
}

ProfileMerge::ProfileMerge() : P(std::make_unique<Impl>()) {}
ProfileMerge::~ProfileMerge() = default;

Error ProfileMerge::add(const Profile &From) { return P->add(From); }
size_t ProfileMerge::count() const { return P->Count; }
Profile ProfileMerge::take() { return std::move(P->To); }

} // namespace lidia
