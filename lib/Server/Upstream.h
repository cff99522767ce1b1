//===- Upstream.h - Files from other debuginfod servers ---------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_UPSTREAM_H
#define LIDIA_LIB_SERVER_UPSTREAM_H

#include "Conversions.h"
#include "HTTPMessage.h"
#include "ServedModules.h"
#include "SharedWork.h"
#include "WorkQueue.h"
#include "lidia/Error.h"
#include "lidia/Store/Debuginfod.h"
#include "lidia/Support/RecentlyUsed.h"
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// The kind of file that a request lacks.
enum class UpstreamKind : uint8_t {
  /// An archive, made from the debug file and the binary.
  Archive,
  /// These files themselves.
  DebugFile,
  Executable,
  /// A source file.
  Source,
};

/// Whether the file at \p Path is a binary or a debug file of \p BuildID.
bool hasBuildID(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID);

/// \p Path, a POSIX path, without "." and "..".
std::string withoutDots(llvm::StringRef Path);

/// A file that a request lacks.
struct UpstreamWish {
  UpstreamKind Kind;
  BuildIDBytes BuildID;
  /// The path of a Source: absolute, without "." and "..".
  std::string SourcePath;
  /// The servers that the request came through, as Upstream::forwardedFor()
  /// has them.
  std::string ForwardedFor = {};

  /// A source file; \p Path may have "." and "..".
  static UpstreamWish source(llvm::ArrayRef<uint8_t> BuildID,
                             llvm::StringRef Path);

  /// The file of \p Other that the same request needs.
  UpstreamWish with(UpstreamKind Other) const {
    return {Other, BuildID, "", ForwardedFor};
  }

  /// The file's name in the folder of the build ID.
  std::string fileName() const;
  std::string key() const;
};

/// A request lacks files that upstream servers may have. A handler that returns
/// this error is called again when they were fetched.
class MissingFilesError : public ErrorOfClass<MissingFilesError> {
public:
  explicit MissingFilesError(std::vector<UpstreamWish> Wishes)
      : ErrorOfClass(std::make_error_code(std::errc::no_such_file_or_directory),
                     "", "not fetched yet"),
        Wishes(std::move(Wishes)) {}

  std::vector<UpstreamWish> Wishes;
};

/// A file may exist on an upstream server that failed. It is not reported as
/// missing, because clients remember that a file does not exist.
class UpstreamFailedError
    : public ErrorOfCode<UpstreamFailedError, std::errc::host_unreachable> {
  using ErrorOfCode::ErrorOfCode;
};

/// Returns \p E. If it is a MissingFilesError, adds its wishes to \p To, for
/// handlers that need several files.
llvm::Error noteWishes(llvm::Error E, std::vector<UpstreamWish> &To);

/// Fetches files that the store lacks, once even if many requests want them,
/// and remembers for some time which ones do not exist. Thread-safe.
class Upstream {
public:
  Upstream(const ServerOptions &Options, SymbolStore &Store,
           ServedModules &Modules, Conversions &Adding,
           ServerStatistics &Statistics);
  ~Upstream();

  /// Must be called first, after Conversions::open().
  void open(Conversions::Warning Warn);

  bool isUsed() const { return !Options.Upstream.Servers.empty(); }

  /// What requests to upstream servers have as X-Forwarded-For, so that servers
  /// that ask each other notice: the servers in \p Header, which is that of a
  /// request to this one, and this one. None if the request came through this
  /// one before, or through too many.
  std::optional<std::string> forwardedFor(llvm::StringRef Header) const;

  /// The error for \p Request, which lacks the file of \p Wish: a
  /// MissingFilesError if a server may have it, an UpstreamFailedError if one
  /// that failed may, and otherwise \p Why.
  llvm::Error missing(const HTTPRequest &Request, UpstreamWish Wish,
                      llvm::Error Why);

  /// The path of the file of \p Wish, if it was fetched and is still there;
  /// empty otherwise.
  std::string fetched(const UpstreamWish &Wish) const;

  /// The same for the file \p Kind of \p BuildID. If it was not fetched, fails
  /// as missing() says.
  llvm::Expected<std::string> find(const HTTPRequest &Request,
                                   UpstreamKind Kind,
                                   llvm::ArrayRef<uint8_t> BuildID);

  /// Fetches \p Wishes, one after another as the queue has places, and calls
  /// \p Done from any thread when each was fetched or is known to be missing,
  /// or when the queue is full. Returns false, without calling \p Done, if the
  /// queue has no place for any of them now.
  bool fetch(std::vector<UpstreamWish> Wishes, std::function<void()> Done);

  /// Cancels downloads, and starts no more.
  void stop();

private:
  using Clock = std::chrono::steady_clock;

  /// The result of fetching a file, and until when it is valid.
  struct Known {
    bool HasFailed = false;
    Clock::time_point Until;
  };
  /// Callbacks that wait for a file that is being fetched.
  using Waiting = std::vector<std::function<void()>>;

  enum class Ended : uint8_t { Found, Missing, Failed };

  bool join(const UpstreamWish &Wish, std::function<void()> Done);
  void work(const UpstreamWish &Wish);
  void convertLater(const UpstreamWish &DebugFile);
  Ended makeArchive(const UpstreamWish &Wish);
  DownloadedFile ask(const UpstreamWish &Wish);
  DownloadedFile download(const UpstreamWish &Wish);
  std::string supplementaryOf(const std::string &DebugFile,
                              const UpstreamWish &Wish);
  std::string pathOf(const UpstreamWish &Wish) const;
  void makeRoom();

  const ServerOptions &Options;
  SymbolStore &Store;
  ServedModules &Modules;
  Conversions &Adding;
  ServerStatistics &Statistics;
  /// This server in X-Forwarded-For.
  const std::string OwnName;
  Conversions::Warning Warn;
  std::string Folder;
  std::atomic<bool> IsStopping{false};
  std::unique_ptr<DebuginfodClient> Client;
  SharedWork<DownloadedFile> Downloads;
  /// Protects the members below.
  std::mutex Mutex;
  llvm::StringMap<Waiting> UnderWay;
  RecentlyUsed<Known> KnownWishes;
  /// The last member, because its threads use the others.
  std::unique_ptr<WorkQueue> Fetches;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_UPSTREAM_H
