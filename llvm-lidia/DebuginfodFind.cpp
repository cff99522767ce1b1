//===- DebuginfodFind.cpp - lidia-debuginfod-find: queries servers --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// usage: lidia-debuginfod-find BUILD-ID MAX-SIZE PARENT
//
// Queries the servers in DEBUGINFOD_URLS, one after another, for the debug file
// of a build ID, and prints for llvm-lidia, its only caller,
//
//   warning MESSAGE    for each server that fails or has another binary's file
//   file PATH          if one has it, where the copy is in the cache
//
// A file of more than MAX-SIZE bytes (0: of any size), or one that would use up
// the disk's reserve, is not kept. LLVM's library writes downloads to its cache
// without a limit, so the limit is set for the process (RLIMIT_FSIZE). Each
// server is queried in a separate process: one that sends too much or takes too
// long ends that process, not the search.
//
// Servers, cache and time limit (DEBUGINFOD_TIMEOUT, for each server) are those
// of LLVM's Debuginfod library.
//
//===----------------------------------------------------------------------===//

#include "ADT/URLText.h"
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
  // Keeps the warning if the process is killed later.
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

/// The space that stays free on a disk, unless a twentieth of the disk is less.
static constexpr uint64_t Reserve = uint64_t(1) << 30;

/// The maximum size of a file in \p Folder that preserves the reserve;
/// UINT64_MAX if the system does not tell.
static uint64_t spaceIn(const std::string &Folder) {
  struct statvfs Status;
  if (::statvfs(Folder.c_str(), &Status))
    return UINT64_MAX;
  uint64_t Free = uint64_t(Status.f_bavail) * Status.f_frsize;
  uint64_t Total = uint64_t(Status.f_blocks) * Status.f_frsize;
  uint64_t Kept = std::min(Reserve, Total / 20);
  return Free - std::min(Free, Kept);
}

/// The messages of the handlers. Set before the handlers are installed.
static std::string TooLarge, TooLong;

/// Limits the files that this process writes to \p Bytes, or to the hard limit.
/// Allowed in signal handlers, because getrlimit and setrlimit are system
/// calls.
static void limitFileSize(uint64_t Bytes) {
  struct rlimit Limit;
  if (::getrlimit(RLIMIT_FSIZE, &Limit))
    return;
  Limit.rlim_cur = std::min<uint64_t>(Limit.rlim_max, Bytes);
  ::setrlimit(RLIMIT_FSIZE, &Limit);
}

/// Ends a process whose time has expired, or whose file has reached the size
/// limit, and removes the unfinished file.
static void giveUp(int Signal) {
  sys::RunInterruptHandlers();
  // Standard output may be a file, too.
  limitFileSize(UINT64_MAX);
  const std::string &Message = Signal == SIGXFSZ ? TooLarge : TooLong;
  (void)!::write(STDOUT_FILENO, Message.data(), Message.size());
  ::_exit(1);
}

/// Sets system limits on the data that this process writes and on its time.
static void setLimits(const Request &R, StringRef Server) {
  // The folder may not exist yet.
  (void)sys::fs::create_directories(R.CacheFolder);
  uint64_t Space = spaceIn(R.CacheFolder);
  uint64_t Most = R.MaxSize ? std::min(R.MaxSize, Space) : Space;
  std::string Prefix =
      "warning debuginfod: " + lidia::urlForMessages(Server) + ": ";
  TooLarge = Prefix +
             (R.MaxSize && Most == R.MaxSize
                  ? "the file has more than " + utostr(Most) +
                        " bytes (see --debuginfod-max-size)\n"
                  : "the file would fill the disk of " + R.CacheFolder + "\n");
  TooLong = Prefix + "Timeout was reached\n";
  std::signal(SIGXFSZ, giveUp);
  std::signal(SIGALRM, giveUp);
  limitFileSize(Most);
  // curl's time limit covers web servers but not name servers.
  ::alarm(unsigned(R.Timeout.count() / 1000) + 5);
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

/// Queries the cache and then, if it is not empty, \p Server. False if neither
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
  // LLVM keeps any download, even a partial file or another binary's.
  SmallString<128> Cached(R.CacheFolder);
  sys::path::append(Cached, "llvmcache-" + Key);
  sys::fs::remove(Cached);
  if (Path) {
    warn((Server.empty() ? "the cache" : lidia::urlForMessages(Server)) +
         " has another file for build ID " + toHex(R.ID, /*LowerCase=*/true));
    return false;
  }
  handleAllErrors(Path.takeError(), [&](const ErrorInfoBase &E) {
    // Otherwise it just does not know the build ID.
    if (E.convertToErrorCode() != std::errc::argument_out_of_domain)
      warn(lidia::urlForMessages(Server) + ": " +
           lidia::withoutPasswords(E.message()));
  });
  return false;
}

/// The same in a separate process.
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
    return warn(lidia::urlForMessages(Server) + ": cannot start a process");
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
  // First the cache alone.
  if (!ask(R, StringRef()))
    for (StringRef Server : getDefaultDebuginfodUrls())
      if (askApart(R, Server))
        break;
  HTTPClient::cleanup();
  return 0;
}
