//===- Converter.cpp - Conversions in a separate process ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Converter.h"
#include "CapturedRun.h"
#include "Host.h"
#include "Support/MessageLine.h"
#include "lidia/Cache/PrivateFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstring>
#include <mutex>
#include <optional>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace lidia {

static constexpr char ProgramName[] = "llvm-lidia";

/// The program in the bin folder next to the plugin's library folder, which is
/// lib or lib64, or below lib: lib/<triplet> or lib/lidia/lldb-<version>. A
/// plugin elsewhere does not use a program next to it, because anybody could
/// have put one into a folder in /tmp. Empty if it does not exist.
static std::string findBesidePlugin() {
  SmallString<256> Plugin;
  if (sys::fs::real_path(pluginPath(), Plugin))
    return std::string();
  StringRef Folder = sys::path::parent_path(Plugin);
  for (int I = 0; I != 3; ++I, Folder = sys::path::parent_path(Folder)) {
    if (!sys::path::filename(Folder).starts_with("lib"))
      continue;
    SmallString<256> Program(sys::path::parent_path(Folder));
    sys::path::append(Program, "bin", ProgramName);
    if (sys::fs::can_execute(Program))
      return Program.str().str();
  }
  return std::string();
}

static Expected<std::string> findProgram() {
  std::string Beside = findBesidePlugin();
  if (!Beside.empty())
    return Beside;
  ErrorOr<std::string> Found = sys::findProgramByName(ProgramName);
  if (Found)
    return *Found;
  return createStringError(
      Found.getError(), Twine(ProgramName) +
                            ", which makes archives, was not found in PATH or "
                            "beside the plugin's library folder: install it "
                            "(cmake --install), or add its folder to PATH");
}

/// Passes the warnings in the program's messages to \p Warn, and returns the
/// errors, one on each line.
static std::string takeMessages(StringRef Text,
                                function_ref<void(const Twine &Warning)> Warn) {
  SmallVector<StringRef, 8> Lines;
  Text.split(Lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::string Errors;
  for (StringRef Line : Lines) {
    MessageLine M = MessageLine::parse(Line);
    if (M.IsError)
      Errors += (Errors.empty() ? "" : "\n") + M.Text;
    else
      Warn(M.Text);
  }
  return Errors;
}

/// The reason why there is no archive of \p Binary.
static Error explain(const CapturedRun &Run, StringRef Program,
                     StringRef Binary, const std::string &Errors) {
  if (Run.Signal)
    return createStringError(Binary + ": " + Program + " was ended by signal " +
                             Twine(Run.Signal) + " (" +
                             ::strsignal(Run.Signal) + ")");
  if (!Errors.empty())
    return createStringError(Errors);
  return createStringError(Binary + ": " + Program + " failed with status " +
                           Twine(Run.Status));
}

/// Reads the program's output: the path, which may contain any character, and a
/// line about it.
static std::optional<Converted> readAnswer(StringRef Output) {
  if (!Output.consume_back("\n"))
    return std::nullopt;
  auto [Path, Summary] = Output.rsplit('\n');
  auto [Size, How] = Summary.split(", ");
  if (Path.empty() || How.empty())
    return std::nullopt;
  return Converted{Path.str(), Size.str(), How.str()};
}

/// Removes the temporary file at \p Path when this process ends, because LLDB
/// may open it again until then.
static void removeAtExit(StringRef Path) {
  struct Files {
    ~Files() {
      for (const auto &[Path, Lock] : Used)
        ::unlink(Path.c_str());
    }
    std::mutex Mutex;
    std::vector<std::pair<std::string, FileInUse>> Used;
  };
  static Files Temporary;
  std::lock_guard<std::mutex> Lock(Temporary.Mutex);
  Temporary.Used.emplace_back(Path.str(), FileInUse(Path.str()));
}

/// \p Archive is another operand of \p Subcommand, unless it is empty.
static Expected<Converted>
addToCache(const char *Subcommand, StringRef Binary, StringRef Archive,
           function_ref<void(const Twine &Warning)> Warn) {
  Expected<std::string> Program = findProgram();
  if (!Program)
    return Program.takeError();
  // Absolute paths cannot be mistaken for options or response files.
  SmallString<256> Path(Binary);
  if (std::error_code EC = sys::fs::make_absolute(Path))
    return createFileError(Binary, EC);
  std::vector<std::string> Arguments = {"cache",
                                        "--statistics",
                                        "--or-temporary",
                                        "--messages=json",
                                        "--end-with=" +
                                            std::to_string(::getpid()),
                                        "--",
                                        Subcommand,
                                        Path.str().str()};
  if (!Archive.empty())
    Arguments.push_back(Archive.str());
  Expected<CapturedRun> Run = runCaptured(*Program, Arguments);
  if (!Run)
    return Run.takeError();
  std::string Errors = takeMessages(Run->Errors, Warn);
  if (Run->Status != 0)
    return explain(*Run, *Program, Binary, Errors);
  if (std::optional<Converted> Answer = readAnswer(Run->Output)) {
    if (StringRef(Answer->How).starts_with("made outside the cache"))
      removeAtExit(Answer->Path);
    return std::move(*Answer);
  }
  return createStringError(
      *Program +
      ": its version is not that of the plugin, or it is another program");
}

Expected<Converted>
convertApart(StringRef Binary, function_ref<void(const Twine &Warning)> Warn) {
  return addToCache("add", Binary, /*Archive=*/"", Warn);
}

Expected<Converted> exportApart(StringRef Binary, StringRef Archive,
                                function_ref<void(const Twine &Warning)> Warn) {
  return addToCache("export", Binary, Archive, Warn);
}

Expected<Converted> indexApart(StringRef DebugFile,
                               function_ref<void(const Twine &Warning)> Warn) {
  return addToCache("index", DebugFile, /*Archive=*/"", Warn);
}

} // namespace lidia
