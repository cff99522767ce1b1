//===- PerfFormat.h - Constants of perf's recordings ------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Based on include/uapi/linux/perf_event.h,
/// tools/lib/perf/include/perf/event.h and
/// tools/perf/Documentation/perf.data-file-format.txt of Linux. The installed
/// kernel header is not used, because it may be older than a recording.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_PROFILE_PERFFORMAT_H
#define LIDIA_LIB_PROFILE_PERFFORMAT_H

#include <cstdint>

namespace lidia::perf {

/// The fields of a sample (perf_event_attr::sample_type), in this order except
/// for Identifier, which comes first.
enum SampleField : uint64_t {
  IP = 1 << 0,
  TID = 1 << 1,
  Time = 1 << 2,
  Address = 1 << 3,
  Read = 1 << 4,
  CallChain = 1 << 5,
  ID = 1 << 6,
  CPU = 1 << 7,
  Period = 1 << 8,
  StreamID = 1 << 9,
  Raw = 1 << 10,
  BranchStack = 1 << 11,
  RegistersUser = 1 << 12,
  StackUser = 1 << 13,
  Weight = 1 << 14,
  DataSource = 1 << 15,
  Identifier = 1 << 16,
  Transaction = 1 << 17,
  RegistersInterrupt = 1 << 18,
  PhysicalAddress = 1 << 19,
  Aux = 1 << 20,
  CGroup = 1 << 21,
  WeightStruct = 1 << 24,
};

/// perf_event_attr::read_format.
enum ReadFormat : uint64_t {
  TotalTimeEnabled = 1 << 0,
  TotalTimeRunning = 1 << 1,
  ReadID = 1 << 2,
  Group = 1 << 3,
  Lost = 1 << 4,
};

/// perf_event_attr::branch_sample_type.
enum BranchType : uint64_t {
  BranchCallStack = 1 << 11,
  BranchHardwareIndex = 1 << 17,
  BranchCounters = 1 << 19,
};

/// Bits of perf_event_attr's flags, numbered in order of declaration.
enum AttributeBit : unsigned { SampleIDAll = 18, UseClockID = 25 };

enum RecordType : uint32_t {
  RecordMmap = 1,
  RecordLost = 2,
  RecordComm = 3,
  RecordExit = 4,
  RecordFork = 7,
  RecordSample = 9,
  RecordMmap2 = 10,
  RecordLostSamples = 13,
  RecordNamespaces = 16,
  RecordKSymbol = 17,
  RecordCGroup = 19,
  RecordCallChainDeferred = 22,
  /// Types below this number are defined by the kernel, the others by perf.
  RecordUserStart = 64,
  RecordHeaderAttribute = 64,
  RecordTracingData = 66,
  RecordBuildID = 67,
  RecordFinishedRound = 68,
  RecordAuxTrace = 71,
  RecordEventUpdate = 78,
  RecordFeature = 80,
  RecordCompressed = 81,
  RecordCompressed2 = 83,
};

/// perf_event_header::misc.
enum Misc : uint16_t {
  /// The processor's mode: one of the five below, or unknown.
  CPUModeMask = 7,
  Kernel = 1,
  User = 2,
  Hypervisor = 3,
  GuestKernel = 4,
  GuestUser = 5,
  /// In COMM: the process executes another program.
  CommExec = 1 << 13,
  /// In MMAP: the mapping has no code.
  MmapData = 1 << 13,
  /// In MMAP2: a build ID replaces device and inode.
  MmapBuildID = 1 << 14,
  /// In BUILD_ID: the record has the size of the build ID.
  BuildIDSize = 1 << 15,
};

/// Values in call chains that specify the kind of the addresses that follow.
enum Context : uint64_t {
  ContextHypervisor = uint64_t(-32),
  ContextKernel = uint64_t(-128),
  ContextUser = uint64_t(-512),
  ContextUserDeferred = uint64_t(-640),
  ContextGuest = uint64_t(-2048),
  ContextGuestKernel = uint64_t(-2176),
  ContextGuestUser = uint64_t(-2560),
  /// Values from this one on are not addresses.
  ContextFirst = uint64_t(-4095),
};

/// The sections after the records.
enum Feature : unsigned {
  FeatureBuildID = 2,
  FeatureHostname = 3,
  FeatureArch = 6,
  FeatureEventDesc = 12,
  FeatureClockData = 29,
  FeatureCount = 256,
};

} // namespace lidia::perf

#endif // LIDIA_LIB_PROFILE_PERFFORMAT_H
