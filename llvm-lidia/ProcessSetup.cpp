//===- ProcessSetup.cpp - Handles fatal conditions ------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// This file does not allocate memory, and signal handlers call only
/// async-signal-safe functions (signal-safety(7)), because the signal may
/// interrupt any code, for example malloc.
///
//===----------------------------------------------------------------------===//

#include "ProcessSetup.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <iterator>
#include <limits.h>
#include <new>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

/// Initialized statically, because static constructors also allocate memory.
static EarlyExit How = {"error: "};

/// LLVM's handler of SIGBUS, for errors unrelated to files.
static struct sigaction PreviousSIGBUS;

//===----------------------------------------------------------------------===//
// The error message
//===----------------------------------------------------------------------===//

namespace {
/// A line of output in statically allocated memory.
class Line {
public:
  Line &add(StringRef Text) {
    for (char C : Text)
      add(C);
    return *this;
  }
  /// The same for untrusted text: bytes other than printable ASCII are escaped.
  Line &addName(StringRef Text) {
    for (char C : Text) {
      if (isPrint(C)) {
        add(C);
        continue;
      }
      add("\\x");
      add(hexdigit(uint8_t(C) >> 4, /*LowerCase=*/true));
      add(hexdigit(C & 15, /*LowerCase=*/true));
    }
    return *this;
  }
  void print() {
    Bytes[Size++] = '\n';
    const char *Rest = Bytes;
    while (Size) {
      ssize_t Written = ::write(How.FD, Rest, Size);
      if (Written < 0 && errno == EINTR)
        continue;
      if (Written <= 0)
        return;
      Rest += Written;
      Size -= size_t(Written);
    }
  }

private:
  void add(char C) {
    // Reserve one byte for the end of the line.
    if (Size + 1 < sizeof(Bytes))
      Bytes[Size++] = C;
  }

