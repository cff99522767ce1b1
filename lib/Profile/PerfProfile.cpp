//===- PerfProfile.cpp - A profile made from perf's samples ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfProfile.h"
#include "Support/StableSort.h"
#include "lidia/Error.h"
#include "lidia/Profile/ProfileSymbolizer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Mappings of processes
//===----------------------------------------------------------------------===//

void PerfSpace::remove(uint64_t Begin, uint64_t End) {
  auto First = Mappings.upper_bound(Begin);
  if (First != Mappings.begin() && std::prev(First)->second.End > Begin) {
    PerfMapped Before = std::prev(First)->second;
    std::prev(First)->second.End = Begin;
    if (Before.End > End)
      First = Mappings.insert({End, Before}).first;
  }
  while (First != Mappings.end() && First->first < End) {
    PerfMapped Rest = First->second;
    First = Mappings.erase(First);
    if (Rest.End > End) {
      Mappings.insert({End, Rest});
      break;
    }
  }
}

void PerfSpace::add(uint64_t Begin, uint64_t End, uint32_t Mapping) {
  remove(Begin, End);
  Mappings[Begin] = {End, Mapping};
}

uint32_t PerfSpace::find(uint64_t Address) const {
  auto After = Mappings.upper_bound(Address);
  if (After == Mappings.begin() || Address >= std::prev(After)->second.End)
    return Profile::None;
  return std::prev(After)->second.Mapping;
}

PerfSpace::Map::iterator PerfSpace::at(uint64_t Address) {
  auto After = Mappings.upper_bound(Address);
  if (After == Mappings.begin() || Address >= std::prev(After)->second.End)
    return Mappings.end();
  return std::prev(After);
}

PerfSpace *PerfSpaces::forChange(uint32_t PID) {
  std::shared_ptr<PerfSpace> &Its = Spaces[PID];
  if (!Its)
    Its = std::make_shared<PerfSpace>();
  if (Its.use_count() > 1) {
    // Real processes have some hundred mappings after a fork.
    if (Copied + Its->size() > 1000000 + 16 * Inputs) {
      ++Skipped;
      return nullptr;
    }
    Copied += Its->size();
    Its = std::make_shared<PerfSpace>(*Its);
  }
  Its->setVersion(++Versions);
  return Its.get();
}

const PerfSpace *PerfSpaces::find(uint32_t PID) const {
  auto Found = Spaces.find(PID);
  return Found == Spaces.end() ? nullptr : Found->second.get();
}

void PerfSpaces::exec(uint32_t PID) {
  auto Its = Spaces.find(PID);
  if (Its == Spaces.end())
    return;
  BeforeExec[PID] = std::move(Its->second);
  Spaces.erase(Its);
}

const PerfSpace *PerfSpaces::findBeforeExec(uint32_t PID) const {
  auto Found = BeforeExec.find(PID);
  return Found == BeforeExec.end() ? nullptr : Found->second.get();
}

void PerfSpaces::fork(uint32_t Child, uint32_t Parent) {
  // Equal processes mean that a thread was created.
  if (Child == Parent)
    return;
  auto Its = Spaces.find(Parent);
  if (Its != Spaces.end())
    Spaces[Child] = Its->second;
  else
    Spaces.erase(Child);
}

//===----------------------------------------------------------------------===//
// The profile
//===----------------------------------------------------------------------===//

uint32_t PerfProfile::addMapping(const Profile::Mapping &M) {
  auto [It, New] = MappingIndices.try_emplace(
      MappingKey(M.Start, M.Limit, M.Offset, M.File, M.BuildID),
      uint32_t(P.Mappings.size()));
  if (New)
    P.Mappings.push_back(M);
  return It->second;
}

bool PerfProfile::isMemory(StringRef File) {
  return File == "//anon" || File.starts_with("[anon") ||
         File.starts_with("/memfd:") || File.starts_with("/anon_hugepage");
}

/// Whether the memory \p M takes the place of a file's code: of all that one
/// mapping has, or of its large pages. perf does not record what is unmapped,
/// so any other memory is there after the file.
bool PerfProfile::replacesCode(PerfSpace &In, const Profile::Mapping &M) const {
  constexpr uint64_t LargePage = 2 << 20;
  auto Old = In.at(M.Start);
  if (Old == In.end() || M.Limit > Old->second.End ||
      isWithoutFile(P.Strings[P.Mappings[Old->second.Mapping].File]))
    return false;
  return (M.Start == Old->first || M.Start % LargePage == 0) &&
         (M.Limit == Old->second.End || M.Limit % LargePage == 0);
}

