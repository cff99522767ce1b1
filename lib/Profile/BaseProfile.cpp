//===- BaseProfile.cpp - Adds the profile to compare with -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/BaseProfile.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lidia {

namespace {
/// Copies the objects that samples refer to from one profile to another.
class ProfileImport {
public:
  ProfileImport(Profile &To, const Profile &From)
      : To(To), From(From), Strings(From.Strings.size(), Profile::None),
        FirstMapping(uint32_t(To.Mappings.size())),
        FirstFunction(uint32_t(To.Functions.size())),
        FirstLine(uint32_t(To.Lines.size())),
        FirstLocation(uint32_t(To.Locations.size())) {}

  void copyTables();
  void copySample(const Profile::Sample &S);

private:
  Profile::StringID string(Profile::StringID ID) {
    Profile::StringID &Known = Strings[ID];
    if (Known == Profile::None)
      Known = To.Strings.intern(From.Strings[ID]);
    return Known;
  }

  Profile &To;
  const Profile &From;
  std::vector<Profile::StringID> Strings;
  const uint32_t FirstMapping, FirstFunction, FirstLine, FirstLocation;
};
} // namespace

void ProfileImport::copyTables() {
  for (Profile::Mapping M : From.Mappings) {
    M.File = string(M.File);
    M.BuildID = string(M.BuildID);
    M.FileHash = string(M.FileHash);
    To.Mappings.push_back(M);
  }
  for (Profile::Function F : From.Functions) {
    F.Name = string(F.Name);
    F.SystemName = string(F.SystemName);
    F.File = string(F.File);
    To.Functions.push_back(F);
  }
  for (Profile::Line L : From.Lines) {
    if (L.Function != Profile::None)
      L.Function += FirstFunction;
    To.Lines.push_back(L);
  }
  for (Profile::Location L : From.Locations) {
    if (L.Mapping != Profile::None)
      L.Mapping += FirstMapping;
    L.FirstLine += FirstLine;
    To.Locations.push_back(L);
  }
}

void ProfileImport::copySample(const Profile::Sample &S) {
  Profile::Sample New = S;
  New.FirstLocation = uint32_t(To.StackLocations.size());
  for (uint32_t Location : From.stack(S))
    To.StackLocations.push_back(Location + FirstLocation);
  New.FirstLabel = uint32_t(To.Labels.size());
  for (Profile::Label L : From.labels(S)) {
    L.Key = string(L.Key);
    L.Text = string(L.Text);
    L.Unit = string(L.Unit);
    To.Labels.push_back(L);
  }
  To.Samples.push_back(New);
}

/// The type of \p Base that corresponds to the default type of \p P.
static Expected<uint32_t> sameType(const Profile &P, const Profile &Base) {
  const Profile::ValueType &T = P.SampleTypes[P.DefaultSampleType];
  std::vector<std::string> Names;
  for (auto [I, B] : enumerate(Base.SampleTypes)) {
    if (Base.Strings[B.Type] == P.Strings[T.Type] &&
        Base.Strings[B.Unit] == P.Strings[T.Unit])
      return uint32_t(I);
    Names.push_back((Base.Strings[B.Type] + " " + Base.Strings[B.Unit]).str());
  }
  return make_error<ArgumentError>("", "the base has no '" + P.Strings[T.Type] +
                                           " " + P.Strings[T.Unit] +
                                           "', only " + join(Names, ", "));
}

/// The type that counts the observations whose values of \p Type are added up:
/// the last count up to it, as in pprof's profiles.
static std::optional<uint32_t> countOf(const Profile &P, uint32_t Type) {
  // An event may count, too, but no observations; several share type 0.
  if (P.CountsEvents)
    return P.SampleTypes.size() == 2 ? std::optional<uint32_t>(0)
                                     : std::nullopt;
  for (uint32_t I = Type + 1; I-- != 0;)
    if (P.Strings[P.SampleTypes[I].Unit] == "count")
      return I;
  return std::nullopt;
}

/// Appends the number of observations of each sample of \p P to \p Counts.
/// Where none counts them, the smallest value is taken for that of one.
static void appendObservations(const Profile &P, uint32_t Type,
                               std::vector<uint64_t> &Counts) {
  std::optional<uint32_t> Count = countOf(P, Type);
  int64_t Least = INT64_MAX;
  for (size_t I = 0; I != P.Samples.size(); ++I)
    if (int64_t Value = P.values(I)[Type]; Value > 0)
      Least = std::min(Least, Value);
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    int64_t Number = Count ? P.values(I)[*Count]
                           : P.values(I)[Type] / std::max<int64_t>(Least, 1);
    Counts.push_back(uint64_t(std::max<int64_t>(Number, 1)));
  }
}

Error addBaseProfile(Profile &P, const Profile &Base) {
  if (P.SampleTypes.empty())
    return make_error<ArgumentError>("", "the profile has no values");
  Expected<uint32_t> Type = sameType(P, Base);
  if (!Type)
    return Type.takeError();
  appendObservations(P, P.DefaultSampleType, P.Observations);
  appendObservations(Base, *Type, P.Observations);
  std::vector<int64_t> Values;
  for (size_t I = 0; I != P.Samples.size(); ++I)
    Values.insert(Values.end(), {P.values(I)[P.DefaultSampleType], 0});
  for (size_t I = 0; I != Base.Samples.size(); ++I)
    Values.insert(Values.end(), {0, Base.values(I)[*Type]});
  Profile::ValueType T = P.SampleTypes[P.DefaultSampleType];
  Profile::ValueType B = T;
  B.Type = P.Strings.intern((P.Strings[T.Type] + BaseSuffix).str());
  ProfileImport Import(P, Base);
  Import.copyTables();
  for (const Profile::Sample &S : Base.Samples)
    Import.copySample(S);
  P.SampleTypes = {T, B};
  P.DefaultSampleType = 0;
  P.Values = std::move(Values);
  // Two recordings have no common time.
  P.Events = {};
  P.CountsEvents = false;
  P.FileSize += Base.FileSize;
  return Error::success();
}

std::optional<uint32_t> baseType(const Profile &P) {
  if (P.SampleTypes.size() != 2 || P.DefaultSampleType != 0)
    return std::nullopt;
  StringRef Name = P.Strings[P.SampleTypes[1].Type];
  if (!Name.consume_back(BaseSuffix) ||
      Name != P.Strings[P.SampleTypes[0].Type])
    return std::nullopt;
  return 1;
}

} // namespace lidia