  char Bytes[PATH_MAX + 256];
  size_t Size = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// The end of the process
//===----------------------------------------------------------------------===//

/// The number of threads that wait for the end of the process.
static std::atomic<unsigned> Stopped = 0;

[[noreturn]] static void waitForTheEnd() {
  ++Stopped;
  while (true)
    ::pause();
}

/// Lets one thread continue; the others wait until it ends the process. From
/// here on all signals are blocked, because a handler that ran in that thread
/// would wait for itself.
static void beTheOnlyOne() {
  static std::atomic_flag Ending = ATOMIC_FLAG_INIT;
  sigset_t All;
  ::sigfillset(&All);
  ::pthread_sigmask(SIG_SETMASK, &All, nullptr);
  if (Ending.test_and_set())
    waitForTheEnd();
}

/// Sends \p Signal to each thread but \p Self, and returns their number.
static unsigned signalThreads(pid_t Self, int Signal) {
  int Tasks = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (Tasks < 0)
    return 0;
  unsigned Count = 0;
  alignas(dirent64) char Entries[1024];
  ssize_t Size;
  while ((Size = ::getdents64(Tasks, Entries, sizeof(Entries))) > 0)
    for (ssize_t At = 0; At < Size;) {
      const auto *Entry = reinterpret_cast<const dirent64 *>(Entries + At);
      At += Entry->d_reclen;
      pid_t Thread;
      if (StringRef(Entry->d_name).getAsInteger(10, Thread) || Thread == Self)
        continue;
      ++Count;
      ::syscall(SYS_tgkill, ::getpid(), Thread, Signal);
    }
  ::close(Tasks);
  return Count;
}

/// Stops other threads, because they could create files after the others are
/// removed, and report errors about removed files. Gives up after a second,
/// because a thread may be in a system call that no signal interrupts.
static void stopOtherThreads() {
  for (long Milliseconds = 1; Milliseconds < 1024; Milliseconds *= 2) {
    if (signalThreads(::gettid(), SIGRTMIN) <= Stopped)
      return;
    timespec Wait = {0, Milliseconds * 1'000'000};
    ::nanosleep(&Wait, nullptr);
  }
}

static std::atomic<const char *> Folder = nullptr;

void setEarlyExitPrefix(const char *Prefix) { How.Prefix = Prefix; }

void removeFolderAtEarlyEnd(const char *Path) { Folder = Path; }

/// Removes files that must not outlast the process.
static void cleanUp() {
  stopOtherThreads();
  sys::RunInterruptHandlers();
  if (How.RemoveFiles)
    How.RemoveFiles();
  if (const char *Path = Folder)
    ::rmdir(Path);
}

[[noreturn]] static void end(Line &Last, int Status) {
  cleanUp();
  Last.print();
  ::_exit(Status);
}

/// Ends the process with \p Signal, as a shell and make(1) expect.
static void onInterrupt(int Signal) {
  beTheOnlyOne();
  cleanUp();
  std::signal(Signal, SIG_DFL);
  sigset_t This;
  ::sigemptyset(&This);
  ::sigaddset(&This, Signal);
  ::pthread_sigmask(SIG_UNBLOCK, &This, nullptr);
  (void)::raise(Signal);
  ::_exit(128 + Signal);
}

void endOutOfMemory() {
  beTheOnlyOne();
  Line Last;
  Last.add(How.Prefix).add("out of memory");
  end(Last, How.OutOfMemory);
}

static void endForLLVM(void *, const char *Reason, bool) {
  beTheOnlyOne();
  Line Last;
  Last.add(How.Prefix).addName(Reason);
  end(Last, How.Failure);
}

//===----------------------------------------------------------------------===//
// Truncated files
//===----------------------------------------------------------------------===//

namespace {
/// A mapped file, as described by a line of /proc/self/maps:
///
///   7f0c8a400000-7f0c8a428000 r--p 00000000 08:01 131 /usr/lib/libc.so.6
struct Mapping {
  uint64_t Start = 0;
  uint64_t End = 0;
  /// The offset of the mapping in the file.
  uint64_t Offset = 0;
  StringRef Path;
};

/// Reads /proc/self/maps line by line.
class MapsReader {
public:
  MapsReader() : FD(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~MapsReader() {
    if (FD >= 0)
      ::close(FD);
  }

  /// Finds the file mapped at \p Address. False if there is none.
  bool find(uint64_t Address, Mapping &Found) {
    while (readLine())
      if (parse(Found) && Address >= Found.Start && Address < Found.End)
        return Found.Path.starts_with("/");
    return false;
  }

private:
  /// Overlong lines are truncated.
  bool readLine() {
    Size = 0;
    char C;
    while (next(C) && C != '\n')
      if (Size < sizeof(Text))
        Text[Size++] = C;
    return Size != 0;
  }

  bool next(char &C) {
    if (Begin == Filled) {
      ssize_t Count = FD < 0 ? 0 : ::read(FD, Buffer, sizeof(Buffer));
      if (Count <= 0)
        return false;
      Begin = 0;
      Filled = size_t(Count);
    }
    C = Buffer[Begin++];
    return true;
  }

  bool parse(Mapping &M) const {
    StringRef Rest(Text, Size);
    if (Rest.consumeInteger(16, M.Start) || !Rest.consume_front("-") ||
        Rest.consumeInteger(16, M.End) || !Rest.consume_front(" "))
      return false;
    Rest = Rest.drop_while([](char C) { return C != ' '; }).ltrim(' ');
    if (Rest.consumeInteger(16, M.Offset))
      return false;
    // The device and the inode number.
    for (int I = 0; I != 2; ++I)
      Rest = Rest.ltrim(' ').drop_while([](char C) { return C != ' '; });
    M.Path = Rest.ltrim(' ');
    return true;
  }

  int FD;
  char Buffer[1024];
  size_t Begin = 0, Filled = 0;
  char Text[PATH_MAX + 256];
  size_t Size = 0;
};
} // namespace

/// The kernel's suffix of the path of a deleted file.
static constexpr StringLiteral Deleted = " (deleted)";

/// The reason why \p M cannot be read at \p Address.
static StringRef whyUnreadable(const Mapping &M, uint64_t Address) {
  char Path[PATH_MAX];
  if (M.Path.size() >= sizeof(Path))
    return "the file changed while it was read, or a read error occurred";
  std::memcpy(Path, M.Path.data(), M.Path.size());
  Path[M.Path.size()] = '\0';
  struct stat Status;
  // The current size of a deleted file is unknown.
  if (M.Path.ends_with(Deleted) || ::stat(Path, &Status) != 0)
    return "the file changed while it was read, or a read error occurred";
  uint64_t At = M.Offset + (Address - M.Start);
  return uint64_t(Status.st_size) <= At ? "the file changed while it was read"
                                        : "the file cannot be read or written: "
                                          "an I/O error, or a full disk";
}

static void onSIGBUS(int Signal, siginfo_t *Info, void *) {
  // The reader owns the path that it finds, so it must live until the end.
  MapsReader Maps;
  Mapping M;
  auto Address = reinterpret_cast<uintptr_t>(Info->si_addr);
  // BUS_ADRERR: the address is beyond the end of the file.
  if (Info->si_code != BUS_ADRERR || !Maps.find(Address, M)) {
    // The signal recurs, and LLVM's handler prints a stack trace.
    ::sigaction(Signal, &PreviousSIGBUS, nullptr);
    if (Info->si_code <= 0)
      (void)::raise(Signal);
    return;
  }
  beTheOnlyOne();
  StringRef Why = whyUnreadable(M, Address);
  StringRef Path = M.Path;
  Path.consume_back(Deleted);
  Line Last;
  Last.add(How.Prefix).addName(Path).add(": ").add(Why);
  end(Last, How.Failure);
}

//===----------------------------------------------------------------------===//

/// Handles \p Signal with all signals blocked.
static void handle(int Signal, void (*Handler)(int)) {
  struct sigaction Action = {};
  Action.sa_handler = Handler;
  Action.sa_flags = SA_ONSTACK | SA_RESTART;
  ::sigfillset(&Action.sa_mask);
  ::sigaction(Signal, &Action, nullptr);
}

/// LLVM also handles signals that the caller ignores (nohup, background jobs of
/// a shell). Its handler would then remove the unfinished files of a program
/// that continues. It also lets the other threads continue.
static void installHandlers(const char *Argv0) {
  constexpr int MayBeIgnored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  struct sigaction Before[std::size(MayBeIgnored)];
  for (size_t I = 0; I != std::size(MayBeIgnored); ++I)
    ::sigaction(MayBeIgnored[I], nullptr, &Before[I]);
  sys::PrintStackTraceOnErrorSignal(Argv0);
  sys::AddSignalHandler(
      [](void *) {
        if (How.RemoveFiles)
          How.RemoveFiles();
      },
      nullptr);
  handle(SIGRTMIN, [](int) { waitForTheEnd(); });
  for (size_t I = 0; I != std::size(MayBeIgnored); ++I)
    if (Before[I].sa_handler == SIG_IGN)
      ::sigaction(MayBeIgnored[I], &Before[I], nullptr);
    else if (MayBeIgnored[I] != SIGQUIT)
      handle(MayBeIgnored[I], onInterrupt);
}

void setUpProcess(const char *Argv0, const EarlyExit &TheHow) {
  How = TheHow;
  installHandlers(Argv0);
  std::set_new_handler(endOutOfMemory);
  install_bad_alloc_error_handler(
      [](void *, const char *, bool) { endOutOfMemory(); });
  install_fatal_error_handler(endForLLVM);
  struct sigaction Action = {};
  Action.sa_sigaction = onSIGBUS;
  Action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGBUS, &Action, &PreviousSIGBUS);
  std::signal(SIGXFSZ, SIG_IGN);
}

void raiseFileLimit() {
  struct rlimit Limit;
  if (::getrlimit(RLIMIT_NOFILE, &Limit) != 0)
    return;
  Limit.rlim_cur = Limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &Limit);
}

} // namespace lidia
