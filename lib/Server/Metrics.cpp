//===- Metrics.cpp - Counters of a server ---------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Metrics.h"
#include "lidia/Archive/NameOrigins.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

void EndpointStatistics::note(unsigned Status, double Seconds, uint64_t In,
                              uint64_t Out) {
  unsigned Class = std::min(std::max(Status / 100, 1u), 5u) - 1;
  ++ByStatus[Class];
  size_t Bucket = llvm::lower_bound(Ends, Seconds) - Ends.begin();
  ++BySeconds[Bucket];
  Microseconds += uint64_t(Seconds * 1e6);
  BytesIn += In;
  BytesOut += Out;
}

void ServerStatistics::count(const AnswerCounts &Answers) {
  for (auto [To, Count] : zip_equal(ByOrigin, Answers.ByOrigin))
    To += Count;
  for (auto [To, Count] : zip_equal(ByMiss, Answers.ByMiss))
    To += Count;
}

namespace {
struct Counter {
  const char *Name;
  const char *Help;
  uint64_t Value;
};
} // namespace

static void printCounter(raw_ostream &OS, const Counter &C) {
  OS << "# HELP " << C.Name << ' ' << C.Help << "\n# TYPE " << C.Name
     << " counter\n"
     << C.Name << ' ' << C.Value << '\n';
}

/// One counter with a value for each label.
static void printLabels(raw_ostream &OS, StringRef Name, StringRef Help,
                        StringRef Label,
                        ArrayRef<std::pair<StringRef, uint64_t>> Values) {
  OS << "# HELP " << Name << ' ' << Help << "\n# TYPE " << Name << " counter\n";
  for (const auto &[Text, Value] : Values)
    OS << Name << '{' << Label << "=\"" << Text << "\"} " << Value << '\n';
}

/// One counter with a value for each reason that has occurred, and \p First.
static void printReasons(raw_ostream &OS, StringRef Name, StringRef Help,
                         const CountByMiss &Counts, MissCode First) {
  std::vector<std::pair<StringRef, uint64_t>> Values;
  for (auto [Code, Count] : enumerate(Counts))
    if (Count || MissCode(Code) == First)
      Values.emplace_back(toString(MissCode(Code)), Count);
  printLabels(OS, Name, Help, "reason", Values);
}

/// What was done with profiles.
static void printProfiles(raw_ostream &OS, const ServerStatistics &S) {
  printLabels(OS, "lidia_profiles_total", "Profiles passed on", "result",
              {{"named", S.ProfilesNamed}, {"unchanged", S.ProfilesUnchanged}});
  printReasons(OS, "lidia_profiles_unread_total",
               "Profiles passed on as they came because they were not read",
               S.ProfilesUnread, MissCode::Damaged);
  printLabels(OS, "lidia_profile_locations_total",
              "Locations of profiles: named with lines, by name only, or "
              "already named",
              "result",
              {{"lines", S.LocationsWithLines},
               {"names", S.LocationsWithNames},
               {"known", S.LocationsKnown}});
  printReasons(OS, "lidia_profile_misses_total",
               "Locations of profiles that were not named", S.LocationsMissed,
               MissCode::NoFile);
  printLabels(OS, "lidia_forwards_total",
              "What the server behind did with profiles", "result",
              {{"taken", S.ForwardsTaken},
               {"refused", S.ForwardsRefused},
               {"failed", S.ForwardsFailed}});
  printCounter(OS,
               {"lidia_forward_bytes_total",
                "Bytes of profiles sent to the server behind", S.ForwardBytes});
}

static void printStatuses(raw_ostream &OS, StringRef Name,
                          const EndpointStatistics &E) {
  for (auto [I, Count] : enumerate(E.ByStatus))
    if (Count)
      OS << "lidia_requests_total{endpoint=\"" << Name << "\",status=\""
         << I + 1 << "xx\"} " << Count << '\n';
}

static void printHistogram(raw_ostream &OS, StringRef Name,
                           const EndpointStatistics &E) {
  constexpr const char *Metric = "lidia_request_seconds";
  uint64_t Sum = 0;
  for (auto [I, Count] : enumerate(E.BySeconds)) {
    Sum += Count;
    OS << Metric << "_bucket{endpoint=\"" << Name << "\",le=\"";
    if (I < E.Ends.size())
      OS << llvm::format("%g", E.Ends[I]);
    else
      OS << "+Inf";
    OS << "\"} " << Sum << '\n';
  }
  OS << Metric << "_sum{endpoint=\"" << Name << "\"} "
     << llvm::format("%.6f", double(E.Microseconds) / 1e6) << '\n'
     << Metric << "_count{endpoint=\"" << Name << "\"} " << Sum << '\n';
}

void printGauges(raw_ostream &OS, ArrayRef<Gauge> Gauges) {
  StringRef Before;
  for (const Gauge &G : Gauges) {
    if (Before != G.Name)
      OS << "# HELP " << G.Name << ' ' << G.Help << "\n# TYPE " << G.Name
         << " gauge\n";
    Before = G.Name;
    OS << G.Name;
    if (*G.Label)
      OS << '{' << G.Label << '}';
    OS << ' ' << llvm::format("%.15g", G.Value) << '\n';
  }
}

