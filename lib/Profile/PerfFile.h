//===- PerfFile.h - The header and the features of a recording --*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFFILE_H
#define LIDIA_LIB_PROFILE_PERFFILE_H

#include "PerfFields.h"
#include "lidia/Process/Mappings.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <map>
#include <string>
#include <vector>

namespace lidia {

/// An event of the recording: a perf_event_attr and a name.
struct PerfEvent {
  uint32_t Type = 0;
  uint64_t Config = 0;
  uint64_t SamplePeriod = 0;
  /// perf::SampleField.
  uint64_t SampleType = 0;
  /// perf::ReadFormat.
  uint64_t ReadFormat = 0;
  uint64_t BranchType = 0;
  /// The registers in samples, by perf's numbers for the machine.
  uint64_t UserRegisters = 0;
  uint64_t InterruptRegisters = 0;
  /// Whether records other than samples also end with these fields.
  bool SampleIDAll = false;
  /// Whether times are those of CLOCK_MONOTONIC (perf record -k mono).
  bool IsMonotonic = false;
  std::string Name;

  bool has(uint64_t SampleFields) const {
    return (SampleType & SampleFields) != 0;
  }
};

/// A record without its header. Points into the recording or into unpacked
/// data.
struct PerfRecord {
  uint32_t Type = 0;
  uint16_t Misc = 0;
  llvm::StringRef Body;
};

/// The header of a perf.data file, of either byte order, and the sections after
/// its records; or the header of the piped form (perf record -o -), in which
/// records replace these sections.
class PerfFile {
public:
  /// \p Bytes must outlive the result. Leaves out broken sections with a
  /// warning; fails if the header is broken.
  static llvm::Expected<PerfFile> open(llvm::MemoryBufferRef Bytes,
                                       WarningFunction Warn);

  llvm::endianness order() const { return Order; }
  /// Whether the recording has the piped form.
  bool isPiped() const { return Piped; }
  /// All records, concatenated.
  llvm::StringRef records() const { return Records; }
  /// The machine's name in uname, such as "x86_64"; empty if unknown.
  llvm::StringRef arch() const { return Arch; }

  /// What to add to a time of perf's clock for the nanoseconds since 1970; zero
  /// unless the clock was chosen (perf record -k).
  uint64_t clockOffset() const { return ClockOffset; }

  llvm::ArrayRef<PerfEvent> events() const { return Events; }
  /// The index of the event with \p ID. If there is only one event, its index;
  /// if \p ID is zero, that of the first. The size of events() if there is no
  /// such event.
  size_t eventOf(uint64_t ID) const;

  struct BuildID {
    std::string Path;
    /// In hexadecimal digits.
    std::string Text;
  };
  llvm::ArrayRef<BuildID> buildIDs() const { return BuildIDs; }

  /// Reads \p R if it is one of perf's own records about the file. Returns
  /// false if it is malformed.
  bool readRecord(const PerfRecord &R);

private:
  struct Section {
    uint64_t Offset = 0;
    uint64_t Size = 0;
  };

  Section readSection(PerfFields &Fields);
  llvm::StringRef bytesOf(const Section &S, llvm::StringRef File);
  void readHeader(PerfFields Fields, llvm::StringRef File, llvm::StringRef Name,
                  WarningFunction Warn);
  void readAttributes(llvm::StringRef Bytes, uint64_t EntrySize,
                      llvm::StringRef File);
  void readFeatures(llvm::StringRef Table, llvm::ArrayRef<uint64_t> Flags,
                    llvm::StringRef File);
  bool readFeature(unsigned Number, llvm::StringRef Bytes);
  bool readEventNames(PerfFields Fields);
  bool readBuildIDs(llvm::StringRef Bytes);
  bool readBuildID(uint16_t Misc, PerfFields Fields);
  bool readAttribute(llvm::StringRef Attribute, llvm::StringRef IDs);
  bool readUpdate(PerfFields Fields);

  llvm::endianness Order = llvm::endianness::little;
  bool Piped = false;
  llvm::StringRef Records;
  std::string Arch;
  uint64_t ClockOffset = 0;
  std::vector<PerfEvent> Events;
  std::map<uint64_t, uint32_t> EventsByID;
  std::vector<BuildID> BuildIDs;
  uint64_t BrokenSections = 0;
};

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFFILE_H
