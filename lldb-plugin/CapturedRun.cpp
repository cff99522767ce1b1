//===- CapturedRun.cpp - Runs a program and captures its output -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CapturedRun.h"
#include "llvm/Support/Errno.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace lidia {

namespace {

/// A pipe that other programs do not inherit.
class Pipe {
public:
  Pipe() {
    if (::pipe2(Ends, O_CLOEXEC) != 0)
      Ends[0] = Ends[1] = -1;
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  bool isOpen() const { return Ends[0] >= 0; }
  int readEnd() const { return Ends[0]; }
  int writeEnd() const { return Ends[1]; }
  void closeReadEnd() { closeEnd(0); }
  void closeWriteEnd() { closeEnd(1); }

private:
  void closeEnd(int I) {
    if (Ends[I] >= 0)
      ::close(Ends[I]);
    Ends[I] = -1;
  }

  int Ends[2];
};

/// The arguments of posix_spawn: the streams and signals of the program.
class SpawnSettings {
public:
  SpawnSettings(const Pipe &Output, const Pipe &Errors) {
    ::posix_spawn_file_actions_init(&Files);
    note(::posix_spawn_file_actions_addopen(&Files, STDIN_FILENO, "/dev/null",
                                            O_RDONLY, 0));
    note(::posix_spawn_file_actions_adddup2(&Files, Output.writeEnd(),
                                            STDOUT_FILENO));
    note(::posix_spawn_file_actions_adddup2(&Files, Errors.writeEnd(),
                                            STDERR_FILENO));
    ::posix_spawnattr_init(&Attributes);
    sigset_t Set;
    sigemptyset(&Set);
    note(::posix_spawnattr_setsigmask(&Attributes, &Set));
    sigfillset(&Set);
    note(::posix_spawnattr_setsigdefault(&Attributes, &Set));
    note(::posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK |
                                                     POSIX_SPAWN_SETSIGDEF));
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&Files);
    ::posix_spawnattr_destroy(&Attributes);
  }
  SpawnSettings(const SpawnSettings &) = delete;
  SpawnSettings &operator=(const SpawnSettings &) = delete;

  /// The error of the first setting that failed, or 0.
  int error() const { return Failure; }
  const posix_spawn_file_actions_t *files() const { return &Files; }
  const posix_spawnattr_t *attributes() const { return &Attributes; }

private:
  void note(int Error) {
    if (!Failure)
      Failure = Error;
  }

  posix_spawn_file_actions_t Files;
  posix_spawnattr_t Attributes;
  int Failure = 0;
};

} // namespace

static Error failed(StringRef Program, int Errno) {
  std::error_code EC(Errno, std::generic_category());
  return createStringError(EC, Program + ": " + EC.message());
}

/// Reads available data from \p From into \p To, which stays bounded. Excess
/// data is read and dropped, so that the program does not block forever.
static void readSome(Pipe &From, std::string &To) {
  char Buffer[16 * 1024];
  ssize_t Count = ::read(From.readEnd(), Buffer, sizeof(Buffer));
  if (Count < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (Count <= 0)
    return From.closeReadEnd();
  To.append(Buffer,
            std::min(size_t(Count), CapturedRun::MaxCaptured - To.size()));
}

/// Reads both streams until the program has closed them.
static void readAll(Pipe &Output, Pipe &Errors, CapturedRun &Run) {
  while (Output.isOpen() || Errors.isOpen()) {
    // poll() ignores negative descriptors.
    pollfd Polled[] = {{Output.readEnd(), POLLIN, 0},
                       {Errors.readEnd(), POLLIN, 0}};
    if (::poll(Polled, 2, /*timeout=*/-1) < 0) {
      if (errno == EINTR)
        continue;
      // The program's next write then ends it.
      Output.closeReadEnd();
      return Errors.closeReadEnd();
    }
    if (Polled[0].revents)
      readSome(Output, Run.Output);
    if (Polled[1].revents)
      readSome(Errors, Run.Errors);
  }
}

static Error waitFor(pid_t Process, StringRef Program, CapturedRun &Run) {
  int Status;
  if (sys::RetryAfterSignal(-1, ::waitpid, Process, &Status, 0) < 0)
    return failed(Program, errno);
  if (WIFEXITED(Status))
    Run.Status = WEXITSTATUS(Status);
  else if (WIFSIGNALED(Status))
    Run.Signal = WTERMSIG(Status);
  return Error::success();
}

Expected<CapturedRun> runCaptured(StringRef Program,
                                  ArrayRef<std::string> Arguments) {
  std::string Path = Program.str();
  std::vector<char *> Argv = {Path.data()};
  for (const std::string &A : Arguments)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);

  Pipe Output, Errors;
  if (!Output.isOpen() || !Errors.isOpen())
    return failed(Program, errno);
  SpawnSettings Settings(Output, Errors);
  pid_t Process;
  int Failure = Settings.error();
  if (!Failure)
    Failure = ::posix_spawn(&Process, Path.c_str(), Settings.files(),
                            Settings.attributes(), Argv.data(), environ);
  if (Failure)
    return failed(Program, Failure);
  Output.closeWriteEnd();
  Errors.closeWriteEnd();
  CapturedRun Run;
  readAll(Output, Errors, Run);
  if (Error E = waitFor(Process, Program, Run))
    return E;
  return Run;
}

} // namespace lidia
