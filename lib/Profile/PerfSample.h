//===- PerfSample.h - The fields of a sample --------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFSAMPLE_H
#define LIDIA_LIB_PROFILE_PERFSAMPLE_H

#include "PerfFile.h"
#include <optional>
#include <vector>

namespace lidia {

/// The process, thread and time of a record. Fields that were not recorded have
/// the defaults below.
struct PerfSampleID {
  uint32_t PID = UINT32_MAX;
  uint32_t TID = UINT32_MAX;
  /// In nanoseconds of the recording's clock; zero if it is not known.
  uint64_t Time = 0;
  uint64_t ID = 0;
};

/// The parts of a PERF_RECORD_SAMPLE that a profile needs. Reuse the object for
/// the next sample.
struct PerfSample {
  PerfSampleID Who;
  uint64_t IP = 0;
  uint64_t Period = 0;
  /// Addresses and what they are of (perf::Context), innermost first.
  std::vector<uint64_t> Chain;
  struct Branch {
    uint64_t From = 0;
    uint64_t To = 0;
  };
  /// The last branches, newest first; or with perf::BranchCallStack the calls
  /// that have not returned.
  std::vector<Branch> Branches;
  /// The counters of a group and their events.
  struct Counter {
    uint64_t Value = 0;
    uint64_t ID = 0;
  };
  std::vector<Counter> Counters;
  /// perf_sample_regs_abi: 0 if there are no registers, 1 of 32 bits, 2 of 64.
  uint64_t RegistersABI = 0;
  /// The values of the registers of PerfEvent::UserRegisters, in order.
  std::vector<uint64_t> Registers;
  /// The bytes from the stack pointer on.
  llvm::StringRef Stack;

  /// Reads \p Body, a sample of \p E. Returns whether it is complete.
  bool parse(const PerfEvent &E, llvm::StringRef Body, llvm::endianness Order);
};

/// The ID of the sample \p Body, which tells its event. All events of a
/// recording have it at one place, which is found by \p Any of them.
uint64_t idOfSample(const PerfEvent &Any, llvm::StringRef Body,
                    llvm::endianness Order);

/// The ID of a record that is no sample (PerfEvent::SampleIDAll), which is at
/// its end.
uint64_t idOfRecord(const PerfEvent &Any, llvm::StringRef Body,
                    llvm::endianness Order);

/// Who the record \p Body, which is no sample, is about, from its end, as
/// events like \p E have it. What is before stays in \p Body.
PerfSampleID takeSampleID(const PerfEvent &E, llvm::StringRef &Body,
                          llvm::endianness Order);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFSAMPLE_H
