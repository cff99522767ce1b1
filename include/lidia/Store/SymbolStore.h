//===- SymbolStore.h - Archives by build ID ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_SYMBOLSTORE_H
#define LIDIA_STORE_SYMBOLSTORE_H

#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveSource.h"
#include "lidia/Archive/DebugID.h"
#include "lidia/Error.h"
#include "lidia/Store/ObjectStore.h"
#include "lidia/Support/RecentlyUsed.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace lidia {

/// How the objects of a store are named and what they contain.
enum class StoreLayout : uint8_t {
  /// `.build-id/ab/cdef.lidia.zst`: compressed archives, in the layout of
  /// folders of debug files. `.build-id/ab/cdef.lidia` is read, too.
  BuildID,
  /// `symbolizer/TENANT/BUILDID`, archives of version 1 with checksums and
  /// without the extension: what Grafana Pyroscope's symbolizer looks for
  /// (lidiaObjectPath in pkg/symbolizer/symbolizer.go, as of commit
  /// 3fe6a457a32004efc46da819cbc114472d07415e).
  Pyroscope,
  /// `buildid/BUILDID/debuginfo`, `section/NAME` and `source/PATH`: what
  /// debuginfod's clients ask a web server for, made from the compressed
  /// archive beside them, `archive.lidia.zst`.
  Debuginfod,
};

struct SymbolStoreOptions {
  StoreLayout Layout = StoreLayout::BuildID;
  /// The tenant, for the layout Pyroscope. The default is that of a Pyroscope
  /// without tenants.
  std::string Tenant = "anonymous";
  /// How archives are opened.
  OpenOptions Open;
  /// The number of archives that stay open, the most recently used ones; at
  /// least 1. An archive in a bucket keeps up to 16 MiB of fetched data, and
  /// Open.FrameCacheSize, in memory.
  unsigned MaxArchives = 64;
  /// Whether archives stay open when no caller uses them. In either case,
  /// callers at the same time share an archive.
  bool KeepOpen = true;
  /// How long the store remembers that it does not have a build ID.
  std::chrono::seconds MissingLifetime{60};
  /// How long archive() asks a store again that fails, with growing pauses.
  /// Zero: it does not.
  std::chrono::seconds Patience{0};
  /// For how long archive() then fails at once.
  std::chrono::seconds OutageLifetime{10};
  /// How objects are written. A folder always flushes them to the disk.
  OutputFileOptions Output;
  /// The token for writing to a server (serve --write-token).
  std::string WriteToken;
};

/// An object of a store that is named like an archive.
struct StoredArchive {
  StoredObject Object;
  llvm::SmallVector<uint8_t, 20> BuildID;
};

/// What a SymbolStore has done since it was opened.
struct StoreStatistics {
  /// Attempts to open an archive, including failed ones, and the nanoseconds
  /// that they took.
  uint64_t Opened = 0;
  uint64_t OpenTime = 0;
  /// Requests for an archive that was open.
  uint64_t Reused = 0;
  /// Requests for build IDs that the store does not have; requests for archives
  /// that could not be read.
  uint64_t Missing = 0;
  uint64_t Failed = 0;
  /// Those of Failed that ended in an OutageError.
  uint64_t Unanswered = 0;
  /// RequestTotals of the store.
  uint64_t Requests = 0;
  uint64_t Retries = 0;
  uint64_t BytesRead = 0;
  uint64_t BytesWritten = 0;
  /// The first MaxMissingIDs missing build IDs, in hexadecimal digits, and how
  /// often each was requested.
  llvm::StringMap<uint64_t> MissingIDs;
  static constexpr unsigned MaxMissingIDs = 4096;

  /// Adds the figures of another store.
  StoreStatistics &operator+=(const StoreStatistics &Other);
};

/// Prints \p F, without the build IDs, in the format of Prometheus: counters
/// whose names begin with `lidia_store_`.
void printMetrics(llvm::raw_ostream &OS, const StoreStatistics &F);

/// A store of archives by build ID: a folder, a bucket of S3, or a server.
/// Thread-safe: when several threads request the same build ID, the first opens
/// the archive and the others wait for it.
///
/// \code
///   auto Store = lidia::SymbolStore::open("s3://symbols/debian");
///   if (!Store)
///     return Store.takeError();
///   auto A = (*Store)->archive(BuildID);
///   if (!A)
///     return A.takeError();
///   (*A)->prefetch(Addresses);
///   (*A)->lookup(0x1234, Frames);
/// \endcode
class SymbolStore {
public:
  /// \p Where is a folder, `s3://bucket` with or without a prefix after it, or
  /// the http or https URL of a server (llvm-lidia serve), which is only read
  /// unless it takes uploads. The store is not accessed yet (see
  /// checkFilled()). Keys for S3 are found as by openURL().
  static llvm::Expected<std::unique_ptr<SymbolStore>>
  open(llvm::StringRef Where, const SymbolStoreOptions &Options = {});
  ~SymbolStore();

