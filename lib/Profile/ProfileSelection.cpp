//===- ProfileSelection.cpp - A part of a profile -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/ProfileSelection.h"
#include "MergedSamples.h"
#include "SampleThread.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Regex.h"
#include <cmath>
#include <map>

using namespace llvm;

namespace lidia {

static void removeSamplesWithoutValues(Profile &P) {
  const size_t Types = P.SampleTypes.size();
  std::vector<uint32_t> NewIndex(P.Samples.size(), Profile::None);
  uint32_t Count = 0;
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    if (all_of(P.values(I), [](int64_t Value) { return Value == 0; }))
      continue;
    P.Samples[Count] = P.Samples[I];
    std::copy_n(&P.Values[I * Types], Types, &P.Values[Count * Types]);
    NewIndex[I] = Count++;
  }
  P.Samples.resize(Count);
  P.Values.resize(Count * Types);
  erase_if(P.Events, [&](const Profile::Event &E) {
    return NewIndex[E.Sample] == Profile::None;
  });
  for (Profile::Event &E : P.Events)
    E.Sample = NewIndex[E.Sample];
}

//===----------------------------------------------------------------------===//
// Threads, processes, processors and times
//===----------------------------------------------------------------------===//

namespace {
/// A range of times, in nanoseconds, with both ends.
struct TimeRange {
  uint64_t From = 0;
  uint64_t To = UINT64_MAX;
};

/// Decides about events by where and when they occurred.
class EventFilter {
public:
  EventFilter(Profile &P, const ProfileSelection &S) : P(P), S(S) {}

  Error run();

private:
  Error readTime();
  Error readEnd(StringRef Text, uint64_t &To) const;
  bool takes(const SampleThread &T) const;
  bool takes(const Profile::Event &E) const;
  Error takeEvents();
  void takeSamples();

  Profile &P;
  const ProfileSelection &S;
  TimeRange Time;
  std::vector<uint32_t> CPUs;
  /// There may be millions of events, whose threads need not be looked for.
  const bool NeedsThreads =
      !S.Threads.empty() || !S.Processes.empty() || !S.CGroups.empty();
};
} // namespace

static Error wrongTime(StringRef Text) {
  return make_error<ArgumentError>(
      "--time=", "expected FROM-TO, each in seconds (12.5, or +12.5 from the "
                 "first sample on) or percent (25%), but got '" +
                     Text + "'");
}

/// Reads an end of the range into \p To, which stays if it is empty.
Error EventFilter::readEnd(StringRef Text, uint64_t &To) const {
  Text = Text.trim();
  if (Text.empty())
    return Error::success();
  const uint64_t First = P.Events.front().Time;
  const uint64_t Length = P.Events.back().Time - First;
  StringRef Digits = Text;
  bool IsShare = Digits.consume_back("%");
  bool IsRelative = !IsShare && Digits.consume_front("+");
  double Number;
  if (Digits.getAsDouble(Number) || !(Number >= 0) || Number > 1e18)
    return wrongTime(S.Time);
  double Nanoseconds = IsShare ? double(Length) * (Number / 100) : Number * 1e9;
  if (Nanoseconds >= 0x1p63)
    return wrongTime(S.Time);
  To = SaturatingAdd(IsShare || IsRelative ? First : 0,
                     uint64_t(std::llround(Nanoseconds)));
  return Error::success();
}

Error EventFilter::readTime() {
  if (S.Time.empty())
    return Error::success();
  if (P.Events.back().Time == 0)
    return make_error<ArgumentError>("--time=",
                                     "the profile has no times of samples");
  StringRef Text = S.Time;
  size_t Middle = Text.find_first_of(",-");
  if (Middle == StringRef::npos)
    return wrongTime(Text);
  if (Error E = readEnd(Text.take_front(Middle), Time.From))
    return E;
  if (Error E = readEnd(Text.drop_front(Middle + 1), Time.To))
    return E;
  if (Time.From <= Time.To)
    return Error::success();
  return make_error<ArgumentError>("--time=",
                                   "'" + Text + "' ends before it begins");
}

