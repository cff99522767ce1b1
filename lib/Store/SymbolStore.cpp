//===- SymbolStore.cpp - Archives by build ID -----------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Store/SymbolStore.h"
#include "EndOfList.h"
#include "OpenObjectStore.h"
#include "Support/NilBuildID.h"
#include "Support/URLText.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Error.h"
#include "lidia/Store/BinaryNames.h"
#include "lidia/Store/BuildIDLists.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cerrno>
#include <cstdlib>
#include <set>

using namespace lidia;
using namespace llvm;

using Clock = std::chrono::steady_clock;

struct SymbolStore::Slot {
  /// Held while the archive is opened.
  std::timed_mutex Mutex;
  std::weak_ptr<const Archive> A;
  /// The same archive, if archives are kept open.
  std::shared_ptr<const Archive> Kept;
  /// The time until which the archive is known to be missing.
  Clock::time_point MissingUntil = Clock::time_point::min();
};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The longest build IDs are SHA-512 hashes.
static constexpr size_t LongestBuildID = 64;

StringRef lidia::whyNotABuildID(ArrayRef<uint8_t> BuildID) {
  if (BuildID.size() < 2)
    return "a build ID of a store has at least two bytes";
  if (BuildID.size() > LongestBuildID)
    return "a build ID of a store has at most 64 bytes";
  if (isNilBuildID(BuildID))
    return "a build ID of zeros identifies nothing";
  return "";
}

std::string SymbolStore::objectPrefix() const {
  switch (Options.Layout) {
  case StoreLayout::Pyroscope:
    return "symbolizer/" + Options.Tenant + "/";
  case StoreLayout::Debuginfod:
    return "buildid/";
  case StoreLayout::BuildID:
    break;
  }
  return ".build-id/";
}

/// Followed by the extension of a compressed archive.
static constexpr StringLiteral DebuginfodName = "/archive";

std::string SymbolStore::objectFolder(ArrayRef<uint8_t> BuildID) const {
  return objectPrefix() + toHex(BuildID, /*LowerCase=*/true) + "/";
}

/// The possible names of the object of \p BuildID; the first is that of a new
/// object.
SmallVector<std::string, 2>
SymbolStore::objectNames(ArrayRef<uint8_t> BuildID) const {
  std::string Digits = toHex(BuildID, /*LowerCase=*/true);
  if (Options.Layout == StoreLayout::Pyroscope)
    return {objectPrefix() + Digits};
  if (Options.Layout == StoreLayout::Debuginfod)
    return {objectPrefix() + Digits + DebuginfodName.str() +
            CompressedArchiveExtension};
  std::string Name =
      objectPrefix() + Digits.substr(0, 2) + "/" + Digits.substr(2);
  return {Name + CompressedArchiveExtension, Name + ArchiveExtension};
}

std::optional<SmallVector<uint8_t, 20>>
SymbolStore::buildIDOf(StringRef Object) const {
  StringRef Digits = Object;
  if (!Digits.consume_front(objectPrefix()))
    return std::nullopt;
  std::string Joined = Digits.str();
  if (Options.Layout == StoreLayout::Debuginfod) {
    if (!Digits.consume_back(CompressedArchiveExtension) ||
        !Digits.consume_back(DebuginfodName))
      return std::nullopt;
    Joined = Digits.str();
  }
  if (Options.Layout == StoreLayout::BuildID) {
    if (!Digits.consume_back(CompressedArchiveExtension) &&
        !Digits.consume_back(ArchiveExtension))
      return std::nullopt;
    auto [First, Rest] = Digits.split('/');
    if (First.size() != 2)
      return std::nullopt;
    Joined = (First + Rest).str();
  }
  std::string Bytes;
  if (!tryGetFromHex(Joined, Bytes) || Joined.size() % 2)
    return std::nullopt;
  SmallVector<uint8_t, 20> BuildID(arrayRefFromStringRef(Bytes));
  // Refuse capital letters, because look-ups do not use such names.
  if (!whyNotABuildID(BuildID).empty() ||
      !is_contained(objectNames(BuildID), Object))
    return std::nullopt;
  return BuildID;
}

