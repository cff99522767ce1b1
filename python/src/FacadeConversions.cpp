//===- FacadeConversions.cpp - Converting behind the facade ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FacadeErrors.h"
#include "Support/ReturnMemory.h"
#include "WarningList.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Store/AddToStore.h"
#include "lidia/Support/Interrupt.h"

using namespace lidia;
using namespace lidia::python;
using namespace llvm;

static ConvertOptions convertOptions(const ConversionOptions &Given) {
  ConvertOptions O;
  O.Files = Given.Files;
  // A line is meaningless without its file.
  O.Lines = O.UnwindRows = Given.Lines && Given.Files;
  O.Archive.Columns = Given.Columns && O.Lines;
  O.Archive.Checksums = Given.Checksums;
  if (Given.Compress)
    O.Compress.emplace();
  O.FindDebugFile = Given.FindDebugFile;
  O.DebugFile = Given.DebugFile;
  O.Architecture = Given.Architecture;
  O.Threads = Given.Threads;
  O.WarnWithoutLines = O.Lines;
  return O;
}

Result<Nothing> python::convertFile(const std::string &Binary,
                                    const std::string &Output,
                                    const ConversionOptions &Options,
                                    const std::atomic<bool> &IsCancelled,
                                    std::vector<std::string> &Warnings) {
  WarningList Observer(Warnings, &IsCancelled);
  auto Done = convert(Binary, Output, convertOptions(Options), Observer);
  returnFreedMemory();
  if (!Done)
    return failure(Done.takeError());
  return Nothing();
}

Result<Nothing> python::convertBytes(const CallerBytes &Binary,
                                     const std::string &Output,
                                     const ConversionOptions &Options,
                                     const std::atomic<bool> &IsCancelled,
                                     std::vector<std::string> &Warnings) {
  WarningList Observer(Warnings, &IsCancelled);
  auto Done =
      convert(MemoryBufferRef(StringRef(Binary.Data, Binary.Size), Binary.Name),
              Output, convertOptions(Options), Observer);
  returnFreedMemory();
  if (!Done)
    return failure(Done.takeError());
  return Nothing();
}

namespace {

/// Collects the reports of addToStore().
class AddReports final : public AddObserver {
public:
  AddReports(const std::atomic<bool> &Cancelled,
             std::vector<std::string> &Failures,
             std::vector<std::string> &Warnings)
      : Cancelled(Cancelled), Failures(Failures), Warnings(Warnings) {}

  void warning(StringRef, const Twine &Message) override {
    Warnings.warning(Message);
  }
  void failed(Error E) override {
    this->Failures.push_back(toString(std::move(E)));
  }
  void progress(StringRef, uint64_t, uint64_t) override {}
  bool isCancelled() override { return Cancelled; }

private:
  const std::atomic<bool> &Cancelled;
  std::vector<std::string> &Failures;
  WarningList Warnings;
};

} // namespace

Result<AddedCounts> python::addToStore(const std::string &Where,
                                       const std::vector<std::string> &Inputs,
                                       const std::string &WorkFolder,
                                       bool Force, unsigned Threads,
                                       const std::atomic<bool> &IsCancelled,
                                       std::vector<std::string> &Warnings) {
  InterruptScope Scope([&] { return !IsCancelled; });
  Expected<std::unique_ptr<SymbolStore>> Store = SymbolStore::open(Where);
  if (!Store)
    return failure(Store.takeError());
  AddOptions Options;
  Options.Conversion = convertOptions({});
  Options.Conversion.Threads = Threads;
  Options.Force = Force;
  Options.WorkFolder = WorkFolder;
  AddedCounts Result;
  AddReports Reports(IsCancelled, Result.Failures, Warnings);
  Expected<AddStatistics> Counts =
      lidia::addToStore(**Store, Inputs, Options, Reports);
  if (!Counts)
    return failure(Counts.takeError());
  Result.Added = Counts->Added + Counts->Replaced;
  Result.Present = Counts->Present;
  Result.Skipped = Counts->Skipped;
  return Result;
}