static bool isAnyOf(ArrayRef<std::string> Wanted, StringRef Name,
                    int64_t Number) {
  return Wanted.empty() || any_of(Wanted, [&](StringRef W) {
           int64_t Value;
           return (!W.getAsInteger(10, Value) && Value == Number) ||
                  (!Name.empty() && W == Name);
         });
}

/// Whether the components of \p Wanted are among those of \p Path. "/" is only
/// the root.
static bool isInCGroup(StringRef Path, StringRef Wanted) {
  Wanted = Wanted.trim('/');
  if (Wanted.empty())
    return Path == "/";
  return ("/" + Path.trim('/') + "/").str().find(("/" + Wanted + "/").str()) !=
         std::string::npos;
}

bool EventFilter::takes(const SampleThread &T) const {
  if (!S.CGroups.empty() && none_of(S.CGroups, [&](StringRef Wanted) {
        return isInCGroup(T.CGroup, Wanted);
      }))
    return false;
  // The text of perf script has only the names of threads.
  return isAnyOf(S.Threads, T.Name, T.TID) &&
         isAnyOf(S.Processes, T.Process.empty() ? T.Name : T.Process, T.PID);
}

bool EventFilter::takes(const Profile::Event &E) const {
  return E.Time >= Time.From && E.Time <= Time.To &&
         (CPUs.empty() || is_contained(CPUs, E.CPU)) &&
         (!NeedsThreads || takes(threadOf(P, E)));
}

/// Samples are sums of events, so that each event decides for itself.
Error EventFilter::takeEvents() {
  if (Error E = readTime())
    return E;
  for (StringRef Text : S.CPUs)
    if (Text.getAsInteger(10, CPUs.emplace_back()))
      return make_error<ArgumentError>(
          "--cpu=", "expected a number, but got '" + Text + "'");
  if (!CPUs.empty() && all_of(P.Events, [](const Profile::Event &E) {
        return E.CPU == Profile::None;
      }))
    return make_error<ArgumentError>(
        "--cpu=", "the profile does not record processors (perf record "
                  "--sample-cpu does)");
  erase_if(P.Events, [&](const Profile::Event &E) { return !takes(E); });
  const size_t Types = P.SampleTypes.size();
  P.Values.assign(P.Values.size(), 0);
  for (const Profile::Event &E : P.Events) {
    int64_t *Values = &P.Values[E.Sample * Types];
    Values[E.Type] = addValues(Values[E.Type], E.Value);
    if (P.CountsEvents)
      Values[0] = addValues(Values[0], 1);
  }
  return Error::success();
}

void EventFilter::takeSamples() {
  const size_t Types = P.SampleTypes.size();
  for (size_t I = 0; I != P.Samples.size(); ++I)
    if (!takes(threadOf(P, P.Samples[I])))
      std::fill_n(&P.Values[I * Types], Types, 0);
}