/// The common beginning of the names of archives whose build IDs begin with
/// \p FirstBytes, at least two bytes.
std::string SymbolStore::namesBegin(ArrayRef<uint8_t> FirstBytes) const {
  std::string Name = objectNames(FirstBytes).front();
  StringRef Begin = Name;
  Begin.consume_back(CompressedArchiveExtension);
  if (Options.Layout == StoreLayout::Debuginfod)
    Begin.consume_back(DebuginfodName);
  return Begin.str();
}

std::string SymbolStore::location(ArrayRef<uint8_t> BuildID) const {
  return Objects->location(objectNames(BuildID).front());
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// The number of remembered other IDs for each archive that may be open.
static constexpr unsigned IDsPerArchive = 64;

SymbolStore::SymbolStore(std::unique_ptr<ObjectStore> Objects,
                         const SymbolStoreOptions &Options)
    : Options(Options), Objects(std::move(Objects)), Slots(Options.MaxArchives),
      OtherIDs(size_t(std::max(Options.MaxArchives, 1u)) * IDsPerArchive) {}

SymbolStore::~SymbolStore() = default;

/// Whether \p Tenant can be a part of a name in every store, and is not "." or
/// "..".
static bool isTenant(StringRef Tenant) {
  return !Tenant.empty() && Tenant.size() <= 150 && Tenant != "." &&
         Tenant != ".." && all_of(Tenant, [](char C) {
           return isAlnum(C) || StringRef("!-_.*'()").contains(C);
         });
}

Expected<std::unique_ptr<SymbolStore>>
SymbolStore::open(StringRef Where, const SymbolStoreOptions &Options) {
  if (!isTenant(Options.Tenant))
    return make_error<ArgumentError>(
        Where, "'" + Options.Tenant + "' is not the name of a tenant");
  Expected<std::unique_ptr<ObjectStore>> Objects =
      openObjectStore(Where, Options.Output, Options.WriteToken);
  if (!Objects)
    return Objects.takeError();
  return std::unique_ptr<SymbolStore>(
      new SymbolStore(std::move(*Objects), Options));
}

namespace {
/// The implementation of openArchiveSource().
class StoreSource {
public:
  explicit StoreSource(std::unique_ptr<SymbolStore> Store)
      : Store(std::move(Store)) {}
  ~StoreSource();

  Expected<std::shared_ptr<const Archive>> archive(ArrayRef<uint8_t> BuildID);
  SymbolStore &store() { return *Store; }

private:
  const std::unique_ptr<SymbolStore> Store;
  std::mutex Mutex;
  /// The archives that were used, each once however often.
  std::set<StoreBuildID> Used;
};
} // namespace

/// Records in a folder what was used, as far as this user may write to it: the
/// times of the system are those of backups, too.
StoreSource::~StoreSource() {
  if (isRecordable(*Store))
    consumeError(recordUse(*Store, {Used.begin(), Used.end()}));
}

Expected<std::shared_ptr<const Archive>>
StoreSource::archive(ArrayRef<uint8_t> BuildID) {
  Expected<std::shared_ptr<const Archive>> A = Store->archive(BuildID);
  if (A) {
    std::lock_guard<std::mutex> Lock(Mutex);
    Used.emplace(BuildID);
  }
  return A;
}

Expected<std::unique_ptr<SymbolStore>>
lidia::openFilledStore(StringRef Where, SymbolStoreOptions O) {
  Expected<std::unique_ptr<SymbolStore>> Store = SymbolStore::open(Where, O);
  if (!Store)
    return Store.takeError();
  Error E = (*Store)->checkFilled();
  if (!E)
    return Store;
  O.Layout = StoreLayout::Debuginfod;
  Store = SymbolStore::open(Where, O);
  if (!Store)
    return joinErrors(std::move(E), Store.takeError());
  if (Error Other = (*Store)->checkFilled()) {
    consumeError(std::move(Other));
    return E;
  }
  consumeError(std::move(E));
  return Store;
}

Expected<ArchiveSource> lidia::openArchiveSource(StringRef Where,
                                                 const OpenOptions &Options) {
  SymbolStoreOptions O;
  O.Open = Options;
  // The client keeps the archives open.
  O.KeepOpen = false;
  O.Patience = storePatience();
  Expected<std::unique_ptr<SymbolStore>> Store = openFilledStore(Where, O);
  if (!Store)
    return Store.takeError();
  auto Source = std::make_shared<StoreSource>(std::move(*Store));
  return ArchiveSource{
      [Source](ArrayRef<uint8_t> BuildID) { return Source->archive(BuildID); },
      [Source](ArrayRef<uint8_t> FileHash) {
        return Source->store().buildIDOfFile(FileHash);
      }};
}

Error SymbolStore::missing(ArrayRef<uint8_t> BuildID) const {
  return make_error<SystemError>(
      std::make_error_code(std::errc::no_such_file_or_directory),
      toHex(BuildID, /*LowerCase=*/true),
      isNilBuildID(BuildID) ? "a build ID of zeros identifies nothing"
                            : "no archive of this build ID in " + name());
}

/// Fails if \p A, which is at \p Where, does not have \p BuildID.
Error SymbolStore::check(const Archive &A, ArrayRef<uint8_t> BuildID,
                         StringRef Where) const {
  const auto &Info = A.info();
  // Archives of version 1 do not contain a build ID.
  if (!Info && Options.Layout == StoreLayout::Pyroscope)
    return Error::success();
  if (Info && Info->BuildID == BuildID)
    return Error::success();
  std::string Own =
      Info && !Info->BuildID.empty()
          ? "has the build ID " + toHex(Info->BuildID, /*LowerCase=*/true)
          : "has no build ID";
  return make_error<DamagedError>(
      isFar() ? urlForMessages(Where) : Where.str(),
      "the archive " + Own +
          ", which does not match its name: remove the object");
}

static bool isMissing(const ErrorInfoBase &Info) {
  return Info.convertToErrorCode() == std::errc::no_such_file_or_directory;
}

Expected<Archive> SymbolStore::openObject(ArrayRef<uint8_t> BuildID) {
  for (const std::string &Object : objectNames(BuildID)) {
    std::string Where = Objects->location(Object);
    if (!isFar())
      if (Expected<bool> IsThere = Objects->exists(Object); !IsThere)
        return IsThere.takeError();
    // The file may be replaced by a pipe in the meantime.
    OpenOptions Open = Options.Open;
    Open.RegularOnly = true;
    Expected<Archive> A =
        openArchiveAt(Where, Open, nullptr, Objects->totals());
    if (A) {
      if (Error E = check(*A, BuildID, Where))
        return E;
      return A;
    }
    bool IsMissing = false;
    Error E = handleErrors(A.takeError(),
                           [&](std::unique_ptr<ErrorInfoBase> Info) -> Error {
                             IsMissing = isMissing(*Info);
                             if (IsMissing)
                               return Error::success();
                             return Error(std::move(Info));
                           });
    if (!IsMissing)
      return E;
    consumeError(std::move(E));
  }
  return missing(BuildID);
}

//===----------------------------------------------------------------------===//
// Outages
//===----------------------------------------------------------------------===//

/// The first pause before a store that failed is asked again, which doubles,
/// and the longest one.
static constexpr std::chrono::milliseconds FirstPause{200}, LongestPause{3000};

static std::error_code errorCode(int Number) {
  return std::error_code(Number, std::generic_category());
}

/// Makes an OutageError of an error of the local system that does not show
/// whether the file exists. Returns others as they are.
static std::unique_ptr<LidiaError> findOutage(Error E) {
  std::unique_ptr<LidiaError> Ours = toLidiaError(std::move(E));
  const ErrorInfoBase &Base = *Ours;
  if (Base.isA<OutageError>() || !Base.isA<SystemError>())
    return Ours;
  std::error_code Code = errorCode(Ours->convertToErrorCode().value());
  if (!is_contained({errorCode(EMFILE), errorCode(ENFILE), errorCode(ENOMEM),
                     errorCode(ETIMEDOUT), errorCode(ENOTCONN),
                     errorCode(EHOSTDOWN)},
                    Code))
    return Ours;
  return std::make_unique<OutageError>(Code, "", Ours->message(),
                                       /*IsGeneral=*/true);
}

std::chrono::seconds lidia::storePatience() {
  constexpr std::chrono::seconds Default{30};
  const char *Value = std::getenv("LIDIA_STORE_TIMEOUT");
  unsigned Seconds;
  if (Value && to_integer(Value, Seconds, 10) && Seconds <= 24 * 3600)
    return std::chrono::seconds(Seconds);
  return Default;
}

Error SymbolStore::outage() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Clock::now() < OutageUntil ? Outage.get() : Error::success();
}

