//===- HelperProcess.cpp - Runs a program with limits ---------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HelperProcess.h"
#include "lidia/Error.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Errno.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace lidia {

using Clock = std::chrono::steady_clock;

/// How often the state of a helper is checked.
static constexpr std::chrono::milliseconds Interval{50};

static std::vector<char *> pointersTo(ArrayRef<std::string> Texts) {
  std::vector<char *> Pointers;
  for (const std::string &Text : Texts)
    Pointers.push_back(const_cast<char *>(Text.c_str()));
  Pointers.push_back(nullptr);
  return Pointers;
}

/// Runs in the child of a multithreaded process, so it makes only
/// async-signal-safe calls.
[[noreturn]] static void become(const char *Program, char *const *Arguments,
                                char *const *Environment, int Null, int Output,
                                rlimit Memory) {
  constexpr int Niceness = 10;
  rlimit NoCore = {0, 0};
  sigset_t None;
  ::sigemptyset(&None);
  // The helper gets its own process group, so that its own helpers end with it,
  // and so that Ctrl-C reaches only the server.
  if (!::setpgid(0, 0) && !::setrlimit(RLIMIT_DATA, &Memory) &&
      !::setrlimit(RLIMIT_CORE, &NoCore) &&
      !::setpriority(PRIO_PROCESS, 0, Niceness) && ::dup2(Null, 0) == 0 &&
      ::dup2(Output, 1) == 1 && ::dup2(Output, 2) == 2 &&
      !::sigprocmask(SIG_SETMASK, &None, nullptr))
    ::execve(Program, Arguments, Environment);
  ::_exit(127);
}

/// \p Bytes, or less if the limit of this process is lower.
static rlimit memoryLimit(uint64_t Bytes) {
#if LLVM_ADDRESS_SANITIZER_BUILD || LLVM_THREAD_SANITIZER_BUILD
  // The sanitizer's shadow memory counts, too: terabytes of address space.
  constexpr uint64_t LeastWithShadow = uint64_t(1) << 30;
  if (Bytes >= LeastWithShadow)
    Bytes = RLIM_INFINITY;
#endif
  rlimit Now;
  if (!::getrlimit(RLIMIT_DATA, &Now))
    Bytes = std::min<uint64_t>(Bytes, Now.rlim_max);
  return {Bytes, Bytes};
}

/// Reads the bytes that \p From has received. Returns false at its end.
static bool readSome(int From, std::string &Into) {
  constexpr size_t Max = 1 << 20;
  pollfd Wait = {From, POLLIN, 0};
  if (::poll(&Wait, 1, int(Interval.count())) <= 0)
    return true;
  char Bytes[4096], *Part = Bytes;
  ssize_t Count = sys::RetryAfterSignal(-1, ::read, From, Part, sizeof(Bytes));
  if (Count <= 0)
    return false;
  Into.append(Part, std::min(size_t(Count), Max - std::min(Max, Into.size())));
  return true;
}

Expected<HelperResult> runHelper(const std::string &Program,
                                 ArrayRef<std::string> Arguments,
                                 ArrayRef<std::string> Environment,
                                 const HelperLimits &Limits,
                                 const std::atomic<bool> &Cancel) {
  auto Fail = [&]() -> Error {
    return make_error<SystemError>(errnoAsErrorCode(), Program);
  };
  std::vector<char *> Words = pointersTo(Arguments);
  std::vector<char *> Variables = pointersTo(Environment);
  int Null = ::open("/dev/null", O_RDONLY | O_CLOEXEC), Ends[2];
  auto CloseNull = make_scope_exit([&] { ::close(Null); });
  if (Null < 0 || ::pipe2(Ends, O_CLOEXEC) < 0)
    return Fail();
  auto CloseEnd = make_scope_exit([&] { ::close(Ends[0]); });
  const rlimit Memory = memoryLimit(Limits.Memory);
  pid_t PID = ::fork();
  if (PID == 0)
    become(Program.c_str(), Words.data(), Variables.data(), Null, Ends[1],
           Memory);
  ::close(Ends[1]);
  if (PID < 0)
    return Fail();
  HelperResult R;
  const Clock::time_point Deadline = Clock::now() + Limits.Time;
  bool IsOpen = true;
  int Status = 0;
  while (::waitpid(PID, &Status, WNOHANG) == 0) {
    R.TookTooLong = Clock::now() >= Deadline;
    if (R.TookTooLong || Cancel) {
      // The group, unless the helper has not created it yet.
      if (::kill(-PID, SIGKILL))
        ::kill(PID, SIGKILL);
      sys::RetryAfterSignal(-1, ::waitpid, PID, &Status, 0);
      break;
    }
    if (!IsOpen)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    else
      IsOpen = readSome(Ends[0], R.Output);
  }
  // Its own helpers may live slightly longer, and keep the pipe open.
  (void)::fcntl(Ends[0], F_SETFL, O_NONBLOCK);
  while (IsOpen && readSome(Ends[0], R.Output) && R.Output.size() < (1 << 20)) {
    pollfd More = {Ends[0], POLLIN, 0};
    IsOpen = ::poll(&More, 1, 0) > 0;
  }
  R.Status = WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
  return R;
}

} // namespace lidia
