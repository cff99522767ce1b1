//===- CredentialProcess.cpp - Keys that a program prints -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// credential_process of a profile. The command is split like in Python's
/// shlex.split(), which Amazon's tools use, and is not run by a shell.
///
//===----------------------------------------------------------------------===//

#include "CredentialSources.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Program.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace lidia;
using namespace llvm;

using Clock = std::chrono::steady_clock;

static constexpr StringLiteral ProcessSource = "credential_process";
static constexpr std::chrono::seconds Longest{60};
static constexpr size_t MaxOfOutput = 64 << 10;

/// None if a quotation is not closed.
static std::optional<std::vector<std::string>> splitCommand(StringRef Text) {
  std::vector<std::string> Words;
  bool IsInWord = false;
  char Quote = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    if (!Quote && (C == ' ' || C == '\t' || C == '\r' || C == '\n')) {
      IsInWord = false;
      continue;
    }
    if (!IsInWord)
      Words.emplace_back();
    IsInWord = true;
    if (C == Quote && Quote) {
      Quote = 0;
    } else if (!Quote && (C == '"' || C == '\'')) {
      Quote = C;
    } else if (C == '\\' && Quote != '\'') {
      if (I + 1 == Text.size())
        return std::nullopt;
      char Next = Text[I + 1];
      // In double quotes, only these can be escaped.
      if (Quote && Next != '"' && Next != '\\')
        Words.back() += C;
      else
        Words.back() += Text[++I];
    } else {
      Words.back() += C;
    }
  }
  if (Quote)
    return std::nullopt;
  return Words;
}

/// Starts \p Words with standard output to \p To. None if it cannot be started.
static std::optional<pid_t>
start(StringRef Program, const std::vector<std::string> &Words, int To) {
  std::vector<char *> Arguments;
  for (const std::string &Word : Words)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&Actions, To, 1);
  pid_t PID = 0;
  int Code = posix_spawn(&PID, Program.str().c_str(), &Actions, nullptr,
                         Arguments.data(), environ);
  posix_spawn_file_actions_destroy(&Actions);
  if (Code)
    return std::nullopt;
  return PID;
}

/// Reads \p From to its end. Returns an error's text, or an empty one.
static StringRef readAll(int From, Clock::time_point Deadline,
                         std::string &Into) {
  while (true) {
    auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(
        Deadline - Clock::now());
    pollfd Wait = {From, POLLIN, 0};
    if (Left.count() <= 0 || ::poll(&Wait, 1, int(Left.count()) + 1) == 0)
      return "the program does not end within a minute";
    char Bytes[4096], *Part = Bytes;
    ssize_t Count =
        sys::RetryAfterSignal(-1, ::read, From, Part, sizeof(Bytes));
    if (Count < 0)
      return "the program's output cannot be read";
    if (Count == 0)
      return "";
    Into.append(Part, size_t(Count));
    if (Into.size() > MaxOfOutput)
      return "the program's output does not end";
  }
}

/// The exit status of the process, which is killed at the deadline.
static int waitFor(pid_t PID, Clock::time_point Deadline) {
  int Status = 0;
  while (true) {
    pid_t Ended = sys::RetryAfterSignal(-1, ::waitpid, PID, &Status, WNOHANG);
    if (Ended)
      return Ended < 0 ? -1 : Status;
    if (Clock::now() >= Deadline) {
      ::kill(PID, SIGKILL);
      sys::RetryAfterSignal(-1, ::waitpid, PID, &Status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

FoundCredentials lidia::processCredentials(StringRef CommandLine) {
  auto Words = splitCommand(CommandLine);
  if (!Words || Words->empty() || Words->front().empty())
    return credentialError(ProcessSource,
                           "the command cannot be split into words");
  ErrorOr<std::string> Program = sys::findProgramByName(Words->front());
  if (!Program)
    return credentialError(ProcessSource, Words->front() + ": " +
                                              Program.getError().message());
  int Ends[2];
  if (::pipe2(Ends, O_CLOEXEC) < 0)
    return credentialError(ProcessSource, sys::StrError());
  std::optional<pid_t> PID = start(*Program, *Words, Ends[1]);
  ::close(Ends[1]);
  auto Close = make_scope_exit([&] { ::close(Ends[0]); });
  if (!PID)
    return credentialError(ProcessSource,
                           Words->front() + " cannot be started");
  const Clock::time_point Deadline = Clock::now() + Longest;
  std::string Output;
  StringRef Wrong = readAll(Ends[0], Deadline, Output);
  int Status = waitFor(*PID, Wrong.empty() ? Deadline : Clock::now());
  if (!Wrong.empty())
    return credentialError(ProcessSource, Wrong);
  if (Status)
    return credentialError(ProcessSource, Words->front() + " fails");
  return credentialsFromJSON(Output, "SessionToken", ProcessSource);
}
