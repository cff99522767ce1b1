//===- CreateMany.cpp - Writes the archives of many binaries --------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CreateMany.h"
#include "ManyInputs.h"
#include "ProcessSetup.h"
#include "Progress.h"
#include "TransformOptions.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Modules/ArchiveLog.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <list>
#include <mutex>

using namespace llvm;

namespace {
/// The parsed command line.
struct CreateManyRequest {
  std::string Folder;
  std::vector<std::string> Binaries;
  bool Force = false;
  bool Quiet = false;
};
} // namespace

namespace lidia {

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

bool isCreateMany(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  if (Args.hasArg(OPT_output_dir_EQ))
    return true;
  for (unsigned ID : {OPT_inputs_from_EQ, OPT_null, OPT_force})
    if (const opt::Arg *A = Args.getLastArg(ID))
      Line.fail(A->getSpelling() + " needs --output-dir=");
  return false;
}

/// Rejects options that are valid only for one binary.
static void refuseOptionsOfOne(CommandLine &Line) {
  for (unsigned ID : {OPT_output_EQ, OPT_debug_file_EQ, OPT_dwp_EQ,
                      OPT_statistics, OPT_statistics_EQ})
    if (const opt::Arg *A = Line.args().getLastArg(ID))
      Line.fail(A->getSpelling() + " applies to one binary only, and cannot be "
                                   "combined with --output-dir=");
}

static void readBinaries(CommandLine &Line, CreateManyRequest &R) {
  R.Binaries = Line.operands();
  bool Null = Line.args().hasArg(OPT_null);
  const opt::Arg *From = Line.args().getLastArg(OPT_inputs_from_EQ);
  if (!From && Null)
    Line.fail("--null needs --inputs-from=");
  if (!From && R.Binaries.empty())
    Line.fail("no binary given (see llvm-lidia create --help)");
  if (!From)
    return;
  Expected<std::vector<std::string>> Names = readNames(From->getValue(), Null);
  if (!Names)
    return Line.fail(toString(Names.takeError()));
  R.Binaries.insert(R.Binaries.end(), Names->begin(), Names->end());
}

static CreateManyRequest readCreateManyRequest(CommandLine &Line) {
  CreateManyRequest R;
  const opt::InputArgList &Args = Line.args();
  R.Folder = Args.getLastArgValue(OPT_output_dir_EQ).str();
  if (R.Folder.empty())
    Line.fail("--output-dir=: expected a folder, but got ''");
  R.Force = Args.hasArg(OPT_force);
  R.Quiet = Args.hasArg(OPT_quiet);
  refuseOptionsOfOne(Line);
  readBinaries(Line, R);
  return R;
}

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

namespace {

/// Skips archives that are up to date, and reports and counts the others.
class ManyReports final : public ConvertManyObserver {
public:
  ManyReports(const CreateManyRequest &R, const ManyInputs &Inputs,
              const ConvertOptions &Options)
      : R(R), Inputs(Inputs), Options(Options), Line(R.Quiet),
        Work(Inputs.Jobs.size()) {}

  /// Fails if archives cannot be written there.
  Error openFolder();

  bool isWanted(size_t Job, Binary &File) override;
  void warning(size_t Job, const Twine &Message) override;
  void finished(size_t Job, Expected<ConvertStatistics> *Result) override;

  void fail(Error E);
  /// Whether all files were read: none failed or was up to date.
  bool readAll() const { return !UpToDate && !Failed; }
  /// The error tells how many files failed.
  Error finish();

private:
  struct JobState {
    std::optional<CacheKey> Key;
    std::optional<LimitedWarnings> Warnings;
  };

  void printSummary();

  const CreateManyRequest &R;
  const ManyInputs &Inputs;
  const ConvertOptions &Options;
  const std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  ArchiveLog Log;

  /// Guards the members below, and what is printed.
  std::mutex Mutex;
  ProgressLine Line;
  std::vector<JobState> Work;
  uint64_t Written = 0, UpToDate = 0, Failed = 0;
};

} // namespace

Error ManyReports::openFolder() {
  std::error_code EC = sys::fs::create_directories(
      R.Folder, /*IgnoreExisting=*/true, sys::fs::all_all);
  if (!EC && !sys::fs::is_directory(R.Folder))
    EC = std::make_error_code(std::errc::not_a_directory);
  if (EC)
    return createStringError(EC, R.Folder + ": " + EC.message());
  return Log.open(R.Folder);
}

bool ManyReports::isWanted(size_t Job, Binary &File) {
  CacheKey Key = archiveKeyOf(File, Options);
  bool Wanted = R.Force || !Log.isUpToDate(Inputs.Jobs[Job].Output, Key);
  Work[Job].Key = std::move(Key);
  return Wanted;
}

void ManyReports::warning(size_t Job, const Twine &Message) {
  std::lock_guard<std::mutex> Lock(Mutex);
  std::optional<LimitedWarnings> &Warnings = Work[Job].Warnings;
  if (!Warnings)
    Warnings.emplace(R.Quiet);
  Line.clear();
  Warnings->print(Message);
}

void ManyReports::fail(Error E) {
  Line.clear();
  reportError(std::move(E));
  ++Failed;
}

void ManyReports::finished(size_t Job, Expected<ConvertStatistics> *Result) {
  JobState Done = std::move(Work[Job]);
  Error Unlogged = Error::success();
  if (Result && *Result)
    Unlogged = Log.add(Inputs.Jobs[Job].Output, *Done.Key);
  std::lock_guard<std::mutex> Lock(Mutex);
  Line.clear();
  if (Done.Warnings)
    Done.Warnings->printRest(Inputs.Jobs[Job].Binary);
  if (!Result)
    ++UpToDate;
  else if (!*Result)
    fail(Result->takeError());
  else if (Unlogged)
    fail(std::move(Unlogged));
  else
    ++Written;
  Line.update("Making archives", Written + UpToDate + Failed,
              Inputs.Jobs.size() + Inputs.Failures.size());
}

void ManyReports::printSummary() {
  double Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  errs() << "Archives written: " << Written << ", up to date: " << UpToDate
         << ", failed: " << Failed << ", in " << llvm::format("%.1f", Seconds)
         << " s\n";
}

Error ManyReports::finish() {
  Line.clear();
  if (Line.isShown())
    printSummary();
  if (!Failed)
    return Error::success();
  return createStringError(Twine(Failed) + " of " +
                           Twine(Written + UpToDate + Failed) +
                           " files failed");
}

Error createMany(CommandLine &Line, const ConvertOptions &Options,
                 const TextMaps *Maps) {
  CreateManyRequest R = readCreateManyRequest(Line);
  if (Error E = Line.takeErrors())
    return E;
  ManyInputs Inputs =
      jobsFor(R.Binaries, R.Folder,
              Options.Compress ? CompressedArchiveExtension : ArchiveExtension);
  ManyReports Reports(R, Inputs, Options);
  if (Error E = Reports.openFolder())
    return E;
  raiseFileLimit();
  for (const std::string &Failure : Inputs.Failures)
    Reports.fail(createStringError(inconvertibleErrorCode(), Failure));
  convertMany(Inputs.Jobs, Options, Reports);
  // Files that were not read may use the remaining maps.
  if (Reports.readAll())
    warnOfUnused(Maps, R.Quiet);
  return Reports.finish();
}

} // namespace lidia