Error EventFilter::run() {
  bool NeedsTimes = !S.Time.empty() || !S.CPUs.empty();
  if (NeedsTimes && P.Events.empty())
    return make_error<ArgumentError>(
        S.Time.empty() ? "--cpu=" : "--time=",
        "the profile has no times of samples: recordings of perf, text of "
        "perf script and OpenTelemetry's profiles may have them");
  auto HasCGroup = [&](const Profile::Sample &Its) {
    return !threadOf(P, Its).CGroup.empty();
  };
  if (!S.CGroups.empty() && none_of(P.Samples, HasCGroup))
    return make_error<ArgumentError>(
        "--cgroup=", "the profile does not record control groups (perf record "
                     "--all-cgroups does)");
  if (!P.Events.empty()) {
    if (Error E = takeEvents())
      return E;
  } else {
    takeSamples();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

namespace {
/// A regular expression, with the answers for strings of a profile.
class NamePattern {
public:
  NamePattern(const Profile &P, StringRef Text) : P(P), Pattern(Text) {}

  bool matches(Profile::StringID ID) {
    if (Known.size() <= ID)
      Known.resize(P.Strings.size());
    if (Known[ID] == Unknown)
      Known[ID] = Pattern.match(P.Strings[ID]) ? Yes : No;
    return Known[ID] == Yes;
  }
  bool matchesModule(const Profile::Location &L) {
    return L.Mapping != Profile::None && matches(P.Mappings[L.Mapping].File);
  }
  bool matches(const Profile::Line &Line) {
    if (Line.Function == Profile::None)
      return false;
    const Profile::Function &F = P.Functions[Line.Function];
    return matches(F.Name) || matches(F.File);
  }
  bool matches(const Profile::Location &L) {
    return matchesModule(L) ||
           any_of(P.lines(L), [&](const auto &Line) { return matches(Line); });
  }

private:
  enum Answer : uint8_t { Unknown, No, Yes };

  const Profile &P;
  Regex Pattern;
  std::vector<Answer> Known;
};

/// Decides about samples and frames by names, as pprof does.
class NameFilter {
public:
  explicit NameFilter(Profile &P) : P(P) {}

  Error add(StringRef Option, StringRef Text,
            std::optional<NamePattern> NameFilter::*To);
  void run();

  std::optional<NamePattern> Focus, Ignore, Hide, Show;

private:
  enum Decision : uint8_t { Neither, Keeps, Removes };

  Decision decide(const Profile::Location &L);
  bool hideLines(Profile::Location &L);
  bool takes(ArrayRef<uint32_t> Stack) const;
  void takeFrames(Profile::Sample &S, ArrayRef<uint32_t> All);

  Profile &P;
  /// By location. Hidden is empty if none is.
  std::vector<Decision> Decisions;
  std::vector<bool> Hidden;
  /// A begin and a count, of the lines and stacks that have been copied.
  using Slice = std::pair<uint32_t, uint32_t>;
  std::map<std::tuple<uint32_t, uint32_t, bool, bool>, Slice> NewLines;
  DenseMap<Slice, Slice> NewStacks;
};
} // namespace

Error NameFilter::add(StringRef Option, StringRef Text,
                      std::optional<NamePattern> NameFilter::*To) {
  if (Text.empty())
    return Error::success();
  std::string Why;
  if (!Regex(Text).isValid(Why))
    return make_error<ArgumentError>(Option, "'" + Text +
                                                 "' is not a regular "
                                                 "expression: " +
                                                 Why);
  (this->*To).emplace(P, Text);
  return Error::success();
}

NameFilter::Decision NameFilter::decide(const Profile::Location &L) {
  if (Ignore && Ignore->matches(L))
    return Removes;
  return !Focus || Focus->matches(L) ? Keeps : Neither;
}

/// Leaves out lines of \p L. Returns whether the whole location is left out.
bool NameFilter::hideLines(Profile::Location &L) {
  bool HidesAll = Hide && Hide->matchesModule(L);
  bool ShowsAll = !Show || Show->matchesModule(L);
  auto IsShown = [&](const Profile::Line &Line) {
    return !HidesAll && (ShowsAll || Show->matches(Line)) &&
           !(Hide && Hide->matches(Line));
  };
  // Copy them, because locations share lines; but only once.
  auto [It, New] = NewLines.try_emplace(
      std::tuple(L.FirstLine, L.LineCount, HidesAll, ShowsAll),
      uint32_t(P.Lines.size()), 0);
  auto &[First, Count] = It->second;
  if (New) {
    for (uint32_t I = 0; I != L.LineCount; ++I)
      if (Profile::Line Line = P.Lines[L.FirstLine + I]; IsShown(Line))
        P.Lines.push_back(Line);
    Count = uint32_t(P.Lines.size() - First);
  }
  bool MayBeEmpty = L.LineCount == 0 && !HidesAll && !Show;
  L.FirstLine = First;
  L.LineCount = Count;
  L.Changed = true;
  return Count == 0 && !MayBeEmpty;
}

/// Whether the samples of \p Stack are kept.
bool NameFilter::takes(ArrayRef<uint32_t> Stack) const {
  bool Any = false;
  for (uint32_t I : Stack) {
    if (Decisions[I] == Removes)
      return false;
    Any |= Decisions[I] == Keeps;
  }
  return Any;
}

/// Gives \p S its stack without hidden frames, or none if it is not kept.
void NameFilter::takeFrames(Profile::Sample &S, ArrayRef<uint32_t> All) {
  ArrayRef<uint32_t> Old = All.slice(S.FirstLocation, S.LocationCount);
  // Samples share stacks.
  auto [It, New] =
      NewStacks.try_emplace(std::pair(S.FirstLocation, S.LocationCount),
                            uint32_t(P.StackLocations.size()), 0);
  auto &[First, Count] = It->second;
  if (New) {
    if (takes(Old))
      copy_if(Old, std::back_inserter(P.StackLocations),
              [&](uint32_t I) { return Hidden.empty() || !Hidden[I]; });
    Count = uint32_t(P.StackLocations.size() - First);
  }
  S.FirstLocation = First;
  S.LocationCount = Count;
}

void NameFilter::run() {
  for (const Profile::Location &L : P.Locations)
    Decisions.push_back(decide(L));
  if (Hide || Show)
    for (Profile::Location &L : P.Locations)
      Hidden.push_back(hideLines(L));
  const size_t Types = P.SampleTypes.size();
  std::vector<uint32_t> All;
  std::swap(All, P.StackLocations);
  for (size_t I = 0; I != P.Samples.size(); ++I) {
    takeFrames(P.Samples[I], All);
    if (P.Samples[I].LocationCount == 0)
      std::fill_n(&P.Values[I * Types], Types, 0);
  }
}

static void removeUnusedLocations(Profile &P) {
  std::vector<uint32_t> NewIndex(P.Locations.size(), Profile::None);
  for (const Profile::Sample &S : P.Samples)
    for (uint32_t Location : P.stack(S))
      NewIndex[Location] = 0;
  uint32_t Count = 0;
  for (size_t I = 0; I != P.Locations.size(); ++I)
    if (NewIndex[I] != Profile::None) {
      P.Locations[Count] = P.Locations[I];
      NewIndex[I] = Count++;
    }
  P.Locations.resize(Count);
  // Nothing refers to the stacks of the samples that were removed.
  for (uint32_t &Location : P.StackLocations)
    Location = NewIndex[Location] == Profile::None ? 0 : NewIndex[Location];
}

static void removeUnusedFunctions(Profile &P) {
  std::vector<uint32_t> NewIndex(P.Functions.size(), Profile::None);
  for (const Profile::Location &L : P.Locations)
    for (const Profile::Line &Line : P.lines(L))
      if (Line.Function != Profile::None)
        NewIndex[Line.Function] = 0;
  uint32_t Count = 0;
  for (size_t I = 0; I != P.Functions.size(); ++I)
    if (NewIndex[I] != Profile::None) {
      P.Functions[Count] = P.Functions[I];
      NewIndex[I] = Count++;
    }
  P.Functions.resize(Count);
  for (Profile::Line &Line : P.Lines)
    if (Line.Function != Profile::None)
      Line.Function = NewIndex[Line.Function];
}

Error selectSamples(Profile &P, const ProfileSelection &S) {
  if (!S.needsEvents() && S.Processes.empty() && S.CGroups.empty())
    return Error::success();
  if (Error E = EventFilter(P, S).run())
    return E;
  removeSamplesWithoutValues(P);
  removeUnusedLocations(P);
  return Error::success();
}

Error selectFrames(Profile &P, const ProfileSelection &S,
                   WarningFunction Warn) {
  if (S.isEmpty())
    return Error::success();
  NameFilter Names(P);
  for (const auto &[Option, Text, To] :
       {std::tuple("--focus=", &S.Focus, &NameFilter::Focus),
        std::tuple("--ignore=", &S.Ignore, &NameFilter::Ignore),
        std::tuple("--hide=", &S.Hide, &NameFilter::Hide),
        std::tuple("--show=", &S.Show, &NameFilter::Show)})
    if (Error E = Names.add(Option, *Text, To))
      return E;
  if (Names.Focus || Names.Ignore || Names.Hide || Names.Show)
    Names.run();
  removeSamplesWithoutValues(P);
  removeUnusedLocations(P);
  removeUnusedFunctions(P);
  if (P.Samples.empty())
    Warn("no sample is selected");
  return Error::success();
}

} // namespace lidia
