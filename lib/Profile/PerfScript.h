//===- PerfScript.h - The text of perf script -------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFSCRIPT_H
#define LIDIA_LIB_PROFILE_PERFSCRIPT_H

#include "PerfProfile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

namespace lidia {

/// Reads the text that perf script prints, line by line:
///
///  - a sample: "comm pid/tid [cpu] time: period event:", with its only address
///    on the same line, or with its stack on the lines below, innermost first:
///    "address symbol+offset (file)", or "(file+offset)" with the field dsoff.
///    All parts but the process and the event are optional;
///  - with --show-mmap-events and --show-task-events, the mappings of the
///    processes, and when they fork and execute other programs;
///  - lines with a build ID and a path, as printed by perf buildid-list,
///    anywhere before the end.
///
/// In the stacks of user code, perf prints file offsets up to version 4.18 and
/// from 5.16 to 6.3, and addresses otherwise; distributions backport changes. A
/// number may be both, so one decision is made for the whole text (FrameForm).
/// If a file has no mapping, its offsets are in a mapping that begins at zero,
/// and its addresses in one of the whole address space.
///
/// The profile counts samples and sums the periods of each event. Equal stacks
/// of a process become one sample, with the labels "comm" and "pid". Symbols
/// become provisional lines, with those of the inlined calls there. The
/// addresses of callers are those of the last bytes of their calls.
class PerfScriptReader {
public:
  /// \p KeepsEvents: whether to fill Profile::Events.
  explicit PerfScriptReader(bool KeepsEvents = false);

  void readLine(llvm::StringRef Line);
  /// Reads "6.1.192", the version of the perf that printed the text, or of the
  /// perf that recorded, which usually is the same.
  void readVersion(llvm::StringRef Version);

  /// Returns the profile; \p Name is for messages. Fails if there were no
  /// samples. May be called only once.
  llvm::Expected<Profile> finish(llvm::StringRef Name, WarningFunction Warn);

private:
  /// Index in Profile::Mappings, or None, and an address there.
  using Place = std::pair<uint32_t, uint64_t>;
  /// The two possible meanings of a number in a stack.
  struct Readings {
    Place AsOffset;
    Place AsAddress;
  };
  /// The numbers of a frame; the offset only with the field dsoff.
  struct FrameNumbers {
    uint64_t Address = 0;
    std::optional<uint64_t> FileOffset;
  };
  /// What the numbers in stacks of user code are.
  enum class FrameForm { Offsets, Addresses };

  /// The sample that is being read.
  struct OpenSample {
    bool IsOpen = false;
    llvm::StringRef Comm;
    std::string CommText;
    uint32_t PID = 0;
    uint32_t TID = 0;
    uint32_t Event = 0;
    uint64_t Period = 1;
    uint64_t Time = 0;
    uint32_t CPU = Profile::None;
    std::vector<uint32_t> Stack;
    /// The names of the last lines with "(inlined)", and their address.
    std::vector<Profile::StringID> Inlined;
    uint64_t InlinedAt = 0;
    bool LastWasKernel = false;
  };

  bool readRecord(llvm::StringRef Line);
  bool readMap(llvm::StringRef Fields);
  bool readFork(llvm::StringRef Fields);
  bool readExec(llvm::StringRef Fields);
  bool readBuildID(llvm::StringRef Line);
  bool readHeader(llvm::StringRef Line);
  bool readFrame(llvm::StringRef Line, bool IsInStack);
  void addFrame(const FrameNumbers &At, llvm::StringRef File, bool IsInStack,
                llvm::ArrayRef<Profile::StringID> Names);
  void endInlined();
  void endSample();
  uint32_t mappingOfOffsets(llvm::StringRef File, uint64_t Offset);
  uint32_t mappingOfAddresses(llvm::StringRef File);
  std::optional<Place> findAddress(const PerfSpace &In, uint64_t Address,
                                   llvm::StringRef File) const;
  std::optional<Place> findOffset(const PerfSpace &In, uint64_t Offset,
                                  llvm::StringRef File);
  void vote(uint64_t Number, llvm::StringRef File, bool IsOffset,
            bool IsAddress);
  const PerfSpace *spaceOfSample() const;
  Readings resolveOffset(uint64_t Offset, llvm::StringRef File);
  Readings resolve(uint64_t Number, llvm::StringRef File, bool IsInStack);
  FrameForm frameForm(llvm::StringRef Name, WarningFunction Warn) const;
  void settleLocations(FrameForm Form);
  uint32_t addLocation(const Readings &At,
                       llvm::ArrayRef<Profile::StringID> Names);

  PerfProfile Samples;
  Profile &P = Samples.P;
  PerfSpaces Spaces;
  PerfSpace Kernel;
  /// Mappings of file offsets, by file.
  std::map<Profile::StringID, uint32_t> OffsetMappings;
  /// Mappings of addresses in files without a known mapping, by file.
  std::map<Profile::StringID, uint32_t> AddressMappings;
  /// By place and symbol: at the same address of the same path, or of code
  /// compiled at run time, processes may have different code.
  std::map<std::tuple<Place, Place, Profile::StringID>, uint32_t>
      LocationIndices;
  /// By location. Until the end, the location itself has the place as an
  /// offset.
  std::vector<Place> PlacesAsAddress;
  /// The events of the recording, in its order, if the text has its header.
  std::vector<std::string> EventNames;
  /// The count of numbers in stacks that can only be read in one form.
  uint64_t OffsetVotes = 0;
  uint64_t AddressVotes = 0;
  /// The count of numbers that can be read in both forms.
  uint64_t OpenVotes = 0;
  /// The major and minor number of perf's version.
  std::optional<std::pair<unsigned, unsigned>> Version;
  OpenSample Sample;
  uint64_t Lines = 0;
  uint64_t MalformedLines = 0;
  uint64_t FirstMalformed = 0;
};

/// Whether the first lines of \p Text contain a sample with an address.
bool hasPerfScriptSample(llvm::StringRef Text);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFSCRIPT_H