/// If memory is between \p After, which was just added, and another mapping of
/// the same file, it is code of the file, too.
void PerfProfile::fillGap(PerfSpace &In, const Profile::Mapping &After) {
  auto Gap = In.before(In.at(After.Start));
  if (Gap == In.end() || Gap->second.End != After.Start ||
      !isMemory(P.Strings[P.Mappings[Gap->second.Mapping].File]))
    return;
  auto Before = In.before(Gap);
  if (Before == In.end())
    return;
  const Profile::Mapping &First = P.Mappings[Before->second.Mapping];
  if (First.File != After.File || First.BuildID != After.BuildID ||
      First.Start - First.Offset != After.Start - After.Offset)
    return;
  Profile::Mapping M = After;
  M.Start = Gap->first;
  M.Limit = After.Start;
  M.Offset = After.Offset - (After.Start - M.Start);
  Gap->second.Mapping = addMapping(M);
}

void PerfProfile::map(PerfSpace &To, const Profile::Mapping &M) {
  bool IsMemory = isMemory(P.Strings[M.File]);
  if (IsMemory && replacesCode(To, M))
    return;
  To.add(M.Start, M.Limit, addMapping(M));
  if (!IsMemory)
    fillGap(To, M);
}

void PerfProfile::addBuildID(StringRef Path, StringRef Text) {
  StringID ID = P.Strings.intern(Text);
  auto [It, New] = BuildIDs.try_emplace(Path, ID);
  if (!New && It->second != ID)
    It->second = 0;
}

PerfProfile::StringID PerfProfile::buildIDOf(const Profile::Mapping &M) const {
  if (M.BuildID != 0)
    return M.BuildID;
  // The name of the kernel is followed by a symbol.
  constexpr StringLiteral KernelName = "[kernel.kallsyms]";
  StringRef File = P.Strings[M.File];
  bool IsKernel = File.starts_with(KernelName);
  auto Known = BuildIDs.find(IsKernel ? StringRef(KernelName) : File);
  return Known == BuildIDs.end() ? 0 : Known->second;
}

uint32_t PerfProfile::appendLocation(uint32_t Mapping, uint64_t Address,
                                     ArrayRef<StringID> Names, StringID File,
                                     uint32_t Line) {
  Profile::Location L;
  L.Mapping = Mapping;
  L.Address = Address;
  setNames(L, Names, File, Line);
  P.Locations.push_back(L);
  return uint32_t(P.Locations.size() - 1);
}

void PerfProfile::setNames(Profile::Location &L, ArrayRef<StringID> Names,
                           StringID File, uint32_t Line) {
  L.FirstLine = uint32_t(P.Lines.size());
  for (StringID Name : Names)
    if (Name != 0)
      Functions.addLine(Name, File, Line);
  L.LineCount = uint32_t(P.Lines.size() - L.FirstLine);
  L.IsProvisional = L.LineCount != 0;
}

uint32_t PerfProfile::eventIndex(StringRef Name) {
  auto Known = find(Events, Name);
  if (Known == Events.end() && Events.size() < MaxEvents) {
    Events.push_back(Name.str());
    Known = std::prev(Events.end());
  }
  return uint32_t(Known - Events.begin());
}

void PerfProfile::add(const Sample &S) {
  if (S.Event == MaxEvents) {
    ++SkippedEvents;
    return;
  }
  if (S.Time != 0) {
    FirstTime = FirstTime ? std::min(FirstTime, S.Time) : S.Time;
    LastTime = std::max(LastTime, S.Time);
  }
  SmallVector<uint32_t, 128> Key(S.Stack.begin(), S.Stack.end());
  append_values(Key, S.Comm, S.Process, S.PID, S.Event, S.CGroup);
  auto [It, New] = SampleIndices.try_emplace(
      StringRef(reinterpret_cast<const char *>(Key.data()),
                Key.size() * sizeof(uint32_t)),
      uint32_t(P.Samples.size()));
  if (New) {
    Profile::Sample Its;
    Its.FirstLocation = uint32_t(P.StackLocations.size());
    Its.LocationCount = uint32_t(S.Stack.size());
    Its.FirstLabel = uint32_t(P.Labels.size());
    append_range(P.StackLocations, S.Stack);
    P.Labels.push_back({P.Strings.intern("comm"), S.Comm, 0, 0});
    P.Labels.push_back({P.Strings.intern("pid"), 0, 0, S.PID});
    if (S.Process)
      P.Labels.push_back(
          {P.Strings.intern("process.executable.name"), S.Process, 0, 0});
    if (S.CGroup)
      P.Labels.push_back({P.Strings.intern("cgroup"), S.CGroup, 0, 0});
    Its.LabelCount = uint32_t(P.Labels.size()) - Its.FirstLabel;
    P.Samples.push_back(Its);
    Counts.push_back({S.Event, 0, 0});
  }
  if (KeepsEvents)
    P.Events.push_back({S.Time,
                        int64_t(std::min<uint64_t>(S.Period, INT64_MAX)),
                        It->second, S.TID, 1 + S.Event, S.CPU});
  ++Counts[It->second].Samples;
  // Values of a profile are signed.
  uint64_t &Sum = Counts[It->second].Periods;
  Sum = std::min(SaturatingAdd(Sum, S.Period), uint64_t(INT64_MAX));
}

