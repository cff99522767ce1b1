//===- Cache.h - A folder of reproducible files -----------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_CACHE_H
#define LIDIA_CACHE_CACHE_H

#include "lidia/Cache/PrivateFiles.h"
#include "lidia/Support/OutputFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lidia {

/// Names an entry: XXH3-128 (llvm/Support/xxhash.h) of everything that its
/// contents depend on. Boundaries between parts matter: "ab", "c" differs from
/// "a", "bc".
class CacheKey {
public:
  /// \p Kind is the kind of entry, such as "archive".
  explicit CacheKey(llvm::StringRef Kind) { add(Kind); }

  CacheKey &add(llvm::StringRef Part);
  CacheKey &add(uint64_t Part);

  /// Makes it possible to find the entry by this build ID alone
  /// (Cache::entriesOf). An empty build ID has no effect.
  CacheKey &setBuildID(llvm::ArrayRef<uint8_t> BuildID);

  /// Makes it possible to find the entry by this hash of its input file alone
  /// (Cache::entriesOfFile). Profilers send such hashes: the "htlhash" of
  /// OpenTelemetry's profiles, which has 16 bytes. An empty hash has no effect.
  CacheKey &setFileHash(llvm::ArrayRef<uint8_t> Hash);

  /// 32 hexadecimal digits.
  std::string hex() const;

  /// The entry's name: the build ID, if any, followed by '-', then hex(), and
  /// then "-h" and the hash of the file, if any.
  std::string name() const;

private:
  std::string Parts;
  std::string BuildID;
  std::string FileHash;
};

/// An entry in the folder.
struct CacheEntry {
  std::string Path;
  uint64_t Size = 0;
  llvm::sys::TimePoint<> LastUsed;
  llvm::sys::TimePoint<> Made;
};

/// How much was removed.
struct CacheRemoval {
  uint64_t Entries = 0;
  uint64_t Bytes = 0;
};

/// A folder of files that can be made again, which any number of processes and
/// threads can use at once.
///
/// There are no locks. An entry is written under a temporary name and renamed
/// when it is complete. If two processes make the same entry, the last one
/// wins, and an open file stays readable whatever happens to its name. An entry
/// may be removed before it can be opened; request it again then.
///
/// Entries are named
/// "llvmcache-lidia-<build ID>-<key>-h<hash of the file>.<extension>": LLVM's
/// pruneCache ignores files whose names do not begin with "llvmcache-". The
/// build ID is in hexadecimal digits; one of more than 20 bytes is replaced by
/// "x" and its XXH3-128; without one, the key follows immediately; without a
/// hash, the name ends with the key. An entry's
/// access time is the time of its last use, set explicitly because most systems
/// mount with relatime, and its modification time is that of its creation.
///
/// An entry's data are on the disk before it gets its name, so that a power
/// failure may lose an entry but never leaves a damaged one.
///
/// A folder that others could have written to is not used: it must belong to
/// the user (or to root), and must not be writable for everybody. The folder is
/// created with mode 0700. If there is no usable folder, or a write to it
/// fails, a warning is given once (see setWarningHandler), and from then on
/// entries are private temporary files, which are removed when this object is
/// destroyed. Private files of a killed process are removed when another
/// process makes some.
///
/// \code
///   lidia::Cache C;
///   lidia::CacheKey Key("squares");
///   Key.add(100);
///   llvm::Expected<std::string> Path = C.get(
///       Key, ".txt", [](llvm::raw_ostream &OS) { return writeSquares(OS); });
/// \endcode
class Cache {
public:
  /// $LIDIA_CACHE_DIR, else lidia under $XDG_CACHE_HOME or ~/.cache, where ~ is
  /// $HOME or the password file's entry. Empty if there is none. XDG_CACHE_HOME
  /// and HOME count only if they are absolute paths.
  static std::string defaultFolder();

  /// The limits of the cache: $LIDIA_CACHE_POLICY, in the syntax of LLVM's
  /// parseCachePruningPolicy. The defaults are 30 days (prune_after=720h), 10
  /// GiB (cache_size_bytes=10g), 75 % of the disk space (cache_size=75%) and
  /// pruning every 20 minutes (prune_interval=20m). The error names the
  /// variable.
  static llvm::Expected<llvm::CachePruningPolicy> defaultPolicy();

  /// The same for a policy string other than the environment's.
  static llvm::Expected<llvm::CachePruningPolicy>
  parsePolicy(llvm::StringRef Text);

  /// An empty \p Folder means defaultFolder(). The folder is not accessed yet.
  explicit Cache(llvm::StringRef Folder = "");
  /// Removes the private temporary files.
  ~Cache();
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  llvm::StringRef folder() const { return Folder; }

  /// Called with the reason why the folder cannot be used, at most once, and
  /// with errors in $LIDIA_CACHE_POLICY. Without a handler these are ignored.
  using WarningHandler = std::function<void(const llvm::Twine &Message)>;
  void setWarningHandler(WarningHandler Handler) { Warn = std::move(Handler); }

