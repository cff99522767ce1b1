//===- Cache.cpp - A folder of reproducible files -------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/Cache.h"
#include "Object/TemporaryMapping.h"
#include "Support/UserCache.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace lidia {

/// pruneCache requires the name to begin with "llvmcache-".
static constexpr char Prefix[] = "llvmcache-lidia-";
static constexpr char UnfinishedExtension[] = ".tmp";
static constexpr size_t UnfinishedDigits = 12;
static constexpr size_t KeyDigits = 32;

/// The maximum number of build ID bytes in a name. Linkers make 8, 16 or 20 by
/// default. Some file systems (eCryptfs) limit names to 143 bytes.
static constexpr size_t LongestBuildID = 20;
/// The prefix of the hash of a longer build ID.
static constexpr char HashedBuildID[] = "x";
/// The prefix of the hash of a file, which follows the key.
static constexpr char FileHashPrefix[] = "-h";
static constexpr size_t FileHashDigits = 32;

/// The age at which unfinished files count as abandoned: conversions take
/// minutes at most.
static constexpr std::chrono::hours AbandonedAfter(1);

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

CacheKey &CacheKey::add(StringRef Part) {
  add(Part.size());
  Parts += Part;
  return *this;
}

CacheKey &CacheKey::add(uint64_t Part) {
  char Bytes[8];
  support::endian::write64le(Bytes, Part);
  Parts.append(Bytes, sizeof(Bytes));
  return *this;
}

static std::string hashOf(ArrayRef<uint8_t> Bytes) {
  XXH128_hash_t Hash = xxh3_128bits(Bytes);
  return utohexstr(Hash.high64, /*LowerCase=*/true, 16) +
         utohexstr(Hash.low64, /*LowerCase=*/true, 16);
}

/// The representation of \p BuildID in an entry's name. Names have at most 255
/// bytes, whatever the binary contains.
static std::string buildIDInName(ArrayRef<uint8_t> BuildID) {
  if (BuildID.size() > LongestBuildID)
    return HashedBuildID + hashOf(BuildID);
  return toHex(BuildID, /*LowerCase=*/true);
}

CacheKey &CacheKey::setBuildID(ArrayRef<uint8_t> ID) {
  BuildID = buildIDInName(ID);
  return *this;
}

CacheKey &CacheKey::setFileHash(ArrayRef<uint8_t> Hash) {
  FileHash = Hash.empty() ? "" : FileHashPrefix + toHex(Hash, true);
  return *this;
}

std::string CacheKey::hex() const {
  return hashOf(arrayRefFromStringRef(Parts));
}

