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
#include "Flights.h"
#include "ServedModules.h"
#include "WorkQueue.h"
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

/// The files that the current thread's request lacks and that upstream servers
/// may have. Handlers need no code for this: the search for an archive notes it
/// here (Upstream::find()), the handler answers that it is missing, and if
/// something was noted, the request is answered again after it was fetched.
class UpstreamWishes {
public:
  /// \p ForwardedFor is that of the request; without it nothing is noted.
  explicit UpstreamWishes(std::optional<std::string> ForwardedFor);
  ~UpstreamWishes();
  UpstreamWishes(const UpstreamWishes &) = delete;

  const std::optional<std::string> ForwardedFor;
  std::vector<UpstreamWish> Wishes;
  /// Whether a file may exist on a server that failed.
  bool HasFailed = false;

  /// The object of this thread; null outside of a request.
  static UpstreamWishes *current();
};

/// Fetches files that the store lacks, once even if many requests want them,
/// and remembers for some time which ones do not exist. Thread-safe.
class Upstream {
public:
  Upstream(const ServerOptions &Options, SymbolStore &Store,
           ServedModules &Modules, Conversions &Adding, Metrics &Counts);
  ~Upstream();

  /// Must be called first, after Conversions::open().
  void open(Conversions::Warning Warn);

  bool isUsed() const { return !Options.Upstream.Servers.empty(); }

  /// What requests to upstream servers have as X-Forwarded-For, so that servers
  /// that ask each other notice: the servers in \p Header, which is that of a
  /// request to this one, and this one. None if the request came through this
  /// one before, or through too many.
  std::optional<std::string> forwardedFor(llvm::StringRef Header) const;

  /// Notes that this thread's request lacks the file \p Kind of \p BuildID,
  /// unless it is known that no server has it.
  void want(UpstreamKind Kind, llvm::ArrayRef<uint8_t> BuildID) {
    want(UpstreamWish{Kind, BuildIDBytes(BuildID), ""});
  }
  void want(UpstreamWish Wish);

  /// Whether a file was noted for this thread's request, which will then be
  /// answered again.
  static bool isWanted() {
    return UpstreamWishes::current() &&
           !UpstreamWishes::current()->Wishes.empty();
  }

  /// The path of the file of \p Wish, if it was fetched and is still there;
  /// empty otherwise.
  std::string fetched(const UpstreamWish &Wish) const;

  /// The same for the file \p Kind of \p BuildID. If it was not fetched, notes
  /// it as missing, and fails.
  llvm::Expected<std::string> find(UpstreamKind Kind,
                                   llvm::ArrayRef<uint8_t> BuildID);

  /// Fetches \p Wishes, and calls \p Done from any thread when each was fetched
  /// or is known to be missing. Returns false, without calling \p Done, if the
  /// queue has no place for any of them; those that have a place are fetched.
  bool fetch(llvm::ArrayRef<UpstreamWish> Wishes, std::function<void()> Done);

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
  Metrics &Counts;
  /// This server in X-Forwarded-For.
  const std::string OwnName;
  Conversions::Warning Warn;
  std::string Folder;
  std::atomic<bool> IsStopping{false};
  std::unique_ptr<DebuginfodClient> Client;
  Flights<DownloadedFile> Downloads;
  /// Protects the members below.
  std::mutex Mutex;
  llvm::StringMap<Waiting> UnderWay;
  RecentlyUsed<Known> KnownWishes;
  /// The last member, because its threads use the others.
  std::unique_ptr<WorkQueue> Fetches;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_UPSTREAM_H
