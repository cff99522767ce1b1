//===- StoreAdd.cpp - llvm-lidia store add: fills a store -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContentOptions.h"
#include "HelperFile.h"
#include "HelperProgram.h"
#include "ManyInputs.h"
#include "ProcessSetup.h"
#include "Progress.h"
#include "SourceOptions.h"
#include "StoreOptions.h"
#include "lidia/Error.h"
#include "lidia/Store/AddToStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lidia {

namespace {

/// Prints errors and the progress.
class AddReports final : public AddObserver {
public:
  AddReports(bool Quiet, bool IsJSON)
      : Quiet(Quiet), IsJSON(IsJSON), Line(Quiet) {}

  void warning(StringRef Input, const Twine &Message) override {
    Line.clear();
    Warnings.try_emplace(Input, Quiet).first->second.print(Message);
  }
  void failed(Error E) override;
  void added(StringRef Input, ArrayRef<uint8_t> BuildID, AddResult R) override;
  void progress(StringRef Phase, uint64_t Done, uint64_t Total) override {
    Line.update(Phase, Done, Total);
  }

  /// The error tells how many inputs failed, or that there was nothing to add.
  Error finish(const AddStatistics &Counts);

private:
  const bool Quiet;
  /// Whether to print the result for each input, one JSON object on each line.
  const bool IsJSON;
  const std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  ProgressLine Line;
  StringMap<LimitedWarnings> Warnings;
};

} // namespace

/// Whether the input causes the error, and not the store or the system.
static bool isInputsFault(std::error_code Code) {
  return is_contained<std::error_code>(
      {std::make_error_code(std::errc::executable_format_error),
       std::make_error_code(std::errc::illegal_byte_sequence),
       std::make_error_code(std::errc::not_supported),
       std::make_error_code(std::errc::no_message_available),
       std::make_error_code(std::errc::value_too_large),
       std::make_error_code(std::errc::invalid_argument)},
      Code);
}

/// What causes an error, for programs: the input, a full disk, another machine
/// that may work later, or the system.
static StringRef faultOf(std::error_code Code) {
  if (isInputsFault(Code))
    return "input";
  if (Code == std::errc::no_space_on_device || Code.value() == EDQUOT)
    return "disk";
  return is_contained<int>({EIO, ENXIO, ETIMEDOUT, EAGAIN, EHOSTUNREACH},
                           Code.value())
             ? "store"
             : "system";
}

void AddReports::failed(Error E) {
  Line.clear();
  if (!IsJSON)
    return reportError(std::move(E));
  std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
  json::Object Object{{"Result", "failed"},
                      {"Fault", faultOf(Why->convertToErrorCode())},
                      {"Message", json::fixUTF8(Why->message())}};
  if (!Why->file().empty())
    Object["File"] = json::fixUTF8(Why->file());
  outs() << json::Value(std::move(Object)) << '\n';
}

void AddReports::added(StringRef Input, ArrayRef<uint8_t> BuildID,
                       AddResult R) {
  if (!IsJSON)
    return;
  Line.clear();
  json::Object Object{{"Result", R == AddResult::Added      ? "added"
                                 : R == AddResult::Replaced ? "replaced"
                                                            : "present"},
                      {"BuildID", toHex(BuildID, /*LowerCase=*/true)}};
  if (!Input.empty())
    Object["Input"] = json::fixUTF8(Input);
  outs() << json::Value(std::move(Object)) << '\n';
}

