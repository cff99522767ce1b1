//===- DebuginfodFind.cpp - lidia-debuginfod-find: asks servers -----------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// usage: lidia-debuginfod-find BUILD-ID
//
// Asks the servers in DEBUGINFOD_URLS, one after another, for the debug file of
// a build ID, and prints for llvm-lidia, its only caller,
//
//   warning MESSAGE    for each server that fails or has another binary's file
//   file PATH          if one has it, where the copy is in the cache
//
// Servers, cache and time limit (DEBUGINFOD_TIMEOUT, for each server) are what
// LLVM's Debuginfod library says they are.
//
//===----------------------------------------------------------------------===//

#include "ProcessSetup.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Debuginfod/Debuginfod.h"
#include "llvm/Debuginfod/HTTPClient.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
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
};
} // namespace

/// Asks the cache and then, if it is not empty, \p Server. False when neither
/// has the file.
static bool ask(const Request &R, StringRef Server) {
  std::string UrlPath = getDebuginfodDebuginfoUrlPath(R.ID);
  std::string Key = getDebuginfodCacheKey(UrlPath);
  SmallVector<StringRef, 1> Servers;
  if (!Server.empty())
    Servers.push_back(Server);
  // A name server, unlike a web server, is not bound by curl's time limit.
  ::alarm(unsigned(R.Timeout.count() / 1000) + 5);
  Expected<std::string> Path = getCachedOrDownloadArtifact(
      Key, UrlPath, R.CacheFolder, Servers, R.Timeout);
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

int main(int Argc, char **Argv) {
  lidia::setUpProcess(Argv[0], {"warning debuginfod: ", STDOUT_FILENO});
  if (Argc != 2)
    return 1;
  Request R;
  R.ID = object::parseBuildID(Argv[1]);
  Expected<std::string> Folder = getDefaultDebuginfodCacheDirectory();
  if (!Folder)
    return warn(toString(Folder.takeError()));
  R.CacheFolder = *Folder;
  R.Timeout = getDefaultDebuginfodTimeout();
  HTTPClient::initialize();
  SmallVector<StringRef> Places = getDefaultDebuginfodUrls();
  Places.insert(Places.begin(), StringRef()); // the cache alone
  for (StringRef Place : Places)
    if (ask(R, Place))
      break;
  HTTPClient::cleanup();
  return 0;
}