Expected<Archive> SymbolStore::openPatiently(ArrayRef<uint8_t> BuildID) {
  if (Error E = outage())
    return E;
  const Clock::time_point Deadline = Clock::now() + Options.Patience;
  for (auto Pause = FirstPause;; Pause = std::min(Pause * 2, LongestPause)) {
    Expected<Archive> A = openObject(BuildID);
    if (A)
      return A;
    std::unique_ptr<LidiaError> Why = findOutage(A.takeError());
    const ErrorInfoBase &Base = *Why;
    if (!Base.isA<OutageError>())
      return Error(std::move(Why));
    bool MayEnd = isFar() && !endsStore(Why->convertToErrorCode());
    if (!MayEnd || Clock::now() + Pause >= Deadline)
      return endInOutage(std::move(Why));
    if (!sleepUnlessInterrupted(Pause))
      return cancelledError(name());
    ++Objects->totals()->Retries;
  }
}

Error SymbolStore::endInOutage(std::unique_ptr<LidiaError> Why) {
  RememberedError Known{Error(std::move(Why))};
  std::lock_guard<std::mutex> Lock(Mutex);
  handleAllErrors(Known.get(), [&](const OutageError &E) {
    if (!E.isGeneral())
      return;
    Outage = Known;
    OutageUntil = Clock::now() + Options.OutageLifetime;
  });
  return Known.get();
}