/// The number of files that this process has open.
static uint64_t openFiles() {
  uint64_t Count = 0;
  std::error_code EC;
  for (sys::fs::directory_iterator It("/proc/self/fd", EC), End;
       !EC && It != End; It.increment(EC))
    ++Count;
  return Count;
}

/// Pages of this process in memory.
static uint64_t residentPages() {
  // Its size is unknown before it is read.
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFileAsStream("/proc/self/statm");
  uint64_t Pages = 0;
  if (File)
    (void)(*File)->getBuffer().split(' ').second.consumeInteger(10, Pages);
  return Pages;
}

void printProcess(raw_ostream &OS, std::time_t Start) {
  rusage Usage = {};
  rlimit Files = {};
  (void)::getrusage(RUSAGE_SELF, &Usage);
  (void)::getrlimit(RLIMIT_NOFILE, &Files);
  auto Seconds = [](const timeval &T) {
    return double(T.tv_sec) + double(T.tv_usec) / 1e6;
  };
  OS << "# HELP process_cpu_seconds_total CPU time\n"
        "# TYPE process_cpu_seconds_total counter\n"
        "process_cpu_seconds_total "
     << llvm::format("%.2f", Seconds(Usage.ru_utime) + Seconds(Usage.ru_stime))
     << '\n';
  printGauges(OS, {{"process_resident_memory_bytes", "Memory",
                    double(residentPages()) * double(::sysconf(_SC_PAGESIZE))},
                   {"process_open_fds", "Open files", double(openFiles())},
                   {"process_max_fds", "Maximum number of open files",
                    double(Files.rlim_cur)},
                   {"process_start_time_seconds", "Start, as a Unix time",
                    double(Start)},
                   {"lidia_build_info", "The version", 1,
                    "version=\"" LIDIA_VERSION_STRING "\""}});
}

std::string ServerStatistics::text(ArrayRef<const char *> Names) const {
  std::string Text;
  raw_string_ostream OS(Text);
  for (const Counter &C : std::initializer_list<Counter>{
           {"lidia_module_hits_total", "Modules that were already open",
            ModuleHits},
           {"lidia_modules_opened_total", "Archives opened", ModulesOpened},
           {"lidia_modules_missing_total",
            "Requests for archives that the store does not have",
            ModulesMissing},
           {"lidia_module_errors_total", "Archives that could not be read",
            ModuleErrors},
           {"lidia_addresses_total", "Addresses looked up", Addresses},
           {"lidia_frames_total", "Frames answered", Frames},
           {"lidia_exports_total", "Debug files made from archives", Exports},
           {"lidia_export_hits_total", "Debug files that were already made",
            ExportHits},
           {"lidia_upload_bytes_total", "Bytes of uploads", UploadBytes},
           {"lidia_uploads_stored_total",
            "Archives that uploads have added or replaced", UploadsStored},
           {"lidia_upstream_requests_total", "Requests to upstream servers",
            UpstreamRequests},
           {"lidia_upstream_bytes_total", "Bytes from upstream servers",
            UpstreamBytes},
           {"lidia_conversions_total",
            "Helper processes that make archives from files", Conversions}})
    printCounter(OS, C);
  printLabels(OS, "lidia_upstream_files_total",
              "Files requested from upstream servers", "result",
              {{"found", UpstreamFound},
               {"missing", UpstreamMissing},
               {"failed", UpstreamFailed}});
  printLabels(OS, "lidia_conversion_errors_total",
              "Files that could not be made into archives", "class",
              {{"file", ConversionsRefused},
               {"limit", ConversionsLimited},
               {"server", ConversionsFailed}});
  // A value for each label that there is, so that none appears only later.
  std::vector<std::pair<StringRef, uint64_t>> Values;
  for (unsigned I = 1; I != ByOrigin.size(); ++I)
    if (StringRef Text = toString(NameOrigin(I)); !Text.empty())
      Values.emplace_back(Text, ByOrigin[I]);
  printLabels(OS, "lidia_names_total",
              "Addresses with a name, by where it is from", "origin", Values);
  Values.clear();
  for (unsigned I = 1; I != ByMiss.size(); ++I)
    Values.emplace_back(toString(MissCode(I)), ByMiss[I]);
  printLabels(OS, "lidia_misses_total",
              "Addresses without a name or without a line", "code", Values);
  printProfiles(OS, *this);
  OS << "# HELP lidia_requests_total Requests answered\n"
        "# TYPE lidia_requests_total counter\n";
  for (auto [Name, E] : zip_equal(Names, Endpoints))
    printStatuses(OS, Name, E);
  uint64_t In = 0, Out = 0;
  for (const EndpointStatistics &E : Endpoints) {
    In += E.BytesIn;
    Out += E.BytesOut;
  }
  printCounter(OS, {"lidia_request_bytes_total", "Bytes of bodies read", In});
  printCounter(OS, {"lidia_response_bytes_total", "Bytes of bodies sent", Out});
  OS << "# HELP lidia_request_seconds Time to answer\n"
        "# TYPE lidia_request_seconds histogram\n";
  for (auto [Name, E] : zip_equal(Names, Endpoints))
    printHistogram(OS, Name, E);
  return Text;
}

} // namespace lidia
