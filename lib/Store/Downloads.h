//===- Downloads.h - Files of servers in a cache folder ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the clients of debuginfod servers and of symbol servers share: a file
/// is fetched once into a cache folder and checked, and a server that fails is
/// left alone for a minute.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_STORE_DOWNLOADS_H
#define LIDIA_LIB_STORE_DOWNLOADS_H

#include "CurlHandles.h"
#include "FailedServers.h"
#include "lidia/Store/DownloadOptions.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace lidia {

/// A file to fetch.
struct WantedFile {
  /// Its path on a server, percent-encoded, without a slash at the start.
  std::string URLPath;
  /// Its place in the cache.
  std::string Folder;
  std::string CacheName;
  /// What it belongs to, for messages.
  std::string Subject;
  /// Header lines to send.
  std::vector<std::string> Headers;
  /// Says whether the file at a path is the right one.
  llvm::function_ref<bool(llvm::StringRef)> IsRight;
  llvm::function_ref<void(const llvm::Twine &)> Warn;

  std::string path() const { return Folder + "/" + CacheName; }
};

struct Download;

/// Fetches files from servers into a cache folder. Thread-safe.
class Downloads {
public:
  /// Warnings begin with \p Protocol. \p URLs are asked in their order. A file
  /// of header lines to send, \p HeadersFile, may be empty.
  Downloads(llvm::StringRef Protocol, std::vector<std::string> URLs,
            std::string CacheFolder, DownloadOptions Options,
            std::string HeadersFile = "");

  const std::string &cacheFolder() const { return CacheFolder; }

  /// Whether the cache has the file. Removes another one in its place.
  bool isInCache(const WantedFile &W);

  /// The file from the cache, or else from the first server that has it.
  DownloadedFile get(const WantedFile &W);

private:
  struct Server {
    explicit Server(const std::string &URL) : URL(URL) {}

    const std::string &URL;
    /// Held by the thread that first contacts the server, so that other threads
    /// do not also wait for a server that is down.
    std::mutex FirstContact;
    std::atomic<bool> HasAnswered{false};
    /// The files for which it has failed since it last answered.
    std::mutex Mutex;
    llvm::StringSet<> FailedFor;
  };

  bool mayAsk(const std::string &Server, const WantedFile &W);
  bool askUnlessFailed(Server &S, const WantedFile &W, DownloadedFile &Result);
  bool ask(Server &S, const WantedFile &W, DownloadedFile &Result,
           std::unique_lock<std::mutex> &FirstContact);
  bool take(const std::string &Server, const WantedFile &W, Download &D,
            DownloadedFile &Result);
  void noteAnswer(Server &S, const WantedFile &W);
  bool noteFailure(Server &S, const WantedFile &W, const Download &D,
                   std::string &Why);
  void explain(Server &S, const WantedFile &W, const Download &D,
               DownloadedFile &Result);
  void run(const Curl &C, const std::string &URL, Download &D,
           const WantedFile &W);
  void setUp(const Curl &C, CURL *Easy, const std::string &URL, Download &D);
  curl_slist *headers(const Curl &C, const WantedFile &W);
  uint64_t maxBytes() const;

  const std::string Protocol;
  const std::vector<std::string> URLs;
  const std::string CacheFolder;
  const std::string HeadersFile;
  const DownloadOptions Options;
  FailedServers Failed;
  std::deque<Server> Servers;
  CurlHandles Handles;
  std::atomic<bool> HasWarnedOfHeaders{false};
};

} // namespace lidia

#endif // LIDIA_LIB_STORE_DOWNLOADS_H
