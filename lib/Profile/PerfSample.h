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

/// The process, thread, time and so on of a record. Fields that were not
/// recorded have these defaults.
struct PerfSampleID {
  uint32_t PID = UINT32_MAX;
  uint32_t TID = UINT32_MAX;
  /// In nanoseconds of the recording's clock; zero if unknown.
  uint64_t Time = 0;
  uint64_t ID = 0;
  /// UINT32_MAX if unknown.
  uint32_t CPU = UINT32_MAX;
  /// The ID of the control group, only of samples.
  uint64_t CGroup = 0;
};

/// The parts of a PERF_RECORD_SAMPLE that a profile needs. The object can be
/// reused for the next sample.
struct PerfSample {
  PerfSampleID Who;
  uint64_t IP = 0;
  uint64_t Period = 0;
  /// Addresses, innermost first, and their kinds (perf::Context).
  std::vector<uint64_t> Chain;
  struct Branch {
    uint64_t From = 0;
    uint64_t To = 0;
  };
  /// The last branches, newest first; or, with perf::BranchCallStack, the calls
  /// that have not returned yet.
  std::vector<Branch> Branches;
  /// The counters of a group and their events.
  struct Counter {
    uint64_t Value = 0;
    uint64_t ID = 0;
  };
  std::vector<Counter> Counters;
  /// perf_sample_regs_abi: 0 for no registers, 1 for 32 bits, 2 for 64 bits.
  uint64_t RegistersABI = 0;
  /// The values of the registers of PerfEvent::UserRegisters, in order.
  std::vector<uint64_t> Registers;
  /// The bytes starting at the stack pointer.
  llvm::StringRef Stack;

  /// Reads \p Body, a sample of \p E. Returns whether it is complete.
  bool parse(const PerfEvent &E, llvm::StringRef Body, llvm::endianness Order);
};

/// The ID of the sample \p Body, which identifies its event. All events of a
/// recording have it at the same position, which \p Any of them determines.
uint64_t idOfSample(const PerfEvent &Any, llvm::StringRef Body,
                    llvm::endianness Order);

/// The ID at the end of a record that is not a sample (PerfEvent::SampleIDAll).
uint64_t idOfRecord(const PerfEvent &Any, llvm::StringRef Body,
                    llvm::endianness Order);

/// Reads the process, thread and time at the end of the record \p Body, which
/// is not a sample, in the format of \p E. Leaves the bytes before them in
/// \p Body.
PerfSampleID takeSampleID(const PerfEvent &E, llvm::StringRef &Body,
                          llvm::endianness Order);

} // namespace lidia

#endif // LIDIA_LIB_PROFILE_PERFSAMPLE_H