/// Opens the archive of \p S, unless it is known to be missing.
Expected<std::shared_ptr<const Archive>>
SymbolStore::openSlot(Slot &S, ArrayRef<uint8_t> BuildID) {
  Clock::time_point Start = Clock::now();
  if (Start < S.MissingUntil)
    return missing(BuildID);
  Expected<Archive> A = openPatiently(BuildID);
  Clock::time_point End = Clock::now();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Statistics.OpenTime += std::chrono::nanoseconds(End - Start).count();
    Statistics.Opened += bool(A);
  }
  if (!A)
    return handleErrors(A.takeError(),
                        [&](std::unique_ptr<ErrorInfoBase> Info) -> Error {
                          if (isMissing(*Info))
                            S.MissingUntil = End + Options.MissingLifetime;
                          return Error(std::move(Info));
                        });
  auto Open = std::make_shared<const Archive>(std::move(*A));
  S.A = Open;
  if (Options.KeepOpen)
    S.Kept = Open;
  return Open;
}

Expected<std::shared_ptr<const Archive>>
SymbolStore::archive(ArrayRef<uint8_t> BuildID) {
  std::string Digits = toHex(BuildID, /*LowerCase=*/true);
  if (isNilBuildID(BuildID))
    return missing(BuildID);
  if (StringRef Why = whyNotABuildID(BuildID); !Why.empty())
    return make_error<ArgumentError>(Digits, Why);
  std::shared_ptr<Slot> S;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::shared_ptr<Slot> *Known = Slots.find(Digits);
    S = Known ? *Known : Slots.add(Digits, std::make_shared<Slot>());
  }
  std::unique_lock<std::timed_mutex> Lock = lockUnlessInterrupted(S->Mutex);
  if (!Lock)
    return cancelledError(name());
  if (std::shared_ptr<const Archive> Open = S->A.lock()) {
    std::lock_guard<std::mutex> Count(Mutex);
    ++Statistics.Reused;
    return Open;
  }
  Expected<std::shared_ptr<const Archive>> Open = openSlot(*S, BuildID);
  if (Open)
    return Open;
  return handleErrors(
      Open.takeError(), [&](std::unique_ptr<ErrorInfoBase> Info) -> Error {
        std::lock_guard<std::mutex> Count(Mutex);
        Statistics.Unanswered += Info->isA<OutageError>();
        if (!isMissing(*Info))
          ++Statistics.Failed;
        else {
          ++Statistics.Missing;
          if (Statistics.MissingIDs.size() < StoreStatistics::MaxMissingIDs ||
              Statistics.MissingIDs.count(Digits))
            ++Statistics.MissingIDs[Digits];
        }
        return Error(std::move(Info));
      });
}

