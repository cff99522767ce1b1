//===- SymbolStore.h - Archives by build ID ---------------------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIDIA_STORE_SYMBOLSTORE_H
#define LIDIA_STORE_SYMBOLSTORE_H

#include "lidia/ADT/RecentlyUsed.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/DebugID.h"
#include "lidia/Store/ObjectStore.h"
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

/// How the objects of a store are named, and what they hold.
enum class StoreLayout : uint8_t {
  /// `.build-id/ab/cdef.lidia.zst`, compressed archives, as in the folders of
  /// debug files. `.build-id/ab/cdef.lidia` is read, too.
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
  /// Of the layout Pyroscope; the default is that of a Pyroscope without
  /// tenants.
  std::string Tenant = "anonymous";
  /// How archives are opened.
  OpenOptions Open;
  /// Archives that stay open, the most recently used; at least 1. One in a
  /// bucket holds up to 16 MiB of what was fetched, and Open.FrameCacheSize.
  unsigned MaxArchives = 64;
  /// Otherwise archives are open only while a caller has them; callers at the
  /// same time share them.
  bool KeepOpen = true;
  /// How long a build ID that the store does not have is not asked for again.
  std::chrono::seconds MissingLifetime{60};
  /// How objects are written.
  OutputFileOptions Output;
  /// What a server wants of those who write to it (serve --write-token).
  std::string WriteToken;
};

/// An object of a store that is named like an archive.
struct StoredArchive {
  StoredObject Object;
  llvm::SmallVector<uint8_t, 20> BuildID;
};

/// What a SymbolStore has done since it was opened.
struct StoreFigures {
  /// Archives opened, and the nanoseconds that took, failures included.
  uint64_t Opened = 0;
  uint64_t OpenTime = 0;
  /// Requests for an archive that was open.
  uint64_t Reused = 0;
  /// Requests for build IDs that the store does not have, and for archives that
  /// could not be read.
  uint64_t Missing = 0;
  uint64_t Failed = 0;
  /// RequestTotals of the store.
  uint64_t Requests = 0;
  uint64_t Retries = 0;
  uint64_t BytesRead = 0;
  uint64_t BytesWritten = 0;
  /// Build IDs, in hexadecimal digits, that are missing, and how often each was
  /// asked for: the first MostMissingIDs of them.
  llvm::StringMap<uint64_t> MissingIDs;
  static constexpr unsigned MostMissingIDs = 4096;

  /// Adds the figures of another store.
  StoreFigures &operator+=(const StoreFigures &Other);
};

/// Prints \p F as Prometheus reads it, without the build IDs: counters whose
/// names begin with `lidia_store_`.
void printMetrics(llvm::raw_ostream &OS, const StoreFigures &F);

