//===- PerfRecording.cpp - Recordings of perf -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PerfRecording.h"
#include "HelperFile.h"
#include "LineReader.h"
#include "ProgramOnPath.h"
#include "lidia/Profile/PerfScript.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

/// Runs \p Program with \p Argv and passes the lines that it prints to
/// \p Read. Returns its exit status, 128 or more after a signal.
static Expected<int> readOutputOf(const std::string &Program,
                                  std::vector<std::string> Argv,
                                  bool UseServers,
                                  function_ref<void(StringRef)> Read) {
  int Ends[2];
  if (::pipe2(Ends, O_CLOEXEC))
    return createStringError(Program + ": " + sys::StrError());
  std::vector<std::string> Environment =
      UseServers ? environmentOfOther()
                 : environmentOfOther({"DEBUGINFOD_URLS"});
  posix_spawn_file_actions_t Actions;
  ::posix_spawn_file_actions_init(&Actions);
  ::posix_spawn_file_actions_addopen(&Actions, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDOUT_FILENO);
  pid_t Process = -1;
  int Failure =
      ::posix_spawn(&Process, Program.c_str(), &Actions, nullptr,
                    pointersTo(Argv).data(), pointersTo(Environment).data());
  ::posix_spawn_file_actions_destroy(&Actions);
  ::close(Ends[1]);
  if (Failure) {
    ::close(Ends[0]);
    return createStringError(Program + ": " + sys::StrError(Failure));
  }
  auto Wait = [] {};
  LineReader Lines(Ends[0], Wait);
  while (std::optional<StringRef> Line = Lines.next())
    Read(*Line);
  ::close(Ends[0]);
  int Status = 0;
  sys::RetryAfterSignal(-1, ::waitpid, Process, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

static Error writeFile(const std::string &Path, StringRef Bytes) {
  std::error_code EC;
  raw_fd_ostream OS(Path, EC, sys::fs::OF_None);
  if (!EC) {
    OS << Bytes;
    OS.close();
    EC = OS.error();
    OS.clear_error();
  }
  return EC ? createStringError(EC, Path + ": " + EC.message())
            : Error::success();
}

Expected<Profile> readPerfRecording(MemoryBufferRef File, std::string Path,
                                    const PerfOptions &Options,
                                    WarningFunction Warn) {
  StringRef Name = File.getBufferIdentifier();
  std::string Program = findOtherProgram({"perf"});
  if (Program.empty())
    return createStringError(Name +
                             ": is read by perf, which is not on the "
                             "PATH: install it (Debian: linux-perf), or run "
                             "perf script --show-mmap-events where it is");
  // perf opens files below this one only; nothing is in it.
  std::optional<HelperFolder> Nowhere;
  std::string Root = Options.Root;
  if (Root.empty()) {
    Nowhere.emplace("lidia-no-files");
    if (Error E = Nowhere->error())
      return E;
    Root = Nowhere->path().str();
  }

  std::optional<HelperFile> Copy;
  if (Path.empty()) {
    Copy.emplace("perf.data");
    if (Error E = Copy->error())
      return E;
    Path = Copy->path().str();
    if (Error E = writeFile(Path, File.getBuffer()))
      return E;
  }

  PerfScriptReader Reader;
  auto ReadLine = [&](StringRef Line) { Reader.readLine(Line); };
  auto ReadVersion = [&](StringRef Line) {
    if (Line.consume_front("perf version "))
      Reader.readVersion(Line);
  };
  std::vector<std::string> Version = {"perf", "--version"};
  // -f: the recording may belong to another user.
  std::vector<std::string> BuildIDs = {"perf", "buildid-list", "-f", "-i",
                                       Path};
  std::vector<std::string> Script = {"perf",
                                     "script",
                                     "-f",
                                     "-i",
                                     Path,
                                     "--no-inline",
                                     "-F",
                                     "comm,pid,tid,time,event,period,ip,dso",
                                     "--show-mmap-events",
                                     "--show-task-events"};
  if (!Options.Root.empty())
    Script[7] += ",sym";
  if (Root != "/")
    Script.push_back("--symfs=" + Root);
  for (const std::vector<std::string> &Argv : {Version, BuildIDs, Script}) {
    bool IsVersion = Argv.size() == Version.size();
    Expected<int> Status =
        IsVersion ? readOutputOf(Program, Argv, Options.UseServers, ReadVersion)
                  : readOutputOf(Program, Argv, Options.UseServers, ReadLine);
    if (!Status)
      return Status.takeError();
    if (*Status != 0)
      return createStringError(Name + ": perf " + Argv[1] +
                               " ended with the status " + Twine(*Status));
  }
  return Reader.finish(Name, Warn);
}

} // namespace lidia
