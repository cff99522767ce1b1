//===- PerfDataReader.h - From records to a profile -------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFDATAREADER_H
#define LIDIA_LIB_PROFILE_PERFDATAREADER_H

#include "PerfFile.h"
#include "PerfNames.h"
#include "PerfProfile.h"
#include "PerfRecords.h"
#include "PerfSample.h"
#include "PerfStacks.h"
#include "lidia/Profile/ProfileFile.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace lidia {

/// Reads a recording of perf into a profile as described in PerfProfile.h.
/// Addresses of callers are those of the last bytes of their calls, if the
/// recording has return addresses.
class PerfDataReader {
public:
  /// The kind of code that an address belongs to.
  enum class Realm { User, Kernel, GuestUser, GuestKernel, Hypervisor, None };

  struct Frame {
    Realm Of = Realm::None;
    uint64_t Address = 0;
    /// Whether the address is a return address.
    bool IsReturnAddress = false;
    /// Index in the profile's locations; None until it is found.
    uint32_t Location = Profile::None;
  };

  /// A sample with its stack, innermost first, for comparisons with perf.
  struct Event {
    const PerfSampleID &Who;
    llvm::StringRef Name;
    llvm::StringRef Comm;
    uint64_t Period;
    llvm::ArrayRef<Frame> Stack;
  };

  /// Uses Root, Files and Archives of \p Options. \p Warn must outlive the
  /// reader.
  PerfDataReader(PerfFile File, llvm::StringRef Name,
                 const ProfileReadOptions &Options, WarningFunction Warn);

  /// If set, called for each sample in the order of the profile, that is, of
  /// time.
  std::function<void(const Event &)> Visit;

  /// Reads the recording. May be called only once. Fails if there are no
  /// samples.
  llvm::Expected<Profile> read();

  /// The profile, for the file and build ID of locations during Visit.
  const Profile &profile() const { return P; }

private:
  /// A sample whose user stack is in a later record.
  struct DeferredSample {
    uint64_t Cookie;
    PerfSampleID Who;
    uint32_t EventIndex;
    uint64_t Period;
    std::vector<Frame> Stack;
  };
  /// Counts of unused and missing data.
  struct Losses {
    uint64_t Malformed = 0;
    uint64_t LostRecords = 0;
    uint64_t UnknownEvents = 0;
    uint64_t UnfinishedStacks = 0;
    uint64_t BrokenStacks = 0;
    uint64_t GuestFrames = 0;
    uint64_t UnknownMachines = 0;
    bool Traces = false;
  };

  void readPipedHeader();
  void dispatch(HeldRecord R);
  size_t eventOf(const PerfRecord &R) const;
  uint64_t timeOf(const PerfRecord &R) const;
  void handle(const PerfRecord &R);
  void setKernel(const Profile::Mapping &M);
  bool handleKernelEvent(const PerfRecord &R);
  bool readMmap(const PerfRecord &R, PerfFields Fields, bool IsSecondForm);
  bool readComm(const PerfRecord &R, PerfFields Fields);
  bool readFork(PerfFields Fields);
  bool readKSymbol(PerfFields Fields);
  bool readCGroup(PerfFields Fields);
  bool readDeferredChain(const PerfSampleID &Who, PerfFields Fields);
  bool readSample(const PerfRecord &R);

  PerfSpace *spaceOf(uint32_t PID, uint16_t Misc);
  std::string commOf(uint32_t TID) const;
  static Realm realmOf(uint16_t Misc);
  std::optional<uint64_t> addChain(llvm::ArrayRef<uint64_t> Chain, Realm Of);
  void addCallStack();
  void addUnwound(const PerfEvent &E);
  void addFrame(Realm Of, uint64_t Address, bool IsReturnAddress);
  void locate(uint32_t PID);
  uint32_t locationOf(const Frame &F, uint32_t PID);
  uint64_t maxDeferredFrames() const;
  void deliverCounters();
  void deliver(const PerfSampleID &Who, uint32_t EventIndex, uint64_t Period);
  void report(const PerfRecordReader &Records);
  std::string unusedParts() const;

  PerfFile File;
  /// ProfileReadOptions::Written.
  uint64_t Written = 0;
  const std::string Name;
  WarningFunction Warn;
  PerfNames Names;
  PerfProfile Samples;
  Profile &P = Samples.P;
  PerfSpaces Spaces;
  PerfSpace Kernel;
  PerfSpace GuestKernel;
  PerfStacks Stacks;
  PerfRecordQueue Queue;
  std::map<uint32_t, Profile::StringID> Comms;
  /// Paths of control groups, by ID.
  std::map<uint64_t, Profile::StringID> CGroups;
  /// Kernel symbols from records, by their mappings.
  std::map<uint32_t, Profile::StringID> KernelSymbolNames;
  /// By mapping, address and name.
  llvm::DenseMap<std::tuple<uint32_t, uint64_t, Profile::StringID>, uint32_t>
      Locations;
  /// By thread.
  std::map<uint32_t, std::vector<DeferredSample>> Deferred;
  uint64_t DeferredFrames = 0;
  /// The last values of the counters of groups, by event ID.
  std::map<uint64_t, uint64_t> LastValues;
  /// The index in Samples of each of File's events that had a sample.
  std::vector<uint32_t> EventIndices;
  PerfSample Sample;
  /// Whether the processor's branches are calls that have not returned yet.
  bool CallStacksByBranches = false;
  std::vector<Frame> Stack;
  Losses Lost;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFDATAREADER_H