bool SymbolStore::isKnown(ArrayRef<uint8_t> BuildID) {
  std::shared_ptr<Slot> S;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (std::shared_ptr<Slot> *Known =
            Slots.find(toHex(BuildID, /*LowerCase=*/true)))
      S = *Known;
  }
  // Held while the archive is opened.
  std::unique_lock<std::timed_mutex> Lock;
  if (S)
    Lock = std::unique_lock<std::timed_mutex>(S->Mutex, std::try_to_lock);
  return Lock.owns_lock() &&
         (!S->A.expired() || Clock::now() < S->MissingUntil);
}

StoreStatistics &StoreStatistics::operator+=(const StoreStatistics &Other) {
  for (uint64_t StoreStatistics::*Sum :
       {&StoreStatistics::Opened, &StoreStatistics::OpenTime,
        &StoreStatistics::Reused, &StoreStatistics::Missing,
        &StoreStatistics::Failed, &StoreStatistics::Unanswered,
        &StoreStatistics::Requests, &StoreStatistics::Retries,
        &StoreStatistics::BytesRead, &StoreStatistics::BytesWritten})
    this->*Sum += Other.*Sum;
  for (const auto &ID : Other.MissingIDs)
    if (MissingIDs.size() < MaxMissingIDs || MissingIDs.count(ID.first()))
      MissingIDs[ID.first()] += ID.second;
  return *this;
}

StoreStatistics SymbolStore::statistics() const {
  StoreStatistics F;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    F = Statistics;
  }
  const RequestTotals &Sum = *Objects->totals();
  F.Requests = Sum.Requests;
  F.Retries = Sum.Retries;
  F.BytesRead = Sum.BytesRead;
  F.BytesWritten = Sum.BytesWritten;
  return F;
}

void lidia::printMetrics(raw_ostream &OS, const StoreStatistics &F) {
  auto Print = [&](StringRef Name, StringRef Help, const Twine &Value) {
    OS << "# HELP lidia_store_" << Name << ' ' << Help
       << "\n# TYPE lidia_store_" << Name << " counter\nlidia_store_" << Name
       << ' ' << Value << '\n';
  };
  Print("opened_total", "Archives opened", Twine(F.Opened));
  Print("open_seconds_total", "Time to open archives",
        formatv("{0:F6}", double(F.OpenTime) / 1e9).str());
  Print("reused_total", "Requests for archives that were open",
        Twine(F.Reused));
  Print("missing_total", "Requests for archives that the store does not have",
        Twine(F.Missing));
  Print("failed_total", "Requests for archives that could not be read",
        Twine(F.Failed));
  Print("unanswered_total",
        "Requests for archives while the store did not answer",
        Twine(F.Unanswered));
  Print("requests_total", "Requests to the store's server", Twine(F.Requests));
  Print("retries_total", "Requests that were sent again", Twine(F.Retries));
  Print("read_bytes_total", "Bytes read from the store's server",
        Twine(F.BytesRead));
  Print("written_bytes_total", "Bytes written to the store's server",
        Twine(F.BytesWritten));
}