std::string CacheKey::name() const {
  return (BuildID.empty() ? hex() : BuildID + "-" + hex()) + FileHash;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool areDigits(StringRef Text, size_t Count) {
  return Text.size() == Count && all_of(Text, isHexDigit);
}

/// Whether \p Text can be a result of buildIDInName.
static bool isBuildID(StringRef Text) {
  if (Text.consume_front(HashedBuildID))
    return areDigits(Text, KeyDigits);
  return !Text.empty() && Text.size() <= 2 * LongestBuildID &&
         areDigits(Text, alignTo(Text.size(), 2));
}

/// Whether \p Name is one of our names: that of an entry, or that of an
/// unfinished file, which consists of digits and an extension.
static bool isOurs(StringRef Name) {
  if (!Name.consume_front(Prefix))
    return false;
  StringRef Stem = sys::path::stem(Name);
  StringRef Extension = sys::path::extension(Name);
  if (Extension == UnfinishedExtension)
    return areDigits(Stem, UnfinishedDigits);
  auto [Rest, Hash] = Stem.rsplit(FileHashPrefix);
  if (areDigits(Hash, FileHashDigits))
    Stem = Rest;
  auto [BuildID, Key] = Stem.rsplit('-');
  if (Key.empty())
    std::swap(BuildID, Key);
  else if (!isBuildID(BuildID))
    return false;
  return Extension.size() > 1 && areDigits(Key, KeyDigits);
}

//===----------------------------------------------------------------------===//
// Location and limits
//===----------------------------------------------------------------------===//

std::string Cache::defaultFolder() {
  if (const char *Named = std::getenv("LIDIA_CACHE_DIR"); Named && *Named)
    return Named;
  return userCacheFolder("lidia");
}

Expected<CachePruningPolicy> Cache::parsePolicy(StringRef Text) {
  std::string All = "prune_after=720h:cache_size_bytes=10g";
  if (!Text.empty())
    All += (":" + Text).str();
  return parseCachePruningPolicy(All);
}

Expected<CachePruningPolicy> Cache::defaultPolicy() {
  const char *Text = std::getenv("LIDIA_CACHE_POLICY");
  Expected<CachePruningPolicy> Policy = parsePolicy(Text ? Text : "");
  if (!Policy)
    return make_error<ArgumentError>("",
                                     "LIDIA_CACHE_POLICY='" + Twine(Text) +
                                         "': " + toString(Policy.takeError()));
  return Policy;
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

Cache::Cache(StringRef Folder)
    : Folder(Folder.empty() ? defaultFolder() : Folder.str()) {}

Cache::~Cache() = default;

void Cache::disable() {
  std::lock_guard<std::mutex> Lock(Mutex);
  State = FolderState::Disabled;
}

bool Cache::isDisabled() {
  std::lock_guard<std::mutex> Lock(Mutex);
  return State == FolderState::Disabled;
}

/// Whether \p User is this user, or root, whose access nothing can prevent.
static bool isTrusted(uint32_t User) { return User == ::geteuid() || !User; }

/// Anybody who can create a file here can make the user read it, and make
/// pruneCache write through a link. \p Path must exist.
static Error checkOwner(StringRef Path) {
  sys::fs::file_status Link, Target;
  std::error_code EC = sys::fs::status(Path, Link, /*follow=*/false);
  if (!EC)
    EC = sys::fs::status(Path, Target);
  if (EC)
    return make_error<SystemError>(EC, "");
  if (!sys::fs::is_directory(Target))
    return make_error<ArgumentError>("", "not a directory");
  if (!isTrusted(Link.getUser()) || !isTrusted(Target.getUser()))
    return make_error<ArgumentError>("", "it belongs to another user");
  if (Target.permissions() & sys::fs::others_write)
    return make_error<ArgumentError>("", "it is world-writable (chmod o-w)");
  return Error::success();
}

Error Cache::checkFolder() const {
  if (Folder.empty())
    return make_error<ArgumentError>(
        "", "there is no home directory for a cache (set LIDIA_CACHE_DIR?)");
  auto Failed = [&](const Twine &Why) {
    return make_error<ArgumentError>("cannot use the cache " + Folder, Why);
  };
  if (std::error_code EC = sys::fs::create_directories(
          Folder, /*IgnoreExisting=*/true, sys::fs::owner_all))
    return Failed(EC.message());
  if (Error E = checkOwner(Folder))
    return Failed(toString(std::move(E)));
  return Error::success();
}

void Cache::giveUp(Error Why) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (State == FolderState::Disabled) {
      consumeError(std::move(Why));
      return;
    }
    State = FolderState::Disabled;
  }
  std::string Message = toString(std::move(Why));
  if (Warn)
    Warn(Message);
}

/// Whether the folder exists and is trusted. It is checked once.
bool Cache::ready() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (State != FolderState::Unchecked)
      return State == FolderState::Ready;
  }
  if (Error E = checkFolder()) {
    giveUp(std::move(E));
    return false;
  }
  std::lock_guard<std::mutex> Lock(Mutex);
  if (State == FolderState::Unchecked)
    State = FolderState::Ready;
  return State == FolderState::Ready;
}

std::string Cache::entryPath(const CacheKey &Key, StringRef Extension) const {
  SmallString<128> Path(Folder);
  sys::path::append(Path, Prefix + Key.name() + Extension);
  return Path.str().str();
}

//===----------------------------------------------------------------------===//
// Finding entries
//===----------------------------------------------------------------------===//

/// pruneCache uses the access time as the time of last use. With relatime,
/// reading updates it at most once a day, and with noatime never.
static void markUsed(StringRef Path) {
  struct timespec Times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  // A read-only cache works as well.
  (void)::utimensat(AT_FDCWD, Path.str().c_str(), Times, AT_SYMLINK_NOFOLLOW);
}

std::optional<std::string>
Cache::find(const CacheKey &Key, StringRef Extension,
            std::optional<std::chrono::seconds> MaxAge) {
  if (!ready())
    return std::nullopt;
  std::string Path = entryPath(Key, Extension);
  sys::fs::file_status Status;
  if (sys::fs::status(Path, Status, /*follow=*/false) ||
      !sys::fs::is_regular_file(Status) || !isTrusted(Status.getUser()))
    return std::nullopt;
  auto Age =
      std::chrono::system_clock::now() - Status.getLastModificationTime();
  // An entry from the future was made before the clock was set back: its age is
  // unknown, and it would stay until then.
  if (MaxAge && (Age > *MaxAge || Age < -*MaxAge))
    return std::nullopt;
  markUsed(Path);
  return Path;
}

