//===- PerfProfile.h - A profile made from perf's samples -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Code that the readers of perf's recordings and of perf's text share: the
/// mappings of processes over time, and the profile that is built from samples.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFPROFILE_H
#define LIDIA_LIB_PROFILE_PERFPROFILE_H

#include "NamedFunctions.h"
#include "lidia/Process/Mappings.h"
#include "lidia/Profile/Profile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace lidia {

/// A mapping of a process: its end and its index in Profile::Mappings.
struct PerfMapped {
  uint64_t End = 0;
  uint32_t Mapping = 0;
};

/// The mappings of a process at one time, by begin; without overlaps.
class PerfSpace {
public:
  using Map = std::map<uint64_t, PerfMapped>;

  /// Adds \p Mapping, which replaces the parts of mappings that it overlaps.
  void add(uint64_t Begin, uint64_t End, uint32_t Mapping);
  /// Removes the parts of mappings in [\p Begin, \p End).
  void remove(uint64_t Begin, uint64_t End);
  /// The index of the mapping at \p Address, or Profile::None.
  uint32_t find(uint64_t Address) const;
  /// The mapping at \p Address and the one before it, or end().
  Map::iterator at(uint64_t Address);
  Map::iterator before(Map::iterator Of) {
    return Of == Mappings.begin() ? Mappings.end() : std::prev(Of);
  }

  /// Changes with each change of a mapping. Unique to these mappings.
  uint64_t version() const { return Version; }
  void setVersion(uint64_t To) { Version = To; }

  Map::const_iterator begin() const { return Mappings.begin(); }
  Map::const_iterator end() const { return Mappings.end(); }
  size_t size() const { return Mappings.size(); }

private:
  Map Mappings;
  uint64_t Version = 0;
};

/// The mappings of all processes. A process shares those of its parent until
/// one of them changes a mapping.
class PerfSpaces {
public:
  /// Must be called for each line or record, because it raises the limit on the
  /// mappings that forks may copy.
  void countInput() { ++Inputs; }

  /// The mappings of \p PID, to be changed. Returns null, and counts this, if
  /// copying them from the parent process would exceed the limit.
  PerfSpace *forChange(uint32_t PID);
  /// Null if none are known.
  const PerfSpace *find(uint32_t PID) const;
  void fork(uint32_t Child, uint32_t Parent);
  /// Notes that the process executes another program. The stack of the exec
  /// call is that of the previous program, whose mappings findBeforeExec()
  /// returns until the new program runs.
  void exec(uint32_t PID);
  void runs(uint32_t PID) { BeforeExec.erase(PID); }
  const PerfSpace *findBeforeExec(uint32_t PID) const;

  uint64_t skipped() const { return Skipped; }

private:
  std::map<uint32_t, std::shared_ptr<PerfSpace>> Spaces;
  std::map<uint32_t, std::shared_ptr<PerfSpace>> BeforeExec;
  uint64_t Versions = 0;
  uint64_t Copied = 0;
  uint64_t Inputs = 0;
  uint64_t Skipped = 0;
};

/// A profile that counts samples and sums the periods of each event. Equal
/// stacks of a process become one sample, with the labels "comm", "pid" and, if
/// they are known, "process.executable.name" and "cgroup".
/// Symbols become provisional lines.
class PerfProfile {
public:
  using StringID = Profile::StringID;
  /// Each event adds a value to each sample.
  static constexpr size_t MaxEvents = 16;

  Profile P;
  /// Whether to fill Profile::Events.
  bool KeepsEvents = false;

  uint32_t addMapping(const Profile::Mapping &M);
  /// Adds \p M to \p To. Anonymous memory in the place of a file's code is
  /// this code, moved to large pages.
  void map(PerfSpace &To, const Profile::Mapping &M);
  /// Whether code may be moved to a mapping of \p File.
  static bool isMemory(llvm::StringRef File);
  /// Adds \p Text as the build ID of the file \p Path. If a path has had two
  /// files, its build ID is unknown.
  void addBuildID(llvm::StringRef Path, llvm::StringRef Text);
  /// The build ID of \p M, or else the one that addBuildID() added for its
  /// file.
  StringID buildIDOf(const Profile::Mapping &M) const;
  /// Adds a location with a provisional line of each function of \p Names,
  /// innermost first, that is not 0. Does not check for an equal location.
  uint32_t appendLocation(uint32_t Mapping, uint64_t Address,
                          llvm::ArrayRef<StringID> Names, StringID File = 0,
                          uint32_t Line = 0);
  /// Sets such lines.
  void setNames(Profile::Location &L, llvm::ArrayRef<StringID> Names,
                StringID File = 0, uint32_t Line = 0);
  /// The number of the event \p Name; MaxEvents if there are too many events.
  uint32_t eventIndex(llvm::StringRef Name);

  struct Sample {
    StringID Comm = 0;
    /// The name of the process, if it is known and differs; otherwise 0.
    StringID Process = 0;
    uint32_t PID = 0;
    uint32_t TID = 0;
    uint32_t Event = 0;
    uint64_t Period = 1;
    uint32_t CPU = Profile::None;
    /// The path of its control group; 0 if unknown.
    StringID CGroup = 0;
    /// In nanoseconds; zero if unknown.
    uint64_t Time = 0;
    /// Locations, innermost first.
    std::vector<uint32_t> Stack;
  };
  void add(const Sample &S);
  /// Puts the events \p Names before all others, in this order. Call it after
  /// all samples were added.
  void orderEvents(llvm::ArrayRef<std::string> Names);

  /// In nanoseconds of perf's clock; zero if unknown.
  uint64_t firstTime() const { return FirstTime; }

  /// Completes the samples and their values, and warns about exceeded limits.
  /// Fails if there are no samples. \p Name is for messages.
  llvm::Error finishSamples(llvm::StringRef Name, WarningFunction Warn);
  /// Drops the mappings without locations, and gives the others the build IDs
  /// of their files. Call this last, after all locations are final.
  void finishMappings();

private:
  struct Count {
    uint32_t Event = 0;
    uint64_t Samples = 0;
    uint64_t Periods = 0;
  };

  void dropUnusedMappings();

  bool replacesCode(PerfSpace &In, const Profile::Mapping &M) const;
  void fillGap(PerfSpace &In, const Profile::Mapping &After);

  using MappingKey =
      std::tuple<uint64_t, uint64_t, uint64_t, StringID, StringID>;
  std::map<MappingKey, uint32_t> MappingIndices;
  /// By path; zero if it is unknown.
  llvm::StringMap<StringID> BuildIDs;
  NamedFunctions Functions{P};
  std::vector<std::string> Events;
  /// Index in Samples by the bytes of the stack, the labels and the event.
  llvm::StringMap<uint32_t> SampleIndices;
  /// The counts of each sample.
  std::vector<Count> Counts;
  uint64_t SkippedEvents = 0;
  /// The times of the first and the last sample; zero if unknown.
  uint64_t FirstTime = 0;
  uint64_t LastTime = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFPROFILE_H