void PerfProfile::orderEvents(ArrayRef<std::string> Names) {
  std::vector<std::string> Ordered;
  for (StringRef Name : Names)
    if (is_contained(Events, Name) && !is_contained(Ordered, Name))
      Ordered.push_back(Name.str());
  for (const std::string &Name : Events)
    if (!is_contained(Ordered, Name))
      Ordered.push_back(Name);
  std::vector<uint32_t> NewIndices;
  for (const std::string &Name : Events)
    NewIndices.push_back(uint32_t(find(Ordered, Name) - Ordered.begin()));
  Events = std::move(Ordered);
  for (Count &C : Counts)
    C.Event = NewIndices[C.Event];
  for (Profile::Event &E : P.Events)
    E.Type = 1 + NewIndices[E.Type - 1];
}

/// cpu-clock and task-clock count nanoseconds.
static StringRef unitOf(StringRef Event) {
  StringRef Name = Event.split(':').first;
  return Name == "cpu-clock" || Name == "task-clock" ? "nanoseconds" : "count";
}

Error PerfProfile::finishSamples(StringRef Name, WarningFunction Warn) {
  if (SkippedEvents)
    Warn(Name + ": " + Twine(SkippedEvents) +
         " samples of more than 16 events are left out");
  if (P.Samples.empty())
    return make_error<MissingInformationError>(Name, "no perf samples found");
  P.SampleTypes.push_back(
      {P.Strings.intern("samples"), P.Strings.intern("count")});
  for (StringRef Event : Events)
    P.SampleTypes.push_back(
        {P.Strings.intern(Event), P.Strings.intern(unitOf(Event))});
  // Like perf report, which weights samples by their periods.
  P.DefaultSampleType = 1;
  if (Error E = P.allotValues(P.Samples.size(), Name))
    return E;
  P.CountsEvents = true;
  P.Duration = int64_t(std::min(LastTime - FirstTime, uint64_t(INT64_MAX)));
  stableSort(P.Events, [](const Profile::Event &E) { return E.Time; });
  for (size_t I = 0; I != Counts.size(); ++I) {
    int64_t *Values = &P.Values[I * P.SampleTypes.size()];
    Values[0] = int64_t(Counts[I].Samples);
    Values[1 + Counts[I].Event] = int64_t(Counts[I].Periods);
  }
  return Error::success();
}

/// Drops mappings without locations, and moves that of the program to the
/// front, where pprof's readers expect it: of the mappings that are named like
/// a process, the one with the most locations.
void PerfProfile::dropUnusedMappings() {
  std::vector<uint32_t> Used(P.Mappings.size());
  for (const Profile::Location &L : P.Locations)
    if (L.Mapping != Profile::None)
      ++Used[L.Mapping];
  StringSet<> Comms;
  for (const Profile::Label &L : P.Labels)
    Comms.insert(P.Strings[L.Text]);
  auto Rank = [&](uint32_t I) {
    // Names of programs have at most 15 bytes in the kernel.
    StringRef Name = sys::path::filename(P.Strings[P.Mappings[I].File]);
    return std::make_pair(Comms.contains(Name.take_front(15)), Used[I]);
  };
  std::vector<uint32_t> Order;
  for (uint32_t I = 0; I != Used.size(); ++I)
    if (Used[I] != 0)
      Order.push_back(I);
  auto First =
      std::max_element(Order.begin(), Order.end(), [&](uint32_t A, uint32_t B) {
        return Rank(A) < Rank(B);
      });
  if (First != Order.end())
    std::rotate(Order.begin(), First, std::next(First));
  std::vector<Profile::Mapping> Kept;
  for (uint32_t I : Order) {
    Kept.push_back(P.Mappings[I]);
    Used[I] = uint32_t(Kept.size() - 1);
  }
  P.Mappings = std::move(Kept);
  for (Profile::Location &L : P.Locations)
    if (L.Mapping != Profile::None)
      L.Mapping = Used[L.Mapping];
}

void PerfProfile::finishMappings() {
  dropUnusedMappings();
  for (Profile::Mapping &M : P.Mappings)
    M.BuildID = buildIDOf(M);
}

} // namespace lidia