Expected<std::string> Cache::get(const CacheKey &Key, StringRef Extension,
                                 WriteFunction Write, bool *Made) {
  std::optional<std::string> Found = find(Key, Extension);
  if (Made)
    *Made = !Found;
  if (Found)
    return *Found;
  return put(Extension, [&](raw_ostream &OS) -> Expected<CacheKey> {
    if (Error E = Write(OS))
      return E;
    return Key;
  });
}

//===----------------------------------------------------------------------===//
// Writing entries
//===----------------------------------------------------------------------===//

namespace {
/// Passes on what is written in pieces of 64 KiB. The kernel may keep a file in
/// blocks as large as the writes that made it, up to 2 MB, and maps a whole
/// block for a process that reads a byte of it.
class PieceStream : public raw_ostream {
public:
  explicit PieceStream(raw_ostream &To) : To(To) { SetBufferSize(Piece); }
  ~PieceStream() override { flush(); }

private:
  void write_impl(const char *Start, size_t Size) override {
    for (StringRef Rest(Start, Size); !Rest.empty();
         Rest = Rest.drop_front(std::min(Piece, Rest.size())))
      To << Rest.take_front(Piece);
    Passed += Size;
  }
  uint64_t current_pos() const override { return Passed; }

  static constexpr size_t Piece = 64 * 1024;
  raw_ostream &To;
  uint64_t Passed = 0;
};
} // namespace

/// Fills and closes \p File. \p Failure receives errors of the disk, as opposed
/// to those of \p Write.
static Expected<CacheKey>
fill(UnfinishedFile &File,
     function_ref<Expected<CacheKey>(raw_ostream &)> Write,
     std::error_code &Failure) {
  Expected<CacheKey> Key = [&] {
    PieceStream OS(File.os());
    return Write(OS);
  }();
  Failure = File.close();
  return Key;
}

/// Our files in \p Folder whose names satisfy \p Wanted, in no particular
/// order.
static Expected<std::vector<CacheEntry>>
readFolder(StringRef Folder, function_ref<bool(StringRef Name)> Wanted) {
  std::vector<CacheEntry> Entries;
  std::error_code EC;
  sys::fs::directory_iterator It(Folder, EC, /*follow_symlinks=*/false), End;
  for (; !EC && It != End; It.increment(EC)) {
    StringRef Name = sys::path::filename(It->path());
    if (!isOurs(Name) || !Wanted(Name))
      continue;
    // The file may already have been removed.
    sys::fs::file_status Status;
    if (!sys::fs::status(It->path(), Status, /*follow=*/false) &&
        sys::fs::is_regular_file(Status))
      Entries.push_back({It->path(), Status.getSize(),
                         Status.getLastAccessedTime(),
                         Status.getLastModificationTime()});
  }
  if (EC && EC != std::errc::no_such_file_or_directory)
    return make_error<SystemError>(EC, Folder);
  return Entries;
}

/// Removes unfinished files of killed processes. A process that is still
/// writing a removed file detects this at the rename, and continues without the
/// cache.
static void removeAbandoned(StringRef Folder) {
  Expected<std::vector<CacheEntry>> Unfinished =
      readFolder(Folder, [](StringRef Name) {
        return Name.ends_with(UnfinishedExtension);
      });
  if (!Unfinished)
    return consumeError(Unfinished.takeError());
  auto Now = std::chrono::system_clock::now();
  for (const CacheEntry &E : *Unfinished)
    // A time in the future means that the clock was set back.
    if (Now - E.Made > AbandonedAfter || E.Made - Now > AbandonedAfter)
      (void)::unlink(E.Path.c_str());
}

/// pruneCache stores the time of its last run in a file. Remove that file if it
/// would do harm: a pipe would block it, a link would be written through, and a
/// time in the future, from before the clock was set back, would disable
/// pruning.
static void pruneFolder(StringRef Folder, const CachePruningPolicy &Policy) {
  SmallString<128> Stamp(Folder);
  sys::path::append(Stamp, "llvmcache.timestamp");
  sys::fs::file_status Status;
  if (!sys::fs::status(Stamp, Status, /*follow=*/false) &&
      (!sys::fs::is_regular_file(Status) ||
       Status.getLastModificationTime() > std::chrono::system_clock::now()))
    (void)::unlink(Stamp.c_str());
  if (pruneCache(Folder, Policy))
    removeAbandoned(Folder);
}

