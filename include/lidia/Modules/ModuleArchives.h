//===- ModuleArchives.h - The archives of many modules ----------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Part of the library LidiaModules, because it makes archives.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_MODULEARCHIVES_H
#define LIDIA_MODULES_MODULEARCHIVES_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveSource.h"
#include "lidia/Archive/DamageLog.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Error.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Support/RecentlyUsed.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lidia {

/// How ModuleArchives finds, makes and keeps archives.
struct ModuleArchivesOptions {
  /// How archives are made. The sources and debug files are part of a cache
  /// entry's key (openCachedArchive).
  ConvertOptions Conversion;
  /// Whether to make the archive of a file that has none.
  bool Make = true;
  /// Whether a file that has no archive gets one with names only (openNames)
  /// instead, which is in no cache.
  bool NamesOnly = false;
  /// With NamesOnly: whether the archive is then made in the background. From
  /// then on get() returns it, and improvements() is greater.
  bool LinesLater = false;
  /// If set, puts the archive of the binary \p Path into the cache in another
  /// process, so that this one keeps no memory of it. \p Architecture is that
  /// of a file in a universal one, or empty.
  std::function<llvm::Error(llvm::StringRef Path, llvm::StringRef Architecture)>
      MakeApart;
  /// Whether to use an archive beside a file (`a.out.lidia`), unless
  /// Conversion names the file's debug file.
  bool Beside = true;
  /// Whether columns are wanted. An archive beside a file that has no columns
  /// is then used only if the archive in the cache has none, either, or if the
  /// cache is disabled.
  bool Columns = false;
  /// Whether to refuse PE and Mach-O files like files of unknown formats.
  bool ELFOnly = false;
  /// How files outside the cache are opened. Use FileAccess::Copy in programs
  /// that must not end with a SIGBUS.
  OpenOptions Open;
  /// If set, the archives elsewhere, such as in a store
  /// (lidia/Store/SymbolStore.h). Asked before an archive is made.
  ArchiveSource Store;
  /// The name of Store in messages.
  std::string StoreName;
  /// Whether a module has no archive if Store fails with an OutageError.
  /// Otherwise its other sources are used, which may have less, or nothing.
  bool NeedsStore = false;
  /// Whether to use only Store, by build ID: no file is opened, no archive is
  /// made, and the cache is not used.
  bool StoreOnly = false;
  /// The number of modules that are remembered, with their open archives; at
  /// least 1.
  unsigned MaxModules = 128;
};

/// Figures of ModuleArchives, from its construction on.
struct ModuleArchivesStatistics {
  /// Archives opened, archives that were made before they were opened, and
  /// modules without an archive.
  uint64_t Opened = 0;
  uint64_t Made = 0;
  uint64_t Failed = 0;
  /// Modules that were forgotten to stay within MaxModules.
  uint64_t Forgotten = 0;
};

/// The archives of many modules (programs, libraries), each found, or made in
/// the cache, when it is first requested, and kept open.
///
/// A module is given by a file, a build ID, or both. Its archive is the first
/// of these:
///
///  1. for a file that is an archive, the file itself;
///  2. for a binary, the file with the same name and ".lidia" at the end, if
///     that archive has lines (and columns: ModuleArchivesOptions::Columns) and
///     says that it was made from this binary: build ID, machine and identity
///     (docs/Format.md, "IDEN") agree;
///  3. for a build ID, including that of a file, the archive that
///     ModuleArchivesOptions::Store returns;
///  4. for a binary, its entry in the cache, which is made if it is missing
///     (openCachedArchive);
///  5. for a build ID without a file, the newest archive in the cache with that
///     build ID, with lines if there is one; then the archive of the debug file
///     that Conversion.Search finds in its folders or on its servers.
///
/// A file is opened only if it is a regular file, so no pipe or device can
/// block. The result for a module, an archive or an error, is remembered: a
/// file that changes later is not looked at again, and a missing one costs one
/// system call, once; but a store that did not answer is asked again. At most
/// MaxModules are remembered; the least recently
/// used one is forgotten first. The archive of a forgotten module stays open as
/// long as a caller holds it.
///
/// Thread-safe: threads that request the same module wait for the first of
/// them, without delaying requests for other modules.
///
/// \code
///   lidia::Cache C;
///   lidia::ModuleArchives Modules(C, Options, Observer);
///   auto A = Modules.get("/usr/lib/libfoo.so");
///   if (!A)
///     return A.takeError();
///   (*A)->lookup(0x1234, Frames);
/// \endcode
class ModuleArchives {
public:
  using Result = llvm::Expected<std::shared_ptr<const Archive>>;

