//===- DebuginfodFind.cpp - lidia-debuginfod-find: asks servers -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// usage: lidia-debuginfod-find BUILD-ID MAX-SIZE PARENT
//
// Asks the servers in DEBUGINFOD_URLS, one after another, for the debug file of
// a build ID, and prints for llvm-lidia, its only caller,
//
//   warning MESSAGE    for each server that fails or has another binary's file
//   file PATH          if one has it, where the copy is in the cache
//
// A file of more than MAX-SIZE bytes (0: of any size), or one that would take
// what is to stay free of the disk, is not kept. LLVM's library writes what a
// server sends to its cache without a limit, so the limit is one of the process
// (RLIMIT_FSIZE). Each server has a process of its own: one that sends too much
// or takes too long ends that and not the search.
//
// Servers, cache and time limit (DEBUGINFOD_TIMEOUT, for each server) are what
// LLVM's Debuginfod library says they are.
//
//===----------------------------------------------------------------------===//

#include "HelperProgram.h"
#include "ProcessSetup.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Debuginfod/Debuginfod.h"
#include "llvm/Debuginfod/HTTPClient.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <csignal>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

static int warn(const Twine &Message) {
  outs() << "warning debuginfod: " << Message << '\n';
  // Should the process be killed later, this is not lost.
  outs().flush();
  return 0;
}

static bool hasBuildID(StringRef Path, object::BuildIDRef ID) {
  Expected<object::OwningBinary<object::ObjectFile>> File =
      object::ObjectFile::createObjectFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return false;
  }
  return object::getBuildID(File->getBinary()) == ID;
}

namespace {
struct Request {
  object::BuildID ID;
  std::string CacheFolder;
  std::chrono::milliseconds Timeout;
  /// In bytes; 0: none.
  uint64_t MaxSize = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// So much of a disk stays free, or a twentieth of it if that is less.
static constexpr uint64_t Reserve = uint64_t(1) << 30;

/// How many bytes a file in \p Folder may have so that the reserve stays;
/// UINT64_MAX where the system does not say.
static uint64_t spaceIn(const std::string &Folder) {
  struct statvfs Status;
  if (::statvfs(Folder.c_str(), &Status))
    return UINT64_MAX;
  uint64_t Free = uint64_t(Status.f_bavail) * Status.f_frsize;
  uint64_t Total = uint64_t(Status.f_blocks) * Status.f_frsize;
  uint64_t Kept = std::min(Reserve, Total / 20);
  return Free - std::min(Free, Kept);
}

/// The messages of the handlers. Set before the handlers are.
static std::string TooLarge, TooLong;

/// Bounds the files that this process writes to \p Bytes, or to what it may
/// set. Allowed in signal handlers, as getrlimit and setrlimit are system
/// calls.
static void limitFileSize(uint64_t Bytes) {
  struct rlimit Limit;
  if (::getrlimit(RLIMIT_FSIZE, &Limit))
    return;
  Limit.rlim_cur = std::min<uint64_t>(Limit.rlim_max, Bytes);
  ::setrlimit(RLIMIT_FSIZE, &Limit);
}

/// Ends a process whose time is over, or whose file is as large as it may get.
/// The unfinished file goes, too.
static void giveUp(int Signal) {
  sys::RunInterruptHandlers();
  // Standard output is a file, too.
  limitFileSize(UINT64_MAX);
  const std::string &Message = Signal == SIGXFSZ ? TooLarge : TooLong;
  (void)!::write(STDOUT_FILENO, Message.data(), Message.size());
  ::_exit(1);
}

/// Has the system bound what this process writes and how long it takes.
static void setLimits(const Request &R, StringRef Server) {
  // The folder need not be there yet.
  (void)sys::fs::create_directories(R.CacheFolder);
  uint64_t Space = spaceIn(R.CacheFolder);
  uint64_t Most = R.MaxSize ? std::min(R.MaxSize, Space) : Space;
  std::string Prefix = ("warning debuginfod: " + Server + ": ").str();
  TooLarge = Prefix +
             (R.MaxSize && Most == R.MaxSize
                  ? "the file has more than " + utostr(Most) +
                        " bytes (see --debuginfod-max-size)\n"
                  : "the file would fill the disk of " + R.CacheFolder + "\n");
  TooLong = Prefix + "Timeout was reached\n";
  std::signal(SIGXFSZ, giveUp);
  std::signal(SIGALRM, giveUp);
  limitFileSize(Most);
  // A name server, unlike a web server, is not bound by curl's time limit.
  ::alarm(unsigned(R.Timeout.count() / 1000) + 5);
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

/// Asks the cache and then, if it is not empty, \p Server. False when neither
/// has the file.
static bool ask(const Request &R, StringRef Server) {
  std::string UrlPath = getDebuginfodDebuginfoUrlPath(R.ID);
  std::string Key = getDebuginfodCacheKey(UrlPath);
  SmallVector<StringRef, 1> Servers;
  if (!Server.empty())
    Servers.push_back(Server);
  Expected<std::string> Path = getCachedOrDownloadArtifact(
      Key, UrlPath, R.CacheFolder, Servers, R.Timeout);
  // The copy goes to standard output.
  limitFileSize(UINT64_MAX);
  if (Path && hasBuildID(*Path, R.ID)) {
    outs() << "file " << *Path << '\n';
    return true;
  }
  // LLVM keeps what it got, be it half a file or another's.
  SmallString<128> Cached(R.CacheFolder);
  sys::path::append(Cached, "llvmcache-" + Key);
  sys::fs::remove(Cached);
  if (Path) {
    warn((Server.empty() ? "the cache" : Server) +
         " has another file for build ID " + toHex(R.ID, /*LowerCase=*/true));
    return false;
  }
  handleAllErrors(Path.takeError(), [&](const ErrorInfoBase &E) {
    // Otherwise it only does not know the build ID.
    if (E.convertToErrorCode() != std::errc::argument_out_of_domain)
      warn(Server + ": " + E.message());
  });
  return false;
}

/// The same in a process of its own.
static bool askApart(const Request &R, StringRef Server) {
  pid_t Self = ::getpid();
  pid_t Child = ::fork();
  if (Child == 0) {
    if (!lidia::endWithParent(Self))
      ::_exit(1);
    setLimits(R, Server);
    bool Found = ask(R, Server);
    outs().flush();
    ::_exit(!Found);
  }
  int Status;
  if (Child < 0 || sys::RetryAfterSignal(-1, ::waitpid, Child, &Status, 0) < 0)
    return warn(Server + ": cannot start a process");
  return WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

int main(int Argc, char **Argv) {
  lidia::setUpProcess(Argv[0], {"warning debuginfod: ", STDOUT_FILENO});
  Request R;
  pid_t Parent;
  if (Argc != 4 || StringRef(Argv[2]).getAsInteger(10, R.MaxSize) ||
      StringRef(Argv[3]).getAsInteger(10, Parent) ||
      !lidia::endWithParent(Parent))
    return 1;
  R.ID = object::parseBuildID(Argv[1]);
  Expected<std::string> Folder = getDefaultDebuginfodCacheDirectory();
  if (!Folder)
    return warn(toString(Folder.takeError()));
  R.CacheFolder = *Folder;
  R.Timeout = getDefaultDebuginfodTimeout();
  HTTPClient::initialize();
  // The cache alone first.
  if (!ask(R, StringRef()))
    for (StringRef Server : getDefaultDebuginfodUrls())
      if (askApart(R, Server))
        break;
  HTTPClient::cleanup();
  return 0;
}
