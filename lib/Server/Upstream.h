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
#include "lidia/ADT/RecentlyUsed.h"
#include "lidia/Store/Debuginfod.h"
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lidia {

/// What a request can lack.
enum class UpstreamKind : uint8_t {
  /// An archive, made of the debug file and the binary.
  Archive,
  /// These files themselves.
  DebugFile,
  Executable,
  /// A source file.
  Source,
};

/// \p Path, of POSIX, without "." and "..".
std::string withoutDots(llvm::StringRef Path);

/// Something that a request lacks.
struct UpstreamWish {
  UpstreamKind Kind;
  BuildIDBytes BuildID;
  /// Of a Source its path: absolute, without "." and "..".
  std::string SourcePath;

  /// A source file; \p Path may have "." and "..".
  static UpstreamWish source(llvm::ArrayRef<uint8_t> BuildID,
                             llvm::StringRef Path);

  /// Its file's name in the folder of the build ID.
  std::string fileName() const;
  std::string key() const;
};

/// What the request that this thread answers lacks, and upstream servers may
/// have. Handlers need not know: what looks for an archive notes it here
/// (Upstream::find()), the handler says that there is none, and if something
/// was noted, the request is answered once more when it is there.
class UpstreamWishes {
public:
  UpstreamWishes();
  ~UpstreamWishes();
  UpstreamWishes(const UpstreamWishes &) = delete;

  std::vector<UpstreamWish> Wishes;
  /// Something may exist on a server that failed.
  bool HasFailed = false;

  /// That of this thread; null outside of a request.
  static UpstreamWishes *current();
};

/// Fetches what the store lacks, once however many ask for it, and remembers
/// for a while what there is not. Safe for threads.
class Upstream {
public:
  Upstream(const ServerOptions &Options, SymbolStore &Store,
           ServedModules &Modules, Conversions &Adding, Metrics &Counts);
  ~Upstream();

  /// To be called first, when Conversions has its folder.
  void open(Conversions::Warning Warn);

  bool isUsed() const { return !Options.Upstream.Servers.empty(); }

  /// Notes that the request of this thread lacks \p Kind of \p BuildID, unless
  /// it is known that no server has it.
  void want(UpstreamKind Kind, llvm::ArrayRef<uint8_t> BuildID) {
    want(UpstreamWish{Kind, BuildIDBytes(BuildID), ""});
  }
  void want(UpstreamWish Wish);

  /// Whether something was noted for the request of this thread, which will be
  /// answered once more.
  static bool isWanted() {
    return UpstreamWishes::current() &&
           !UpstreamWishes::current()->Wishes.empty();
  }

  /// The path of the file of \p Wish, if it was fetched and is still there;
  /// empty otherwise.
  std::string fetched(const UpstreamWish &Wish) const;

  /// The same for the file of \p Kind, which is noted as lacking otherwise.
  llvm::Expected<std::string> find(UpstreamKind Kind,
                                   llvm::ArrayRef<uint8_t> BuildID);

  /// Fetches \p Wishes, and calls \p Done, from any thread, when each is there
  /// or known to be missing. False if too much waits already: \p Done is not
  /// called, and what there was room for is fetched all the same.
  bool fetch(llvm::ArrayRef<UpstreamWish> Wishes, std::function<void()> Done);

  /// Ends all that is under way, and fetches nothing more.
  void stop();

private:
  using Clock = std::chrono::steady_clock;

  /// What became of a wish, until when that is believed.
  struct Known {
    bool HasFailed = false;
    Clock::time_point Until;
  };
  /// Those who wait for a wish that is being fetched.
  using Waiting = std::vector<std::function<void()>>;

  enum class Ended : uint8_t { Found, Missing, Failed };

  bool join(const UpstreamWish &Wish, std::function<void()> Done);
  void work(const UpstreamWish &Wish);
  void convertLater(const BuildIDBytes &BuildID);
  Ended makeArchive(const BuildIDBytes &BuildID);
  DebuginfodFile ask(const UpstreamWish &Wish);
  DebuginfodFile download(const UpstreamWish &Wish);
  std::string supplementaryOf(const std::string &DebugFile);
  std::string pathOf(const UpstreamWish &Wish) const;
  void makeRoom();

  const ServerOptions &Options;
  SymbolStore &Store;
  ServedModules &Modules;
  Conversions &Adding;
  Metrics &Counts;
  Conversions::Warning Warn;
  std::string Folder;
  std::atomic<bool> IsStopping{false};
  std::unique_ptr<DebuginfodClient> Client;
  Flights<DebuginfodFile> Downloads;
  /// Guards the members below.
  std::mutex Mutex;
  llvm::StringMap<Waiting> UnderWay;
  RecentlyUsed<Known> KnownWishes;
  /// The last member: its threads use the others.
  std::unique_ptr<WorkQueue> Fetches;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_UPSTREAM_H
