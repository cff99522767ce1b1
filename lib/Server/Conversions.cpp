//===- Conversions.cpp - Converts files of clients and of servers ---------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "HelperProcess.h"
#include "ServedModules.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Error.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace lidia {

Conversions::Conversions(const ServerOptions &Options, SymbolStore &Store,
                         ServerStatistics &Statistics)
    : Options(Options), Store(Store), Statistics(Statistics) {}

Conversions::~Conversions() {
  if (!Folder.empty())
    sys::fs::remove_directories(Folder);
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

static constexpr StringLiteral FolderPrefix = "serve-";

Error Conversions::open(Warning TheWarning) {
  Warn = std::move(TheWarning);
  std::string Parent = Options.CacheFolder.empty() ? Cache::defaultFolder()
                                                   : Options.CacheFolder;
  if (std::error_code EC = sys::fs::create_directories(
          Parent, /*IgnoreExisting=*/true, sys::fs::owner_all))
    return make_error<SystemError>(
        EC, Parent, EC.message() + " (name another folder with --cache-dir=)");
  // Of servers that were killed. Others wait, so that nobody takes a folder
  // that is not in use yet for one of these.
  FolderTurn Turn(Parent);
  removeAbandonedFolders(Parent, FolderPrefix, std::chrono::seconds(0));
  std::string Template = Parent + "/" + FolderPrefix.str() + "XXXXXX";
  if (!::mkdtemp(Template.data()))
    return make_error<SystemError>(errnoAsErrorCode(), Parent);
  Folder = std::move(Template);
  InUse.emplace(Folder);
  return Error::success();
}

/// A folder for the temporary files of a helper, which may leave them there if
/// it is killed.
Expected<std::string> Conversions::makeFolder() {
  std::string Template = Folder + "/work-XXXXXX";
  if (!::mkdtemp(Template.data()))
    return make_error<SystemError>(errnoAsErrorCode(), Folder);
  return Template;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

bool Conversions::waitForTurn() {
  std::unique_lock<std::mutex> Lock(Mutex);
  HasRoom.wait(Lock, [&] {
    return IsStopping || Running < Options.Conversion.Processes;
  });
  if (IsStopping)
    return false;
  ++Running;
  return true;
}

void Conversions::stop() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    IsStopping = true;
  }
  HasRoom.notify_all();
}

//===----------------------------------------------------------------------===//
// The helper
//===----------------------------------------------------------------------===//

static const char *optionOf(UploadMode Mode) {
  switch (Mode) {
  case UploadMode::Improve:
    return "--improve";
  case UploadMode::Replace:
    return "--force";
  case UploadMode::Keep:
    return "--no-replace";
  }
  llvm_unreachable("no other mode");
}

std::vector<std::string>
Conversions::argumentsFor(ArrayRef<std::string> Files,
                          ArrayRef<uint8_t> OnlyBuildID, UploadMode Mode) {
  std::vector<std::string> Words = {Options.Conversion.Program,
                                    "store",
                                    "add",
                                    "--quiet",
                                    optionOf(Mode),
                                    "--only-inputs",
                                    "--no-debuginfod",
                                    "--symbol-path=",
                                    "--format=json",
                                    "--end-with=" + std::to_string(::getpid())};
  if (Store.options().Layout == StoreLayout::Debuginfod)
    Words.push_back("--layout=debuginfod");
  if (!OnlyBuildID.empty())
    Words.push_back("--expect-build-id=" +
                    toHex(OnlyBuildID, /*LowerCase=*/true));
  Words.push_back("--");
  Words.push_back(Options.Store);
  Words.insert(Words.end(), Files.begin(), Files.end());
  return Words;
}

/// The server's own environment variables, which include the credentials of a
/// bucket, but with \p Folder for temporary files.
static std::vector<std::string> environmentFor(const std::string &Folder) {
  std::vector<std::string> Variables;
  for (char **Each = environ; *Each; ++Each) {
    StringRef Variable = *Each;
    if (!Variable.starts_with("TMPDIR=") &&
        !Variable.starts_with("DEBUGINFOD_") &&
        !Variable.starts_with("NOTIFY_SOCKET="))
      Variables.push_back(Variable.str());
  }
  Variables.push_back("TMPDIR=" + Folder);
  return Variables;
}

namespace {
/// The parsed output of the helper.
struct HelperReport {
  std::vector<StoredFile> Stored;
  /// Errors in the files, and errors of the server, with their code.
  std::string Fault;
  std::string Trouble;
  std::errc Code = std::errc::io_error;
};
} // namespace

/// The code of a failure that is not the files'.
static std::errc codeOf(StringRef Fault) {
  if (Fault == "disk")
    return std::errc::no_space_on_device;
  return Fault == "store" ? std::errc::host_unreachable : std::errc::io_error;
}

