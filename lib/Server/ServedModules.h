//===- ServedModules.h - The open archives of a server ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_LIB_SERVER_SERVEDMODULES_H
#define LIDIA_LIB_SERVER_SERVEDMODULES_H

#include "Metrics.h"
#include "lidia/Archive/DebugID.h"
#include "lidia/Server/ServerOptions.h"
#include "lidia/Store/SymbolStore.h"
#include "lidia/Support/RecentlyUsed.h"
#include "lidia/Symbolize/Symbolizer.h"
#include "llvm/ADT/StringSet.h"
#include <chrono>
#include <memory>
#include <mutex>

namespace lidia {

using BuildIDBytes = llvm::SmallVector<uint8_t, 20>;

/// Parses \p Text, a build ID in hexadecimal digits. The error is an
/// ArgumentError.
llvm::Expected<BuildIDBytes> parseBuildID(llvm::StringRef Text);
/// The same for an htlhash.
llvm::Expected<BuildIDBytes> parseFileHash(llvm::StringRef Text);

/// An archive and its names as text. Thread-safe.
class ServedModule {
public:
  /// \p MaxText limits the bytes of names and paths that it keeps.
  ServedModule(std::shared_ptr<const Archive> A, BuildIDBytes BuildID,
               uint64_t MaxText);

  const Archive &archive() const { return *A; }
  const std::shared_ptr<const Archive> &sharedArchive() const { return A; }
  llvm::ArrayRef<uint8_t> buildID() const { return BuildID; }
  /// The address that offsets in the module are relative to: that of its first
  /// segment.
  uint64_t imageBase() const { return ImageBase; }

  /// Fetches what look-ups of the first of \p Addresses read, if the archive is
  /// on another machine. Returns false, and fetches nothing, if \p MayWait is
  /// false and something is to be fetched.
  bool prefetch(llvm::ArrayRef<uint64_t> Addresses, bool MayWait) const;

  /// Calls \p Use with the symbolizer, while no other thread uses it.
  void symbolize(llvm::function_ref<void(Symbolizer &)> Use);

private:
  const std::shared_ptr<const Archive> A;
  const BuildIDBytes BuildID;
  const uint64_t ImageBase;
  const uint64_t MaxText;
  std::mutex Mutex;
  std::optional<Symbolizer> S;
};

/// The archives of a store, of which the most recently used ones stay open.
/// Thread-safe.
class ServedModules {
public:
  ServedModules(SymbolStore &Store, const ServerOptions &Options,
                ServerStatistics &M);

  /// The archive of \p BuildID, as it was in the store less than
  /// ServerOptions::RecheckSeconds ago. Fails as SymbolStore::archive() does.
  llvm::Expected<std::shared_ptr<ServedModule>>
  find(llvm::ArrayRef<uint8_t> BuildID);

  /// Whether find() need not ask another machine.
  bool isKnown(llvm::ArrayRef<uint8_t> BuildID);
  bool isKnown(const DebugID &ID);

  /// Calls \p Find(I, MayWait) with the numbers I below \p Count in order. If
  /// the store is on another machine, MayWait is false, and \p Find returns
  /// false if it would have to wait for that machine; then it is called again
  /// for those I, by up to MaxThreads threads.
  void forEach(size_t Count,
               llvm::function_ref<bool(size_t, bool MayWait)> Find) const;
  static constexpr size_t MaxThreads = 16;

  /// Closes the archive of \p BuildID, because the store has a new one.
  void forget(llvm::ArrayRef<uint8_t> BuildID);

  SymbolStore &store() { return Store; }

  /// Notes that the archive of \p BuildID was used, as find() does.
  void noteUse(llvm::ArrayRef<uint8_t> BuildID);
  /// The build IDs that were used since the last call.
  std::vector<BuildIDBytes> takeUsed();

private:
  using Clock = std::chrono::steady_clock;

  struct OpenModule {
    /// Null for an archive that was forgotten.
    std::shared_ptr<ServedModule> Module;
    /// When to compare it with the store's.
    Clock::time_point CheckAt;
  };

  llvm::Expected<std::shared_ptr<ServedModule>>
  check(std::shared_ptr<ServedModule> Open);

  SymbolStore &Store;
  const uint64_t MaxTextOfModule;
  const std::chrono::seconds CheckInterval;
  ServerStatistics &Statistics;
  std::mutex Mutex;
  RecentlyUsed<OpenModule> Modules;
  /// Calls of forget().
  uint64_t Changes = 0;
  /// The result of takeUsed(); it has no more build IDs than the store.
  llvm::StringSet<> Used;
};

} // namespace lidia

#endif // LIDIA_LIB_SERVER_SERVEDMODULES_H
