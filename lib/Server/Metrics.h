//===- Metrics.h - Counters of a server -------------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_METRICS_H
#define LIDIA_LIB_SERVER_METRICS_H

#include "lidia/Symbolize/AnswerCounts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// Requests to one endpoint.
struct EndpointStatistics {
  /// Upper bounds of the histogram's buckets, in seconds; the last has none.
  static constexpr std::array<double, 10> Ends = {
      0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30};

  /// Indexed by the first digit of the status, minus one.
  std::array<std::atomic<uint64_t>, 5> ByStatus = {};
  std::array<std::atomic<uint64_t>, Ends.size() + 1> BySeconds = {};
  std::atomic<uint64_t> Microseconds{0};
  std::atomic<uint64_t> BytesIn{0};
  std::atomic<uint64_t> BytesOut{0};

  void note(unsigned Status, double Seconds, uint64_t In, uint64_t Out);
};

/// A counter for each MissCode.
using CountByMiss = std::array<std::atomic<uint64_t>, MissCodeCount>;

/// All counters of a server, for Prometheus.
struct ServerStatistics {
  explicit ServerStatistics(size_t EndpointCount) : Endpoints(EndpointCount) {}

  const std::time_t Start = std::time(nullptr);
  std::vector<EndpointStatistics> Endpoints;
  std::atomic<uint64_t> ModuleHits{0};
  std::atomic<uint64_t> ModulesOpened{0};
  std::atomic<uint64_t> ModulesMissing{0};
  std::atomic<uint64_t> ModuleErrors{0};
  std::atomic<uint64_t> Addresses{0};
  std::atomic<uint64_t> Frames{0};
  /// Addresses by where the name of the function is from, and by why there is
  /// no name or no line.
  std::array<std::atomic<uint64_t>, size_t(NameOrigin::RuntimeNames)> ByOrigin =
      {};
  std::array<std::atomic<uint64_t>, MissCodeCount> ByMiss = {};

  /// Counts \p Count addresses.
  void count(NameOrigin O, MissCode Code, uint64_t Count = 1) {
    if (O < NameOrigin::RuntimeNames)
      ByOrigin[size_t(O)] += Count;
    ByMiss[size_t(Code)] += Count;
  }
  void count(const AnswerCounts &Answers);

  std::atomic<uint64_t> Exports{0};
  std::atomic<uint64_t> ExportHits{0};
  /// Helper processes, and those that failed because of the file, a limit, or
  /// the server itself.
  std::atomic<uint64_t> Conversions{0};
  std::atomic<uint64_t> ConversionsRefused{0};
  std::atomic<uint64_t> ConversionsLimited{0};
  std::atomic<uint64_t> ConversionsFailed{0};
  /// Files of upstream servers: requests, and the result for each file.
  std::atomic<uint64_t> UpstreamRequests{0};
  std::atomic<uint64_t> UpstreamFound{0};
  std::atomic<uint64_t> UpstreamMissing{0};
  std::atomic<uint64_t> UpstreamFailed{0};
  std::atomic<uint64_t> UpstreamBytes{0};
  /// Archives that uploads added or replaced, and bytes of uploads.
  std::atomic<uint64_t> UploadsStored{0};
  std::atomic<uint64_t> UploadBytes{0};

  /// Profiles that were passed on: with names, as they came because nothing was
  /// found, and as they came because they were not read.
  std::atomic<uint64_t> ProfilesNamed{0};
  std::atomic<uint64_t> ProfilesUnchanged{0};
  CountByMiss ProfilesUnread = {};
  /// Their locations: with lines from the store, with names only, those that
  /// had names, and the others.
  std::atomic<uint64_t> LocationsWithLines{0};
  std::atomic<uint64_t> LocationsWithNames{0};
  std::atomic<uint64_t> LocationsKnown{0};
  CountByMiss LocationsMissed = {};
  /// What the server behind did with them, and the bytes sent to it.
  std::atomic<uint64_t> ForwardsTaken{0};
  std::atomic<uint64_t> ForwardsRefused{0};
  std::atomic<uint64_t> ForwardsFailed{0};
  std::atomic<uint64_t> ForwardBytes{0};

  /// These counters, with the endpoints' \p Names, in Prometheus' text format
  /// (version 0.0.4).
  std::string text(llvm::ArrayRef<const char *> Names) const;
};

/// A value that goes up and down, with a label or without.
struct Gauge {
  const char *Name;
  const char *Help;
  double Value;
  /// Such as `queue="lookup"`.
  const char *Label = "";
};

/// Prints \p Gauges; those of one name follow each other.
void printGauges(llvm::raw_ostream &OS, llvm::ArrayRef<Gauge> Gauges);

/// What Prometheus' client libraries tell about this process, which began at
/// \p Start, and the version of this program.
void printProcess(llvm::raw_ostream &OS, std::time_t Start);

} // namespace lidia

#endif // LIDIA_LIB_SERVER_METRICS_H