  llvm::StringRef name() const { return Objects->name(); }
  const SymbolStoreOptions &options() const { return Options; }
  /// Whether reading takes round trips to another machine.
  bool isFar() const { return Objects->isFar(); }
  /// Where the objects are.
  ObjectStore &objects() { return *Objects; }
  StoreStatistics statistics() const;

  /// The common beginning of the names of all archives, with a slash at the
  /// end.
  std::string objectPrefix() const;

  /// The common beginning of the names of all objects of \p BuildID, with a
  /// slash at the end. Only for the layout Debuginfod.
  std::string objectFolder(llvm::ArrayRef<uint8_t> BuildID) const;

  /// One of the archives; none if the store is empty. Takes one request.
  llvm::Expected<std::optional<StoredArchive>> any();

  /// Fails if nothing can be read, because the store does not exist, has no
  /// archives, or refuses requests. Call this before work that would find no
  /// archives. Succeeds if only lists are not allowed.
  llvm::Error checkFilled();

  /// The archive of \p BuildID. An archive in a folder is mapped; of an archive
  /// in a bucket, only the parts that are read are fetched (FarFile).
  ///
  /// Fails with the code std::errc::no_such_file_or_directory if the store does
  /// not have it, and with a DamagedError if the archive has another build ID.
  /// Fails with an OutageError if the store did not answer, even after
  /// SymbolStoreOptions::Patience. Archives and missing build IDs are
  /// remembered, and for a few seconds that the store does not answer anything;
  /// other errors are not.
  llvm::Expected<std::shared_ptr<const Archive>>
  archive(llvm::ArrayRef<uint8_t> BuildID);

  /// Whether archive() answers from memory: the archive is open, or known to be
  /// missing.
  bool isKnown(llvm::ArrayRef<uint8_t> BuildID);

  /// The build ID of an archive whose binary crash tools know as \p ID. The
  /// build IDs of ELF files are longer than \p ID, so this lists the archives
  /// whose names begin with it; listing must be allowed. A server is asked
  /// instead. Takes two requests, and those for opening the archives found. If
  /// several archives have the ID, returns the first in order of name.
  ///
  /// Fails with the code std::errc::no_such_file_or_directory if there is none.
  /// Build IDs and missing debug IDs are remembered, the latter until an
  /// archive is added or forgotten; other errors are not.
  llvm::Expected<llvm::SmallVector<uint8_t, 20>> findBuildID(const DebugID &ID);

  /// What findBuildID() answers from memory: a build ID, or an empty one if
  /// \p ID is known to be missing. None if it would search.
  std::optional<llvm::SmallVector<uint8_t, 20>> knownBuildID(const DebugID &ID);

  /// The build ID of the archive that was made from the file with the htlhash
  /// \p FileHash, as addFileHash() has recorded. Otherwise as
  /// findBuildID(DebugID), with one request.
  llvm::Expected<llvm::SmallVector<uint8_t, 20>>
  buildIDOfFile(llvm::ArrayRef<uint8_t> FileHash);

  /// Whether the store has an object for \p BuildID.
  llvm::Expected<bool> contains(llvm::ArrayRef<uint8_t> BuildID);

  /// Adds the archive in the file \p File, which must have the build ID
  /// \p BuildID and the form that the layout requires. Returns false if there
  /// is an archive already and \p Mode is IfAbsent.
  llvm::Expected<bool> add(llvm::ArrayRef<uint8_t> BuildID,
                           llvm::StringRef File, PutMode Mode);

  /// Opens the archive of \p BuildID again, for callers that keep it open. If
  /// it is the same, or cannot be read now, returns \p Open; fails if it was
  /// removed.
  llvm::Expected<std::shared_ptr<const Archive>>
  openAgain(llvm::ArrayRef<uint8_t> BuildID,
            std::shared_ptr<const Archive> Open);

  /// Forgets what is known about \p BuildID, for when somebody else has written
  /// its archive.
  void forget(llvm::ArrayRef<uint8_t> BuildID);

  /// Calls \p Visit with each archive, in order of name, until \p Visit fails.
  /// Objects that are not named like archives are left out.
  llvm::Error
  forEach(llvm::function_ref<llvm::Error(const StoredArchive &)> Visit);

  /// The archives whose build IDs begin with \p Digits, which are lower-case
  /// hexadecimal digits. At most \p Max archives, in order of name, of those
  /// after the build ID \p After, if it is not empty.
  llvm::Expected<std::vector<StoredArchive>>
  list(llvm::StringRef Digits, size_t Max, llvm::ArrayRef<uint8_t> After = {});