/// A store of archives by build ID: a folder, a bucket of S3, or a server.
/// Thread-safe: threads that ask for the same build ID wait for the first of
/// them.
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
  /// unless it takes uploads.
  /// The store is not accessed yet (see checkFilled()). Keys for S3 are those
  /// of openURL().
  static llvm::Expected<std::unique_ptr<SymbolStore>>
  open(llvm::StringRef Where, const SymbolStoreOptions &Options = {});
  ~SymbolStore();

  llvm::StringRef name() const { return Objects->name(); }
  const SymbolStoreOptions &options() const { return Options; }
  /// Whether reading takes round trips to another machine.
  bool isFar() const { return Objects->isFar(); }
  /// Where the objects are.
  ObjectStore &objects() { return *Objects; }
  StoreFigures figures() const;

  /// What the names of all archives begin with, with a slash after it.
  std::string objectPrefix() const;

  /// What the names of all objects of \p BuildID begin with, with a slash after
  /// it. Only of the layout Debuginfod.
  std::string objectFolder(llvm::ArrayRef<uint8_t> BuildID) const;

  /// The store's first archive, by name; none if it has none. One request.
  llvm::Expected<std::optional<StoredArchive>> first();

  /// An error if nothing can be read: the store is not there, has no archive,
  /// or refuses requests. To be called before work begins, which would find no
  /// archive then. No error if only lists are not allowed.
  llvm::Error checkFilled();

  /// The archive of \p BuildID. Of a folder it is mapped, of a bucket the parts
  /// are fetched that are read (FarFile).
  ///
  /// Fails with the code std::errc::no_such_file_or_directory if the store does
  /// not have it, and with a DamagedError if the object's archive says that it
  /// is of another build ID. Archives and the lack of one are remembered; other
  /// errors are not.
  llvm::Expected<std::shared_ptr<const Archive>>
  archive(llvm::ArrayRef<uint8_t> BuildID);

  /// The build ID of an archive whose binary crash tools know as \p ID. Build
  /// IDs of ELF files are longer than that: the list of the archives whose
  /// names begin as it does tells, so that lists must be allowed; a server is
  /// asked instead. Two requests, and what it takes to look into the archives
  /// found. The first one by name if several have the same ID.
  ///
  /// Fails with the code std::errc::no_such_file_or_directory if there is none.
  llvm::Expected<llvm::SmallVector<uint8_t, 20>> findBuildID(const DebugID &ID);

  /// Whether the store has an object for \p BuildID.
  llvm::Expected<bool> contains(llvm::ArrayRef<uint8_t> BuildID);

  /// Adds the archive in the file \p File, which is of \p BuildID and in the
  /// form of the layout. False if there is one already and \p Mode is IfAbsent.
  llvm::Expected<bool> add(llvm::ArrayRef<uint8_t> BuildID,
                           llvm::StringRef File, PutMode Mode);

  /// Forgets what is known of \p BuildID: somebody else has written it.
  void forget(llvm::ArrayRef<uint8_t> BuildID);

  /// Calls \p Visit with each archive, in order of name, until that fails.
  /// Objects with other names are left out.
  llvm::Error
  forEach(llvm::function_ref<llvm::Error(const StoredArchive &)> Visit);

  /// The archives whose build IDs begin with \p Digits, hexadecimal ones in
  /// lower case, in order of name, up to \p Most.
  llvm::Expected<std::vector<StoredArchive>> list(llvm::StringRef Digits,
                                                  size_t Most);

  /// Reads all of \p A: the archive must be consistent, its checksums right,
  /// and its build ID that of the object's name. The error names the object.
  llvm::Error verify(const StoredArchive &A);

  /// The same for the archive of \p BuildID.
  llvm::Error verify(llvm::ArrayRef<uint8_t> BuildID);

  /// Removes \p A, and what was made from it.
  llvm::Error remove(const StoredArchive &A);

  /// The path or URL where the archive of \p BuildID is or would be.
  std::string location(llvm::ArrayRef<uint8_t> BuildID) const;

  /// The path or URL of the archive of \p BuildID, which exists.
  llvm::Expected<std::string> find(llvm::ArrayRef<uint8_t> BuildID);

private:
  /// What is known of a build ID.
  struct Slot;

  SymbolStore(std::unique_ptr<ObjectStore> Objects,
              const SymbolStoreOptions &Options);

  llvm::SmallVector<std::string, 2>
  objectNames(llvm::ArrayRef<uint8_t> BuildID) const;
  std::optional<llvm::SmallVector<uint8_t, 20>>
  buildIDOf(llvm::StringRef Object) const;
  llvm::Error missing(llvm::ArrayRef<uint8_t> BuildID) const;
  llvm::Error check(const Archive &A, llvm::ArrayRef<uint8_t> BuildID,
                    llvm::StringRef Where) const;
  llvm::Expected<Archive> openObject(llvm::ArrayRef<uint8_t> BuildID);
  llvm::Expected<std::shared_ptr<const Archive>>
  openSlot(Slot &S, llvm::ArrayRef<uint8_t> BuildID);
  std::string namesBegin(llvm::ArrayRef<uint8_t> FirstBytes) const;
  llvm::Expected<bool> isOf(llvm::ArrayRef<uint8_t> BuildID, const DebugID &ID);
  llvm::Error verifyObject(llvm::StringRef Where,
                           llvm::ArrayRef<uint8_t> BuildID);

  const SymbolStoreOptions Options;
  const std::unique_ptr<ObjectStore> Objects;

  /// Guards the members below, not what is in the slots.
  mutable std::mutex Mutex;
  RecentlyUsed<std::shared_ptr<Slot>> Slots;
  StoreFigures Figures;
};

/// The store at \p Where, which checkFilled() has looked at: of the layout
/// \p Options.Layout or, if it has no archive of that, Debuginfod.
llvm::Expected<std::unique_ptr<SymbolStore>>
openFilledStore(llvm::StringRef Where, SymbolStoreOptions Options);

/// Gives the archive of a build ID, as ModuleArchivesOptions::Store does.
using ArchiveSource =
    std::function<llvm::Expected<std::shared_ptr<const Archive>>(
        llvm::ArrayRef<uint8_t> BuildID)>;

/// SymbolStore::archive() of openFilledStore(), in the layout BuildID. The
/// function owns the store. It says once that the whole store fails
/// (endsStore()), and for a minute that there is no archive.
llvm::Expected<ArchiveSource> openArchiveSource(llvm::StringRef Where,
                                                const OpenOptions &Options);

/// Why \p BuildID cannot name an object: it is too short or too long. Empty if
/// it can.
llvm::StringRef whyNotABuildID(llvm::ArrayRef<uint8_t> BuildID);

} // namespace lidia

#endif // LIDIA_STORE_SYMBOLSTORE_H