/// Called before a new entry is written, so that the new one is not removed.
void Cache::pruneByDefault() {
  Expected<CachePruningPolicy> Policy = defaultPolicy();
  if (!Policy) {
    std::string Message = toString(Policy.takeError());
    bool First;
    {
      std::lock_guard<std::mutex> Lock(Mutex);
      First = !std::exchange(PolicyReported, true);
    }
    if (First && Warn)
      Warn(Message);
    Policy = parsePolicy("");
  }
  pruneFolder(Folder, *Policy);
}

/// None if the folder failed, which was reported, or if the file was removed.
Expected<std::optional<std::string>> Cache::putInFolder(StringRef Extension,
                                                        PutFunction Write) {
  auto Failed = [&](std::error_code EC) {
    giveUp(make_error<SystemError>(EC, "cannot write to the cache " + Folder));
    return std::nullopt;
  };
  if (!ready())
    return std::nullopt;
  pruneByDefault();
  OutputFileOptions Options;
  Options.RemoveOnSignals = RemoveOnSignals;
  // Otherwise an entry that lost its data in a power failure would give wrong
  // answers.
  Options.Sync = true;
  ErrorOr<UnfinishedFile> File = UnfinishedFile::create(
      Folder, Prefix, UnfinishedExtension, 0600, Options);
  if (!File)
    return Failed(File.getError());
  std::error_code EC;
  Expected<CacheKey> Key = fill(*File, Write, EC);
  if (EC) {
    consumeError(Key.takeError());
    return Failed(EC);
  }
  if (!Key)
    return Key.takeError();
  std::string Target = entryPath(*Key, Extension);
  EC = File->renameTo(Target);
  // Another process is emptying the cache; this is not an error.
  if (EC == std::errc::no_such_file_or_directory)
    return std::nullopt;
  if (EC)
    return Failed(EC);
  return Target;
}

Expected<std::string> Cache::putInPrivate(StringRef Extension,
                                          PutFunction Write) {
  SmallString<128> Temporary = temporaryFolder();
  removeAbandonedFiles(Temporary);
  OutputFileOptions Options;
  Options.RemoveOnSignals = RemoveOnSignals;
  ErrorOr<UnfinishedFile> File = UnfinishedFile::create(
      Temporary, PrivatePrefix, Extension, 0600, Options);
  if (!File)
    return temporaryFileError(File.getError());
  std::error_code EC;
  Expected<CacheKey> Key = fill(*File, Write, EC);
  if (EC) {
    consumeError(Key.takeError());
    return make_error<SystemError>(EC, File->path(),
                                   EC.message() + " (set TMPDIR?)");
  }
  if (!Key)
    return Key.takeError();
  std::lock_guard<std::mutex> Lock(Mutex);
  FileInUse InUse(File->path());
  PrivateFiles.push_back({std::move(*File), std::move(InUse)});
  return PrivateFiles.back().File.path();
}

Expected<std::string> Cache::put(StringRef Extension, PutFunction Write) {
  Expected<std::optional<std::string>> Path = putInFolder(Extension, Write);
  if (!Path)
    return Path.takeError();
  if (*Path)
    return std::move(**Path);
  return putInPrivate(Extension, Write);
}

bool Cache::isPrivate(StringRef Path) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return any_of(PrivateFiles,
                [&](const PrivateFile &F) { return F.File.path() == Path; });
}

void Cache::removePrivate(StringRef Path) {
  std::lock_guard<std::mutex> Lock(Mutex);
  PrivateFiles.remove_if(
      [&](const PrivateFile &F) { return F.File.path() == Path; });
}

void Cache::releasePrivate(StringRef Path) {
  std::lock_guard<std::mutex> Lock(Mutex);
  PrivateFiles.remove_if([&](PrivateFile &F) {
    if (F.File.path() != Path)
      return false;
    F.File.keep();
    return true;
  });
}

//===----------------------------------------------------------------------===//
// The whole folder
//===----------------------------------------------------------------------===//