/// Whether \p ID is the debug ID of the archive of \p BuildID. An archive
/// without such information is treated as that of a little-endian ELF file.
Expected<bool> SymbolStore::isOf(ArrayRef<uint8_t> BuildID, const DebugID &ID) {
  Expected<std::shared_ptr<const Archive>> A = archive(BuildID);
  if (!A)
    return A.takeError();
  if (const auto &Info = (*A)->info())
    return debugID(*Info, Info->BuildID) == ID;
  return debugID(ELFIdentity(), BuildID) == ID;
}

std::optional<SmallVector<uint8_t, 20>>
SymbolStore::knownBuildID(const DebugID &ID) {
  return knownID(ID.text());
}

std::optional<SmallVector<uint8_t, 20>> SymbolStore::knownID(StringRef ID) {
  std::lock_guard<std::mutex> Lock(Mutex);
  KnownID *Known = OtherIDs.find(ID);
  if (!Known ||
      (Known->BuildID.empty() &&
       (Clock::now() >= Known->MissingUntil || Known->MissingAfter != Changes)))
    return std::nullopt;
  return Known->BuildID;
}

/// The build ID that \p Search finds for \p ID, an empty one if there is none,
/// or what is known of an earlier search. \p Kind is for the error.
Expected<SmallVector<uint8_t, 20>>
SymbolStore::findID(StringRef ID, StringRef Kind,
                    function_ref<Expected<SmallVector<uint8_t, 20>>()> Search) {
  auto Missing = [&] {
    return make_error<SystemError>(
        std::make_error_code(std::errc::no_such_file_or_directory), ID,
        "no archive of this " + Kind + " in " + name());
  };
  if (auto Known = knownID(ID)) {
    if (Known->empty())
      return Missing();
    return std::move(*Known);
  }
  KnownID Now;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Now.MissingAfter = Changes;
  }
  if (Error E = Search().moveInto(Now.BuildID)) {
    std::unique_ptr<LidiaError> Why = toLidiaError(std::move(E));
    if (!isMissing(*Why))
      return Error(std::move(Why));
  }
  Now.MissingUntil = Clock::now() + Options.MissingLifetime;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (KnownID *Old = OtherIDs.find(ID))
      *Old = Now;
    else
      OtherIDs.add(ID, Now);
  }
  if (Now.BuildID.empty())
    return Missing();
  return std::move(Now.BuildID);
}

Expected<SmallVector<uint8_t, 20>> SymbolStore::findBuildID(const DebugID &ID) {
  return findID(ID.text(), "debug ID", [&] { return searchBuildID(ID); });
}

Expected<SmallVector<uint8_t, 20>>
SymbolStore::buildIDOfFile(ArrayRef<uint8_t> FileHash) {
  // Debug IDs have upper-case letters, and more digits.
  std::string Digits = toHex(FileHash, /*LowerCase=*/true);
  return findID(Digits, "htlhash", [&]() -> Expected<SmallVector<uint8_t, 20>> {
    auto Told = Objects->buildIDOf("htlhash", Digits);
    if (!Told)
      return Told.takeError();
    if (*Told)
      return std::move(**Told);
    return findFileHash(*Objects, FileHash, [&](ArrayRef<uint8_t> BuildID) {
      return contains(BuildID);
    });
  });
}

