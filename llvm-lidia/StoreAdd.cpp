//===- StoreAdd.cpp - llvm-lidia store add: fills a store -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentOptions.h"
#include "CreateMany.h"
#include "ManyInputs.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "StoreOptions.h"
#include "lidia/Store/AddToStore.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <climits>
#include <cstring>
#include <unistd.h>

using namespace llvm;

namespace lidia {

namespace {

/// Prints what goes wrong, and the progress.
class AddReports final : public AddObserver {
public:
  explicit AddReports(bool Quiet) : Quiet(Quiet), Line(Quiet) {}

  void warning(StringRef Input, const Twine &Message) override {
    Line.clear();
    Warnings.try_emplace(Input, Quiet).first->second.print(Message);
  }
  void failed(Error E) override {
    Line.clear();
    reportError(std::move(E));
  }
  void progress(StringRef Phase, uint64_t Done, uint64_t Total) override {
    Line.update(Phase, Done, Total);
  }

  /// The error says how many failed.
  Error finish(const AddCounts &Counts);

private:
  const bool Quiet;
  const std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  ProgressLine Line;
  StringMap<LimitedWarnings> Warnings;
};

} // namespace

Error AddReports::finish(const AddCounts &Counts) {
  Line.clear();
  for (const auto &W : Warnings)
    W.second.printRest(W.first());
  double Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  if (Line.isShown())
    errs() << "Archives added: " << Counts.Added
           << ", already there: " << Counts.Present
           << ", without build ID or functions: " << Counts.Skipped
           << ", failed: " << Counts.Failed << ", in "
           << llvm::format("%.1f", Seconds) << " s\n";
  if (Counts.Failed)
    return createStringError(Twine(Counts.Failed) +
                             (Counts.Failed == 1 ? " input" : " inputs") +
                             " failed; archives added: " + Twine(Counts.Added));
  return Error::success();
}

/// The work folder, for the end by a signal: its files are gone by then.
static char WorkFolder[PATH_MAX];

static void endInterrupted() {
  if (*WorkFolder)
    ::rmdir(WorkFolder);
  ::_exit(130);
}

static Expected<std::string> makeWorkFolder() {
  SmallString<128> Folder;
  if (std::error_code EC =
          sys::fs::createUniqueDirectory("lidia-add", Folder)) {
    SmallString<128> Parent;
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Parent);
    return createStringError(EC, "no work folder can be made in " + Parent +
                                     ": " + EC.message() +
                                     " (TMPDIR names another place)");
  }
  if (Folder.size() < sizeof(WorkFolder)) {
    std::memcpy(WorkFolder, Folder.c_str(), Folder.size() + 1);
    sys::SetInterruptFunction(endInterrupted);
  }
  return Folder.str().str();
}

static AddOptions readAddOptions(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  AddOptions O;
  readSourceOptions(Line, O.Conversion);
  keepAllForLookup(O.Conversion);
  O.Conversion.Output.RemoveOnSignals = true;
  if (const opt::Arg *A = Args.getLastArg(OPT_dwp_EQ))
    Line.fail(A->getSpelling() +
              " is about one binary and conflicts with store add");
  O.Force = Args.hasArg(OPT_force);
  O.MaxDisk = Line.size(OPT_max_disk_EQ, O.MaxDisk);
  return O;
}

/// Adds the names of --inputs-from to \p Inputs.
static void readInputs(CommandLine &Line, std::vector<std::string> &Inputs) {
  const opt::Arg *From = Line.args().getLastArg(OPT_inputs_from_EQ);
  bool Null = Line.args().hasArg(OPT_null);
  if (!From && Null)
    Line.fail("--null needs --inputs-from=");
  if (!From && Inputs.empty())
    Line.fail("no input given (see llvm-lidia store --help)");
  if (!From)
    return;
  Expected<std::vector<std::string>> Names = readNames(From->getValue(), Null);
  if (!Names)
    return Line.fail(toString(Names.takeError()));
  Inputs.insert(Inputs.end(), Names->begin(), Names->end());
}

Error addToStore(CommandLine &Line, StringRef Where,
                 std::vector<std::string> Inputs) {
  AddOptions Options = readAddOptions(Line);
  readInputs(Line, Inputs);
  bool Quiet = Line.args().hasArg(OPT_quiet);
  Expected<std::unique_ptr<SymbolStore>> Store = openStore(Line, Where);
  if (!Store)
    return Store.takeError();
  Expected<std::string> Folder = makeWorkFolder();
  if (!Folder)
    return Folder.takeError();
  auto Remove = make_scope_exit([&] {
    sys::fs::remove_directories(*Folder);
    *WorkFolder = 0;
  });
  Options.WorkFolder = *Folder;
  raiseFileLimit();
  AddReports Reports(Quiet);
  Expected<AddCounts> Counts =
      lidia::addToStore(**Store, Inputs, Options, Reports);
  if (!Counts)
    return Counts.takeError();
  return Reports.finish(*Counts);
}

} // namespace lidia