Expected<std::vector<CacheEntry>> Cache::list() const {
  Expected<std::vector<CacheEntry>> Entries =
      readFolder(Folder, [](StringRef) { return true; });
  if (Entries)
    llvm::sort(*Entries, [](const CacheEntry &A, const CacheEntry &B) {
      return std::tie(B.LastUsed, A.Path) < std::tie(A.LastUsed, B.Path);
    });
  return Entries;
}

bool Cache::isEntry(StringRef Path) const {
  if (Folder.empty() || sys::path::parent_path(Path) != Folder ||
      !isOurs(sys::path::filename(Path)))
    return false;
  Error E = checkOwner(Folder);
  bool Trusted = !E;
  consumeError(std::move(E));
  return Trusted;
}

std::vector<CacheEntry>
Cache::entriesNamed(function_ref<bool(StringRef)> IsWanted) {
  if (!sys::fs::exists(Folder) || !ready())
    return {};
  Expected<std::vector<CacheEntry>> Entries = readFolder(Folder, IsWanted);
  if (!Entries) {
    giveUp(Entries.takeError());
    return {};
  }
  llvm::sort(*Entries, [](const CacheEntry &A, const CacheEntry &B) {
    return std::tie(B.Made, A.Path) < std::tie(A.Made, B.Path);
  });
  return std::move(*Entries);
}

std::vector<CacheEntry> Cache::entriesOf(ArrayRef<uint8_t> BuildID,
                                         StringRef Extension) {
  if (BuildID.empty())
    return {};
  std::string Start = Prefix + buildIDInName(BuildID) + "-";
  return entriesNamed([&](StringRef Name) {
    return Name.starts_with(Start) && Name.ends_with(Extension);
  });
}

std::vector<CacheEntry> Cache::entriesOfFile(ArrayRef<uint8_t> Hash,
                                             StringRef Extension) {
  if (Hash.empty())
    return {};
  std::string End = FileHashPrefix + toHex(Hash, true) + Extension.str();
  return entriesNamed([&](StringRef Name) {
    return Name.starts_with(Prefix) && Name.ends_with(End);
  });
}

bool Cache::mayHave(ArrayRef<uint8_t> BuildID) {
  sys::fs::file_status Status;
  if (BuildID.empty() || Folder.empty() || sys::fs::status(Folder, Status))
    return false;
  std::lock_guard<std::mutex> Lock(Mutex);
  if (KnownAt != Status.getLastModificationTime()) {
    KnownBuildIDs.clear();
    std::error_code EC;
    sys::fs::directory_iterator It(Folder, EC, /*follow_symlinks=*/false), End;
    for (; !EC && It != End; It.increment(EC)) {
      StringRef Name = sys::path::filename(It->path());
      if (Name.consume_front(Prefix))
        KnownBuildIDs.insert(Name.take_until([](char C) { return C == '-'; }));
    }
    // The folder's time may stay the same for changes in quick succession.
    KnownAt = Status.getLastModificationTime();
    if (std::chrono::system_clock::now() - *KnownAt < std::chrono::seconds(1))
      KnownAt.reset();
  }
  return KnownBuildIDs.contains(buildIDInName(BuildID));
}

static CacheRemoval sum(ArrayRef<CacheEntry> Entries) {
  CacheRemoval Sum;
  for (const CacheEntry &E : Entries) {
    ++Sum.Entries;
    Sum.Bytes += E.Size;
  }
  return Sum;
}

Expected<CacheRemoval> Cache::prune(CachePruningPolicy Policy) {
  Expected<std::vector<CacheEntry>> Before = list();
  if (!Before || Before->empty())
    return Before ? CacheRemoval() : Expected<CacheRemoval>(Before.takeError());
  if (Error E = checkFolder())
    return E;
  Policy.Interval = std::chrono::seconds(0);
  pruneFolder(Folder, Policy);
  erase_if(*Before,
           [](const CacheEntry &E) { return sys::fs::exists(E.Path); });
  return sum(*Before);
}

Expected<CacheRemoval> Cache::empty() {
  Expected<std::vector<CacheEntry>> Entries = list();
  if (!Entries)
    return Entries.takeError();
  Error Failed = Error::success();
  erase_if(*Entries, [&](const CacheEntry &E) {
    std::error_code EC = sys::fs::remove(E.Path);
    if (EC)
      Failed =
          joinErrors(std::move(Failed), make_error<SystemError>(EC, E.Path));
    return bool(EC);
  });
  if (Failed)
    return Failed;
  return sum(*Entries);
}

} // namespace lidia