Error AddReports::finish(const AddStatistics &Counts) {
  Line.clear();
  for (const auto &W : Warnings)
    W.second.printRest(W.first());
  double Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  uint64_t Useful = Counts.Added + Counts.Replaced + Counts.Present;
  if (!Counts.Failed && !Useful && !IsJSON)
    return createStringError("nothing to add: binaries without build ID or "
                             "functions: " +
                             Twine(Counts.Skipped));
  if (!Counts.Failed && !Quiet && !IsJSON)
    errs() << "llvm-lidia: added " << Counts.Added << ", improved "
           << Counts.Replaced << ", present " << Counts.Present
           << ", without build ID or functions " << Counts.Skipped
           << (Line.isShown() ? formatv(" in {0:F1} s", Seconds).str()
                              : std::string())
           << '\n';
  std::string Left;
  if (Counts.Left)
    Left = "; not tried, because the store failed: " + utostr(Counts.Left);
  if (Counts.Failed)
    return createStringError(
        Twine(Counts.Failed) + (Counts.Failed == 1 ? " input" : " inputs") +
        " failed; archives added: " + Twine(Counts.Added + Counts.Replaced) +
        Left);
  return Error::success();
}

static void printStatistics(const AddStatistics &Counts,
                            const StoreStatistics &F) {
  outs() << "Archives: " << Counts.Added << " added, ";
  if (Counts.Replaced)
    outs() << Counts.Replaced << " improved, ";
  outs() << Counts.Present << " there already, " << Counts.Skipped
         << " skipped, " << Counts.Failed << " failed\n"
         << "Requests: " << F.Requests << ", sent again: " << F.Retries
         << ", bytes read: " << F.BytesRead << ", written: " << F.BytesWritten
         << '\n';
}

static AddOptions readAddOptions(CommandLine &Line) {
  const opt::InputArgList &Args = Line.args();
  AddOptions O;
  readSourceOptions(Line, O.Conversion);
  O.Conversion.HasDebugFileOption = false;
  O.Conversion.Output.RemoveOnSignals = true;
  if (const opt::Arg *A = Args.getLastArg(OPT_dwp_EQ))
    Line.fail(
        A->getSpelling() +
        " applies to one binary only, and cannot be combined with store add");
  O.Force = Args.hasArg(OPT_force);
  O.Improve = Args.hasArg(OPT_improve);
  O.KeepsOld = Args.hasArg(OPT_no_replace);
  if (O.Force + O.Improve + O.KeepsOld > 1)
    Line.fail("--force, --improve and --no-replace cannot be combined");
  if (const opt::Arg *A = Args.getLastArg(OPT_expect_build_id_EQ)) {
    O.OnlyBuildID = parseBuildIDText(A->getValue());
    if (O.OnlyBuildID.empty())
      Line.fail(A->getSpelling() + ": expected a build ID, but got '" +
                A->getValue() + "'");
  }
  O.Conversion.Search.OnlyKnown = Args.hasArg(OPT_only_inputs);
  if (O.Conversion.Search.OnlyKnown) {
    O.Conversion.Search.Fetch = nullptr;
    O.Conversion.Search.FetchPDB = nullptr;
  }
  // The server's own, of files that were sent to it.
  O.HasNames = !O.Conversion.Search.OnlyKnown;
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
  bool PrintStatistics = Line.args().hasArg(OPT_statistics);
  bool IsJSON = readsJSONFormat(Line, "add");
  uint64_t Parent = Line.number(OPT_end_with_EQ, 0);
  if (Parent && !endWithParent(pid_t(Parent)))
    return createStringError("--end-with=: this was not started by process " +
                             Twine(Parent) + ", or that has ended");
  Expected<std::unique_ptr<SymbolStore>> Store =
      openStore(Line, Where, StoreNeed::Nothing);
  if (!Store)
    return Store.takeError();
  HelperFolder Folder("lidia-add");
  if (Error E = Folder.error())
    return E;
  Options.WorkFolder = Folder.path().str();
  raiseFileLimit();
  AddReports Reports(Quiet, IsJSON);
  Expected<AddStatistics> Counts =
      lidia::addToStore(**Store, Inputs, Options, Reports);
  if (!Counts)
    return Counts.takeError();
  if (PrintStatistics)
    printStatistics(*Counts, (*Store)->statistics());
  return Reports.finish(*Counts);
}

} // namespace lidia