  /// \p C and \p Observer, which receives the reports of conversions from one
  /// thread at a time, must outlive this object.
  ModuleArchives(Cache &C, ModuleArchivesOptions Options,
                 ConvertObserver &Observer);
  ~ModuleArchives();
  ModuleArchives(const ModuleArchives &) = delete;
  ModuleArchives &operator=(const ModuleArchives &) = delete;

  /// The archive of the module with \p Path, \p BuildID, or both; there is none
  /// for neither. A build ID of zeros counts as none. If both are given and the
  /// file has another build ID, the archive is found by the build ID alone.
  ///
  /// Fails if there is no archive and none can be made. The error names the
  /// file or the build ID and has a code of std::errc if the system gave the
  /// reason (no_such_file_or_directory, permission_denied, is_a_directory);
  /// invalid_argument for a file that is neither regular nor a directory;
  /// executable_format_error for one that is neither a binary nor an archive.
  ///
  /// \p Version distinguishes files that have the same \p Path at different
  /// times, such as /proc/self/fd/7: results are remembered for each version
  /// separately.
  Result get(llvm::StringRef Path, llvm::ArrayRef<uint8_t> BuildID = {},
             llvm::StringRef Version = "");

  /// The archive of the file with \p FileHash, the htlhash that profilers send:
  /// that of Store, or the newest archive in the cache that was made from that
  /// file, with lines if there is one. Results are remembered, and errors
  /// returned, as by get().
  Result getByFileHash(llvm::ArrayRef<uint8_t> FileHash);

  ModuleArchivesStatistics statistics() const;

  /// The first OutageError of Store; success if it has always answered. If
  /// ModuleArchivesOptions::NeedsStore is set, some modules then had no archive
  /// that might have had one.
  llvm::Error outage() const;
  bool needsStore() const { return Options.NeedsStore; }
  bool usesOnlyStore() const { return Options.StoreOnly; }

  /// How many archives with names only were replaced by whole ones.
  uint64_t improvements() const {
    return Improvements.load(std::memory_order_acquire);
  }
  bool makesLinesLater() const { return Options.LinesLater; }
  /// Whether \p A may be replaced by a whole archive.
  bool mayImprove(const Archive &A) const {
    return Options.LinesLater && A.hasNamesOnly();
  }

  /// The damage found in compressed archives so far (Archive::damage()),
  /// including closed ones. Answers from these archives may be incomplete.
  llvm::Error damage() const { return Damage.damage(); }

private:
  struct Module;
  class SharedObserver;
  class Background;
  /// Which archive of a file without one is wanted.
  enum class Want : uint8_t { Whole, Names };

  std::shared_ptr<Module> module(llvm::StringRef Name,
                                 llvm::function_ref<void(Module &)> Fill);
  Result search(std::shared_ptr<Module> Of);
  Result find(const Module &M, Want What);
  Result openFile(const std::string &Path, llvm::ArrayRef<uint8_t> BuildID,
                  Want What);
  Result openMade(const std::string &Path, const std::string &Architecture,
                  Want What);
  void improve(Module &M);
  std::shared_ptr<const Archive> share(Archive A);
  Result openCached(const std::string &Path, const std::string &Architecture);
  Result cachedOr(Archive Beside, const std::string &Path,
                  const std::string &Architecture);
  Result askStore(llvm::ArrayRef<uint8_t> BuildID);
  Result askStoreForFile(llvm::ArrayRef<uint8_t> FileHash);
  Result fromStore(Result Answer);
  bool noteOutage(const LidiaError &Why);
  uint64_t outages() const;
  Result onlyStored(const Module &M);
  Result openByBuildID(llvm::ArrayRef<uint8_t> BuildID, Want What);
  Result openByFileHash(llvm::ArrayRef<uint8_t> FileHash);

  Cache &C;
  const ModuleArchivesOptions Options;
  const std::unique_ptr<SharedObserver> Observer;
  DamageLog Damage;

  /// Guards the members below.
  mutable std::mutex Mutex;
  RecentlyUsed<std::shared_ptr<Module>> Modules;
  ModuleArchivesStatistics Statistics;
  RememberedError Outage;
  uint64_t Outages = 0;
  std::atomic<uint64_t> Improvements{0};
  /// The last member, because its thread uses the others. Null without
  /// LinesLater.
  std::unique_ptr<Background> Later;
};

} // namespace lidia

#endif // LIDIA_MODULES_MODULEARCHIVES_H