/// findBuildID() without its memory. An empty build ID if there is none.
Expected<SmallVector<uint8_t, 20>>
SymbolStore::searchBuildID(const DebugID &ID) {
  Expected<std::optional<SmallVector<uint8_t, 20>>> Told =
      Objects->buildIDOf("debugid", ID.text());
  if (!Told || *Told)
    return Told ? Expected<SmallVector<uint8_t, 20>>(std::move(**Told))
                : Told.takeError();
  std::array<uint8_t, 16> GUID = ID.guid();
  // The first bytes of build IDs: of little-endian ELF files, and of all
  // others.
  for (ArrayRef<uint8_t> FirstBytes : {ArrayRef(GUID), ArrayRef(ID.UUID)}) {
    // In the debug ID, a short build ID is followed by zeros.
    while (FirstBytes.size() > 2 && FirstBytes.back() == 0)
      FirstBytes = FirstBytes.drop_back();
    SmallVector<SmallVector<uint8_t, 20>, 1> Found;
    constexpr unsigned Max = 16;
    auto Visit = [&](const StoredObject &Object) -> Error {
      if (auto BuildID = buildIDOf(Object.Name);
          BuildID && !is_contained(Found, *BuildID))
        Found.push_back(std::move(*BuildID));
      if (Found.size() == Max)
        return make_error<EndOfList>();
      return Error::success();
    };
    Error E = Objects->list(namesBegin(FirstBytes), Visit, Max);
    if (Error Other = handleErrors(std::move(E), [](const EndOfList &) {}))
      return Other;
    for (const SmallVector<uint8_t, 20> &BuildID : Found) {
      Expected<bool> Is = isOf(BuildID, ID);
      if (!Is)
        return Is.takeError();
      if (*Is)
        return BuildID;
    }
  }
  return SmallVector<uint8_t, 20>();
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

Expected<std::optional<StoredArchive>> SymbolStore::any() {
  std::optional<StoredArchive> Found;
  // The visitor ends the list with an error.
  auto Visit = [&](const StoredObject &Object) -> Error {
    auto BuildID = buildIDOf(Object.Name);
    if (!BuildID)
      return Error::success();
    Found = StoredArchive{Object, std::move(*BuildID)};
    return make_error<EndOfList>();
  };
  Error E = Objects->listSome(objectPrefix(), Visit);
  E = handleErrors(std::move(E), [](const EndOfList &) {});
  if (E)
    return E;
  return Found;
}

Error SymbolStore::checkFilled() {
  if (Error E = Objects->checkPlace())
    return E;
  Expected<std::optional<StoredArchive>> Found = any();
  if (!Found)
    return handleErrors(
        Found.takeError(), [](std::unique_ptr<ErrorInfoBase> Info) -> Error {
          // The keys may allow only single objects.
          if (Info->convertToErrorCode() == std::errc::permission_denied)
            return Error::success();
          return Error(std::move(Info));
        });
  if (*Found)
    return Error::success();
  return make_error<SystemError>(
      std::make_error_code(std::errc::no_such_file_or_directory), name(),
      "the store is empty: no archive is named " + objectPrefix() +
          "... in it: check the name of the store");
}

Expected<std::string> SymbolStore::find(ArrayRef<uint8_t> BuildID) {
  if (StringRef Why = whyNotABuildID(BuildID); !Why.empty())
    return make_error<ArgumentError>(toHex(BuildID, /*LowerCase=*/true), Why);
  for (const std::string &Object : objectNames(BuildID)) {
    Expected<bool> IsThere = Objects->exists(Object);
    if (!IsThere)
      return IsThere.takeError();
    if (*IsThere)
      return Objects->location(Object);
  }
  return missing(BuildID);
}

Expected<bool> SymbolStore::contains(ArrayRef<uint8_t> BuildID) {
  if (!whyNotABuildID(BuildID).empty())
    return false;
  for (const std::string &Object : objectNames(BuildID)) {
    Expected<bool> IsThere = Objects->exists(Object);
    if (!IsThere || *IsThere)
      return IsThere;
  }
  return false;
}

Expected<bool> SymbolStore::add(ArrayRef<uint8_t> BuildID, StringRef File,
                                PutMode Mode) {
  if (StringRef Why = whyNotABuildID(BuildID); !Why.empty())
    return make_error<ArgumentError>(toHex(BuildID, /*LowerCase=*/true), Why);
  Expected<bool> Added = Objects->put(objectNames(BuildID).front(), File, Mode);
  if (Added && *Added)
    forget(BuildID);
  return Added;
}

/// Whether \p A and \p B have the same contents, as far as their checksums say.
static bool isSame(const Archive &A, const Archive &B) {
  auto Begin = [](const Archive &Of) {
    return Of.buffer().getBuffer().take_front(sizeof(format::Header));
  };
  auto Directory = [](const Archive &Of) {
    return Of.extension().take_front(sizeof(format::ExtensionHeader) +
                                     Of.extensionSections().size() *
                                         sizeof(format::ExtensionSection));
  };
  return A.hasChecksums() && B.hasChecksums() && Begin(A) == Begin(B) &&
         Directory(A) == Directory(B);
}

Expected<std::shared_ptr<const Archive>>
SymbolStore::openAgain(ArrayRef<uint8_t> BuildID,
                       std::shared_ptr<const Archive> Open) {
  Expected<Archive> A = openObject(BuildID);
  if (A && isSame(*A, *Open))
    return Open;
  if (A) {
    forget(BuildID);
    return archive(BuildID);
  }
  std::unique_ptr<LidiaError> Why = toLidiaError(A.takeError());
  if (!isMissing(*Why))
    return Open;
  forget(BuildID);
  return Error(std::move(Why));
}

void SymbolStore::forget(ArrayRef<uint8_t> BuildID) {
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Changes;
  if (std::shared_ptr<Slot> *Known =
          Slots.find(toHex(BuildID, /*LowerCase=*/true)))
    *Known = std::make_shared<Slot>();
}

Error SymbolStore::forEach(function_ref<Error(const StoredArchive &)> Visit) {
  return Objects->list(objectPrefix(),
                       [&](const StoredObject &Object) -> Error {
                         auto BuildID = buildIDOf(Object.Name);
                         if (!BuildID)
                           return Error::success();
                         return Visit({Object, std::move(*BuildID)});
                       });
}

Expected<std::vector<StoredArchive>>
SymbolStore::list(StringRef Digits, size_t Max, ArrayRef<uint8_t> After) {
  std::string Begin = objectPrefix();
  if (Options.Layout == StoreLayout::BuildID && Digits.size() >= 2)
    Begin += (Digits.take_front(2) + "/" + Digits.drop_front(2)).str();
  else
    Begin += Digits.str();
  std::vector<StoredArchive> Found;
  auto Visit = [&](const StoredObject &Object) -> Error {
    if (Found.size() == Max)
      return make_error<EndOfList>();
    if (auto BuildID = buildIDOf(Object.Name))
      Found.push_back({Object, std::move(*BuildID)});
    return Error::success();
  };
  // "0" comes after what follows a build ID ("." and "/"), and before the
  // longer build IDs that begin with it.
  std::string Last = After.empty() ? "" : namesBegin(After) + "0";
  Error E = Objects->list(Begin, Visit, unsigned(Max), Last);
  if (Error Other = handleErrors(std::move(E), [](const EndOfList &) {}))
    return Other;
  return Found;
}

Error SymbolStore::verifyObject(StringRef Where, ArrayRef<uint8_t> BuildID) {
  Expected<Archive> A = openWholeArchiveAt(Where);
  if (!A)
    return A.takeError();
  if (Error E = check(*A, BuildID, Where))
    return E;
  // Not all writers store checksums, but archives for Pyroscope must have them.
  Error Sums = A->verifyChecksums();
  if (Sums.isA<ArgumentError>() && Options.Layout != StoreLayout::Pyroscope)
    consumeError(std::move(Sums));
  else if (Sums)
    return Sums;
  return lidia::verify(*A);
}

Error SymbolStore::verify(const StoredArchive &A) {
  return verifyObject(Objects->location(A.Object.Name), A.BuildID);
}

Error SymbolStore::verify(ArrayRef<uint8_t> BuildID) {
  Expected<std::string> Where = find(BuildID);
  if (!Where)
    return Where.takeError();
  return verifyObject(*Where, BuildID);
}

Error SymbolStore::remove(const StoredArchive &A) {
  // Remove the archive first, because the other objects are not used without
  // it.
  if (Error E = Objects->remove(A.Object.Name))
    return E;
  if (Options.Layout != StoreLayout::Debuginfod)
    return Error::success();
  std::vector<std::string> Names;
  Error E = Objects->list(objectFolder(A.BuildID), [&](const StoredObject &O) {
    Names.push_back(O.Name);
    return Error::success();
  });
  for (const std::string &Name : Names)
    if (!E)
      E = Objects->remove(Name);
  return E;
}