  /// Stops using the folder: each entry is a private temporary file.
  void disable();
  /// Whether disable() was called or the folder cannot be used.
  bool isDisabled();

  /// Also removes unfinished and private temporary files when a signal ends the
  /// process (OutputFileOptions::RemoveOnSignals).
  void removeOnSignals() { RemoveOnSignals = true; }

  using WriteFunction = llvm::function_ref<llvm::Error(llvm::raw_ostream &)>;

  /// Returns the path of the entry. \p Write is called if the entry does not
  /// exist yet; \p Made tells whether it was called. If writing to the folder
  /// fails, \p Write is called a second time, for a private file.
  ///
  /// Fails if \p Write does, or if no file can be written at all.
  llvm::Expected<std::string> get(const CacheKey &Key,
                                  llvm::StringRef Extension,
                                  WriteFunction Write, bool *Made = nullptr);

  /// Returns the path of the entry and marks it as used now; none if it does
  /// not exist, or was made longer than \p MaxAge ago. Its contents are not
  /// checked: readers must check them, and replace a damaged entry with put().
  std::optional<std::string>
  find(const CacheKey &Key, llvm::StringRef Extension,
       std::optional<std::chrono::seconds> MaxAge = std::nullopt);

  /// Writes an entry whose key is known only after it is written, replacing an
  /// older one. Fails as get() does.
  llvm::Expected<std::string>
  put(llvm::StringRef Extension,
      llvm::function_ref<llvm::Expected<CacheKey>(llvm::raw_ostream &)> Write);

  /// Whether \p Path is an entry, as returned by put() and find(), in a folder
  /// that only the user and root can write to.
  bool isEntry(llvm::StringRef Path) const;

  /// Whether \p Path is one of the private temporary files.
  bool isPrivate(llvm::StringRef Path) const;

  /// Removes the private temporary file \p Path. Open descriptors and mappings
  /// of it stay valid.
  void removePrivate(llvm::StringRef Path);

  /// Passes ownership of the private temporary file \p Path to the caller, who
  /// removes it.
  void releasePrivate(llvm::StringRef Path);

  /// The entries with \p Extension whose key has \p BuildID, the newest first.
  /// Check their contents: a file's name is no proof. None if the folder does
  /// not exist or cannot be used.
  std::vector<CacheEntry> entriesOf(llvm::ArrayRef<uint8_t> BuildID,
                                    llvm::StringRef Extension);

  /// The entries with \p Extension whose key has the file hash \p Hash, like
  /// entriesOf().
  std::vector<CacheEntry> entriesOfFile(llvm::ArrayRef<uint8_t> Hash,
                                        llvm::StringRef Extension);

  /// Whether entriesOf() may find an entry. For callers that ask for many build
  /// IDs: takes one system call unless the folder has changed since the last
  /// call.
  bool mayHave(llvm::ArrayRef<uint8_t> BuildID);

  /// All entries, the most recently used first, including unfinished ones
  /// (".tmp"). None if the folder does not exist; fails if it cannot be read.
  llvm::Expected<std::vector<CacheEntry>> list() const;

  /// Removes the entries beyond the limits of \p Policy, with LLVM's
  /// pruneCache, and unfinished files of killed processes that are at least an
  /// hour old.
  llvm::Expected<CacheRemoval> prune(llvm::CachePruningPolicy Policy);

  /// Removes all entries, and no other files.
  llvm::Expected<CacheRemoval> empty();

private:
  using PutFunction =
      llvm::function_ref<llvm::Expected<CacheKey>(llvm::raw_ostream &)>;

  enum class FolderState : uint8_t { Unchecked, Ready, Disabled };

  bool ready();
  std::vector<CacheEntry>
  entriesNamed(llvm::function_ref<bool(llvm::StringRef)> IsWanted);
  llvm::Error checkFolder() const;
  void giveUp(llvm::Error Why);
  void pruneByDefault();
  std::string entryPath(const CacheKey &Key, llvm::StringRef Extension) const;
  llvm::Expected<std::optional<std::string>>
  putInFolder(llvm::StringRef Extension, PutFunction Write);
  llvm::Expected<std::string> putInPrivate(llvm::StringRef Extension,
                                           PutFunction Write);

  std::string Folder;
  WarningHandler Warn;
  bool RemoveOnSignals = false;

  /// Guards the members below.
  mutable std::mutex Mutex;
  FolderState State = FolderState::Unchecked;
  bool PolicyReported = false;
  /// The build IDs in the names of entries when the folder had the time below.
  llvm::StringSet<> KnownBuildIDs;
  std::optional<llvm::sys::TimePoint<>> KnownAt;
  struct PrivateFile {
    UnfinishedFile File;
    FileInUse InUse;
  };
  std::list<PrivateFile> PrivateFiles;
};

} // namespace lidia

#endif // LIDIA_CACHE_CACHE_H
