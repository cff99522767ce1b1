//===- Cache.h - A folder of files that can be made anew --------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_CACHE_H
#define LIDIA_CACHE_CACHE_H

#include "lidia/Archive/OutputFile.h"
#include "lidia/Cache/PrivateFiles.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
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
/// contents depend on. Parts keep their limits: "ab", "c" is not "a", "bc".
class CacheKey {
public:
  /// \p Kind says what sort of entry it is: "archive".
  explicit CacheKey(llvm::StringRef Kind) { add(Kind); }

  CacheKey &add(llvm::StringRef Part);
  CacheKey &add(uint64_t Part);

  /// Lets the entry be found by this build ID alone (Cache::entriesOf). An
  /// empty one does nothing.
  CacheKey &setBuildID(llvm::ArrayRef<uint8_t> BuildID);

  /// 32 hexadecimal digits.
  std::string hex() const;

  /// How the entry is called: hex(), and before it the build ID, if there is
  /// one, and '-'.
  std::string name() const;

private:
  std::string Parts;
  std::string BuildID;
};

/// An entry as the folder has it.
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

/// A folder of files that can be made anew, which any number of processes and
/// threads use at once.
///
/// There are no locks. An entry is written under a temporary name and renamed
/// when it is whole; of two that make the same entry the last one's stays, and
/// a file that is open stays readable whatever happens to its name. So an entry
/// may be gone before it can be opened: ask again then.
///
/// Entries are called "llvmcache-lidia-<build ID>-<key>.<extension>": LLVM's
/// pruneCache looks at nothing that does not begin with "llvmcache-". The build
/// ID is in hexadecimal digits; for one of more than 32 bytes they are those of
/// its XXH3-128, behind "x", and without one the key follows at once. Their
/// access time is when they were used last, set by hand because most systems
/// mount with relatime, and their modification time is when they were made.
///
/// An entry's data are on the disk before it gets its name, so that a power
/// failure costs the entry, not its contents.
///
/// A folder that others could have put something into is not used: it has to
/// belong to the user (or to root), and may not be writable for everybody. The
/// folder is made with mode 0700. Where there is no usable folder, or a write
/// to it fails, that is said once (see setWarningHandler), and entries are
/// private temporary files from then on, removed with this object. Those of a
/// process that was killed are removed when another one makes some.
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
  /// $HOME or what the password file says. Empty when there is no such place.
  /// XDG_CACHE_HOME and HOME count only if they are absolute paths.
  static std::string defaultFolder();

  /// How much is kept: $LIDIA_CACHE_POLICY, in the syntax of LLVM's
  /// parseCachePruningPolicy. What it does not say is 30 days
  /// (prune_after=720h), 10 GiB (cache_size_bytes=10g), 75 % of the space on
  /// the disk (cache_size=75%) and every 20 minutes (prune_interval=20m). The
  /// error names the variable.
  static llvm::Expected<llvm::CachePruningPolicy> defaultPolicy();

  /// The same for another text than that in the environment.
  static llvm::Expected<llvm::CachePruningPolicy>
  parsePolicy(llvm::StringRef Text);

  /// \p Folder empty: defaultFolder(). Nothing is looked at yet.
  explicit Cache(llvm::StringRef Folder = "");
  /// Removes the private temporary files.
  ~Cache();
  Cache(const Cache &) = delete;
  Cache &operator=(const Cache &) = delete;

  llvm::StringRef folder() const { return Folder; }

  /// Called with why the folder cannot be used, at most once, and with what is
  /// wrong with $LIDIA_CACHE_POLICY. Without a handler nobody is told.
  using WarningHandler = std::function<void(const llvm::Twine &Message)>;
  void setWarningHandler(WarningHandler Handler) { Warn = std::move(Handler); }

  /// Uses the folder no more: each entry is a private temporary file.
  void disable();

  /// Removes unfinished and private temporary files when a signal ends the
  /// process, too (llvm::sys::RemoveFileOnSignal). That takes the process's
  /// handlers of SIGINT and others, so a program asks for it and a plugin of
  /// another program does not.
  void removeOnSignals() { RemoveOnSignals = true; }

  using WriteFunction = llvm::function_ref<llvm::Error(llvm::raw_ostream &)>;

  /// The path of the entry. \p Write is called when it is not there yet;
  /// \p Made says whether it was. Where the folder fails, \p Write is called
  /// a second time, for a private file.
  ///
  /// Fails if \p Write does, or if no file can be written at all.
  llvm::Expected<std::string> get(const CacheKey &Key,
                                  llvm::StringRef Extension,
                                  WriteFunction Write, bool *Made = nullptr);

  /// The path of the entry, which counts as used now; none when it is not
  /// there, or was made longer than \p MaxAge ago. Its contents are whatever
  /// the disk made of them: a reader checks them, and a damaged one is made
  /// anew with put().
  std::optional<std::string>
  find(const CacheKey &Key, llvm::StringRef Extension,
       std::optional<std::chrono::seconds> MaxAge = std::nullopt);

  /// Writes an entry whose key is known when it is written, in the place of an
  /// older one. Fails as get() does.
  llvm::Expected<std::string>
  put(llvm::StringRef Extension,
      llvm::function_ref<llvm::Expected<CacheKey>(llvm::raw_ostream &)> Write);

  /// Whether \p Path is an entry's, as put() and find() give it, in a folder
  /// that only the user and root can write to.
  bool isEntry(llvm::StringRef Path) const;

  /// Whether \p Path is one of the private temporary files.
  bool isPrivate(llvm::StringRef Path) const;

  /// Removes the private temporary file \p Path. Who has it open keeps it.
  void removePrivate(llvm::StringRef Path);

  /// Leaves the private temporary file \p Path to the caller, who removes it.
  void releasePrivate(llvm::StringRef Path);

  /// The entries with \p Extension whose key was given \p BuildID, the last
  /// made first. Their contents are to be checked: a file's name is no proof.
  /// None when the folder is not there or cannot be used.
  std::vector<CacheEntry> entriesOf(llvm::ArrayRef<uint8_t> BuildID,
                                    llvm::StringRef Extension);

  /// All entries, the last used first, with what is being written (".tmp").
  /// None when there is no folder; fails when it cannot be read.
  llvm::Expected<std::vector<CacheEntry>> list() const;

  /// Removes what \p Policy does not keep, with LLVM's pruneCache, and what
  /// killed processes left unfinished an hour ago or earlier.
  llvm::Expected<CacheRemoval> prune(llvm::CachePruningPolicy Policy);

  /// Removes all entries, and no file that is not ours.
  llvm::Expected<CacheRemoval> empty();

private:
  using PutFunction =
      llvm::function_ref<llvm::Expected<CacheKey>(llvm::raw_ostream &)>;

  enum class FolderState : uint8_t { Unchecked, Ready, Disabled };

  bool ready();
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

  /// Guards what follows.
  mutable std::mutex Mutex;
  FolderState State = FolderState::Unchecked;
  bool PolicyReported = false;
  struct PrivateFile {
    UnfinishedFile File;
    FileInUse InUse;
  };
  std::list<PrivateFile> PrivateFiles;
};

} // namespace lidia

#endif // LIDIA_CACHE_CACHE_H