  /// Reads all of \p A. Fails unless the archive is consistent, its checksums
  /// are correct, and it has the build ID in the object's name. The error names
  /// the object.
  llvm::Error verify(const StoredArchive &A);

  /// Verifies the archive of \p BuildID.
  llvm::Error verify(llvm::ArrayRef<uint8_t> BuildID);

  /// Removes \p A and the objects that were made from it.
  llvm::Error remove(const StoredArchive &A);

  /// The path or URL where the archive of \p BuildID is or would be.
  std::string location(llvm::ArrayRef<uint8_t> BuildID) const;

  /// The path or URL of the archive of \p BuildID, which exists.
  llvm::Expected<std::string> find(llvm::ArrayRef<uint8_t> BuildID);

private:
  /// What is known of a build ID.
  struct Slot;
  /// What is known of a debug ID or an htlhash.
  struct KnownID {
    /// Empty if the store has no such binary until MissingUntil, unless it has
    /// changed.
    llvm::SmallVector<uint8_t, 20> BuildID;
    std::chrono::steady_clock::time_point MissingUntil;
    /// The value of Changes before the search.
    uint64_t MissingAfter = 0;
  };

  SymbolStore(std::unique_ptr<ObjectStore> Objects,
              const SymbolStoreOptions &Options);

  llvm::SmallVector<std::string, 2>
  objectNames(llvm::ArrayRef<uint8_t> BuildID) const;
  std::optional<llvm::SmallVector<uint8_t, 20>>
  buildIDOf(llvm::StringRef Object) const;
  llvm::Error missing(llvm::ArrayRef<uint8_t> BuildID) const;
  std::optional<llvm::SmallVector<uint8_t, 20>> knownID(llvm::StringRef ID);
  llvm::Expected<llvm::SmallVector<uint8_t, 20>>
  findID(llvm::StringRef ID, llvm::StringRef Kind,
         llvm::function_ref<llvm::Expected<llvm::SmallVector<uint8_t, 20>>()>
             Search);
  llvm::Error check(const Archive &A, llvm::ArrayRef<uint8_t> BuildID,
                    llvm::StringRef Where) const;
  llvm::Expected<Archive> openObject(llvm::ArrayRef<uint8_t> BuildID);
  /// openObject(), as long as the store does not answer.
  llvm::Expected<Archive> openPatiently(llvm::ArrayRef<uint8_t> BuildID);
  /// The remembered OutageError; success if there is none.
  llvm::Error outage() const;
  llvm::Error endInOutage(std::unique_ptr<LidiaError> Why);
  llvm::Expected<std::shared_ptr<const Archive>>
  openSlot(Slot &S, llvm::ArrayRef<uint8_t> BuildID);
  std::string namesBegin(llvm::ArrayRef<uint8_t> FirstBytes) const;
  llvm::Expected<llvm::SmallVector<uint8_t, 20>>
  searchBuildID(const DebugID &ID);
  llvm::Expected<bool> isOf(llvm::ArrayRef<uint8_t> BuildID, const DebugID &ID);
  llvm::Error verifyObject(llvm::StringRef Where,
                           llvm::ArrayRef<uint8_t> BuildID);

  const SymbolStoreOptions Options;
  const std::unique_ptr<ObjectStore> Objects;

  /// Guards the members below, not what is in the slots.
  mutable std::mutex Mutex;
  RecentlyUsed<std::shared_ptr<Slot>> Slots;
  RecentlyUsed<KnownID> OtherIDs;
  /// Calls of forget().
  uint64_t Changes = 0;
  StoreStatistics Statistics;
  RememberedError Outage;
  std::chrono::steady_clock::time_point OutageUntil;
};

/// Opens the store at \p Where and calls checkFilled(). The layout is
/// \p Options.Layout or, if the store has no archive of that layout,
/// Debuginfod.
llvm::Expected<std::unique_ptr<SymbolStore>>
openFilledStore(llvm::StringRef Where, SymbolStoreOptions Options);

/// SymbolStoreOptions::Patience for calls whose result would be incomplete
/// without the store: LIDIA_STORE_TIMEOUT, or else half a minute.
std::chrono::seconds storePatience();

/// The store of openFilledStore(), in the layout BuildID. The functions own the
/// store, which has storePatience().
llvm::Expected<ArchiveSource> openArchiveSource(llvm::StringRef Where,
                                                const OpenOptions &Options);

/// Returns why \p BuildID cannot name an object (it is too short or too long),
/// or an empty string if it can.
llvm::StringRef whyNotABuildID(llvm::ArrayRef<uint8_t> BuildID);

} // namespace lidia

#endif // LIDIA_STORE_SYMBOLSTORE_H
