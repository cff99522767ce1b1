//===- ConvertMany.cpp - From many binaries to their archives -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Extract/ConvertMany.h"
#include "ConvertBinary.h"
#include "InputFiles.h"
#include "Support/StableSort.h"
#include "Support/Threads.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "llvm/Support/FileSystem.h"
#include <atomic>

using namespace llvm;

namespace lidia {

namespace {

/// Passes on the reports of one job.
class JobObserver final : public ConvertObserver {
public:
  JobObserver(size_t Job, ConvertManyObserver &Observer)
      : Job(Job), Observer(Observer) {}

  void warning(const Twine &Message) override {
    Observer.warning(Job, Message);
  }
  void progress(StringRef, uint64_t, uint64_t) override {}
  bool isCancelled() override { return Observer.isCancelled(); }

private:
  size_t Job;
  ConvertManyObserver &Observer;
};

/// The state of one call of convertMany().
class ManyConversions {
public:
  ManyConversions(ArrayRef<ConvertJob> Jobs, const ConvertOptions &Options,
                  ConvertManyObserver &Observer,
                  const ConvertManyLimits &Limits)
      : Jobs(Jobs), Options(Options), Observer(Observer), Limits(Limits) {}

  void run();

private:
  void sortBySize();
  /// The function that each thread runs.
  void work();
  void doJob(size_t Job);
  Expected<ConvertStatistics> convertJob(size_t Job,
                                         std::unique_ptr<Binary> File);
  /// Waits until a job on \p Bytes may begin.
  void begin(uint64_t Bytes);
  void end(uint64_t Bytes);

  ArrayRef<ConvertJob> Jobs;
  const ConvertOptions &Options;
  ConvertManyObserver &Observer;
  const ConvertManyLimits &Limits;

  /// The jobs, the largest binary first.
  std::vector<size_t> Order;
  std::atomic<size_t> Next{0};
  ThreadTeam Team;
  /// Guarded by the team's mutex.
  uint64_t BytesAtWork = 0;
  size_t Finished = 0;
};

} // namespace

/// The largest job starts first, because it could otherwise end long after the
/// others.
void ManyConversions::sortBySize() {
  std::vector<uint64_t> Sizes;
  for (const ConvertJob &J : Jobs) {
    uint64_t Size = 0;
    // Errors are reported when the file is opened.
    (void)sys::fs::file_size(J.Binary, Size);
    Sizes.push_back(Size);
    Order.push_back(Order.size());
  }
  stableSort(Order, [&](size_t Job) { return ~Sizes[Job]; });
}

void ManyConversions::begin(uint64_t Bytes) {
  Team.helpUntil([&] {
    if (BytesAtWork && (Bytes > Limits.BytesAtOnce ||
                        BytesAtWork > Limits.BytesAtOnce - Bytes))
      return false;
    BytesAtWork += Bytes;
    return true;
  });
}

void ManyConversions::end(uint64_t Bytes) {
  Team.change([&] { BytesAtWork -= Bytes; });
}

static Expected<std::unique_ptr<Binary>> openRegular(StringRef Given,
                                                     StringRef Architecture) {
  Expected<std::string> File = binaryFile(Given);
  if (!File)
    return File.takeError();
  const std::string &Path = *File;
  sys::fs::file_status Status;
  // Opening a pipe would wait for a writer.
  if (!sys::fs::status(Path, Status) && !sys::fs::is_regular_file(Status))
    return make_error<UnsupportedError>(Path, sys::fs::is_directory(Status)
                                                  ? "is a folder, not a file"
                                                  : "not a regular file");
  return Binary::open(Path, Architecture);
}

static Error checkOutput(const ConvertJob &J) {
  if (isObjectFile(fileKindOf(J.Output)))
    return make_error<ArgumentError>(J.Binary, "its archive would overwrite " +
                                                   J.Output +
                                                   ", which is an object file");
  return Error::success();
}

/// The number of bytes that will be read, as far as it is known from the names
/// of files.
static uint64_t inputBytes(Binary &File, const ConvertOptions &Options) {
  uint64_t Bytes = std::max<uint64_t>(File.size(), 1);
  for (const std::string &Path : inputCandidates(File, Options)) {
    uint64_t Size;
    if (!sys::fs::file_size(Path, Size))
      return Bytes + Size;
  }
  return Bytes;
}

Expected<ConvertStatistics>
ManyConversions::convertJob(size_t Job, std::unique_ptr<Binary> File) {
  if (Error E = checkOutput(Jobs[Job]))
    return E;
  JobObserver Reports(Job, Observer);
  uint64_t Bytes = inputBytes(*File, Options);
  begin(Bytes);
  Expected<ConvertStatistics> Result =
      convert(std::move(File), Jobs[Job].Output, Options, Reports,
              /*CreateFolders=*/true);
  end(Bytes);
  return Result;
}

void ManyConversions::doJob(size_t Job) {
  Expected<std::unique_ptr<Binary>> File =
      openRegular(Jobs[Job].Binary, Options.Architecture);
  if (!File) {
    Expected<ConvertStatistics> Failure = File.takeError();
    return Observer.finished(Job, &Failure);
  }
  if (!Observer.isWanted(Job, **File))
    return Observer.finished(Job, nullptr);
  Expected<ConvertStatistics> Result = convertJob(Job, std::move(*File));
  Observer.finished(Job, &Result);
}

void ManyConversions::work() {
  ThreadTeam::Member Here(Team);
  for (size_t I; (I = Next++) < Order.size();) {
    doJob(Order[I]);
    Team.change([&] { ++Finished; });
  }
  Team.helpUntil([&] { return Finished == Jobs.size(); });
}

void ManyConversions::run() {
  sortBySize();
  runOnThreads(threadCount(Options), [this] { work(); });
}

void convertMany(ArrayRef<ConvertJob> Jobs, const ConvertOptions &Options,
                 ConvertManyObserver &Observer,
                 const ConvertManyLimits &Limits) {
  ManyConversions(Jobs, Options, Observer, Limits).run();
}

} // namespace lidia