/// \p IsFar: the helper's store is on another machine, which may have failed
/// before the first file.
static HelperReport readReport(StringRef Output, bool IsFar) {
  HelperReport R;
  SmallVector<StringRef, 8> Lines;
  Output.split(Lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines) {
    Expected<json::Value> Value = json::parse(Line);
    json::Object *O = Value ? Value->getAsObject() : nullptr;
    if (!O) {
      consumeError(Value.takeError());
      if (Line.contains("error: ") && R.Trouble.empty())
        R.Trouble = Line.split("error: ").second.str();
      if (Line.contains("No space left on device"))
        R.Code = codeOf("disk");
      else if (IsFar && !R.Trouble.empty())
        R.Code = codeOf("store");
      continue;
    }
    std::string Message = O->getString("Message").value_or("").str();
    StringRef Result = O->getString("Result").value_or("");
    std::string ID;
    if (Result != "failed" &&
        tryGetFromHex(O->getString("BuildID").value_or(""), ID))
      R.Stored.push_back(
          {BuildIDBytes(arrayRefFromStringRef(ID)), Result.str()});
    else if (StringRef Its = O->getString("Fault").value_or("");
             Its == "input") {
      R.Fault += (R.Fault.empty() ? "" : "; ") + Message;
    } else {
      R.Trouble = Message;
      R.Code = codeOf(Its);
    }
  }
  return R;
}

/// \p Text without the paths of \p Files and of \p Folder, which are internal
/// to the server.
static std::string withoutPaths(std::string Text, ArrayRef<std::string> Files,
                                const std::string &Folder) {
  auto Replace = [&](StringRef Path, StringRef By) {
    for (size_t At = 0; (At = Text.find(Path, At)) != std::string::npos;
         At += By.size())
      Text.replace(At, Path.size(), By);
  };
  for (const std::string &File : Files)
    Replace(File, "the file");
  Replace(Folder, "the work folder");
  return Text;
}

static Error serverEnds() {
  return cancelledError("", "the server is shutting down");
}

Expected<std::vector<StoredFile>>
Conversions::run(ArrayRef<std::string> Files, ArrayRef<uint8_t> OnlyBuildID,
                 UploadMode Mode) {
  Expected<std::string> Work = makeFolder();
  if (!Work)
    return Work.takeError();
  auto Remove = make_scope_exit([&] { sys::fs::remove_directories(*Work); });
  const ConversionOptions &Limits = Options.Conversion;
  ++Statistics.Conversions;
  Expected<HelperResult> Ended = runHelper(
      Limits.Program, argumentsFor(Files, OnlyBuildID, Mode),
      environmentFor(*Work),
      {Limits.MaxMemory, std::chrono::seconds(Limits.MaxSeconds)}, IsStopping);
  if (!Ended)
    return Ended.takeError();
  if (IsStopping)
    return serverEnds();
  if (Ended->TookTooLong)
    return make_error<LimitError>("", "the conversion takes too long");
  HelperReport Report = readReport(Ended->Output, Store.isFar());
  if (StringRef(Report.Trouble).contains("out of memory"))
    return make_error<LimitError>("", "the conversion takes too much memory");
  // Some files of a package may be useless.
  if (!Report.Stored.empty() && (Ended->Status == 0 || Report.Trouble.empty()))
    return std::move(Report.Stored);
  if (!Report.Fault.empty())
    return make_error<ArgumentError>("",
                                     withoutPaths(Report.Fault, Files, Folder));
  if (Ended->Status == 0)
    return make_error<ArgumentError>(
        "", "nothing in it has both a build ID and code");
  return make_error<SystemError>(std::make_error_code(Report.Code), "",
                                 !Report.Trouble.empty() ? Report.Trouble
                                 : Ended->Status < 0
                                     ? "the helper process ended by a signal"
                                     : Limits.Program + " cannot be run");
}

Expected<std::vector<StoredFile>>
Conversions::add(ArrayRef<std::string> Files, ArrayRef<uint8_t> OnlyBuildID,
                 UploadMode Mode) {
  if (!waitForTurn())
    return serverEnds();
  Expected<std::vector<StoredFile>> Result = run(Files, OnlyBuildID, Mode);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    --Running;
  }
  HasRoom.notify_one();
  if (Result) {
    for (const StoredFile &File : *Result)
      Store.forget(File.BuildID);
    return Result;
  }
  std::unique_ptr<LidiaError> Why = toLidiaError(Result.takeError());
  const ErrorInfoBase &Base = *Why;
  if (Base.isA<ArgumentError>()) {
    ++Statistics.ConversionsRefused;
  } else if (Base.isA<LimitError>()) {
    ++Statistics.ConversionsLimited;
  } else {
    ++Statistics.ConversionsFailed;
    if (!IsStopping)
      Warn("a file could not be added: " + Why->message());
  }
  return Error(std::move(Why));
}

} // namespace lidia
