//===- FacadeSymbolizer.cpp - Many archives behind the facade -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchivesAhead.h"
#include "FacadeArchives.h"
#include "FacadeErrors.h"
#include "lidia/Store/BuildIDLists.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Store/SymbolStore.h"
#include "lidia/Support/ForkLocal.h"
#include "lidia/Support/RecentlyUsed.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace lidia;
using namespace lidia::python;
using namespace llvm;

using AnswersPointer = std::shared_ptr<arrow::ArchiveAnswers>;

namespace {

/// Locates archives.
class ArchivePlaces {
public:
  virtual ~ArchivePlaces() = default;
  /// Opens the archive of \p BuildID, unless the caller has already opened it:
  /// then sets \p Known to its answers.
  virtual Expected<std::shared_ptr<const Archive>>
  open(ArrayRef<uint8_t> BuildID, AnswersPointer &Known) = 0;
  /// The archive of \p BuildID is damaged: open() must open it again.
  virtual void forget(ArrayRef<uint8_t>) {}
  /// Whether opening takes round trips to another machine.
  virtual bool isFar() const { return false; }
  /// None without a store.
  virtual std::optional<StoreStatistics> statistics() { return std::nullopt; }
  virtual Error recordUse(std::vector<StoreBuildID>) {
    return make_error<ArgumentError>("", "use is recorded in stores only");
  }
};

/// A store.
class StorePlaces final : public ArchivePlaces {
public:
  explicit StorePlaces(std::unique_ptr<SymbolStore> Store)
      : Store(std::move(Store)) {}

  Expected<std::shared_ptr<const Archive>> open(ArrayRef<uint8_t> BuildID,
                                                AnswersPointer &) override {
    return Store->archive(BuildID);
  }
  void forget(ArrayRef<uint8_t> BuildID) override { Store->forget(BuildID); }
  bool isFar() const override { return Store->isFar(); }
  std::optional<StoreStatistics> statistics() override {
    return Store->statistics();
  }
  Error recordUse(std::vector<StoreBuildID> IDs) override {
    return lidia::recordUse(*Store, std::move(IDs));
  }

private:
  const std::unique_ptr<SymbolStore> Store;
};

/// Archives that the caller listed.
class NamedPlaces final : public ArchivePlaces {
public:
  NamedPlaces(StringMap<ArchivePlace> Places, FileAccess Access)
      : Places(std::move(Places)), Access(Access) {}

  Expected<std::shared_ptr<const Archive>> open(ArrayRef<uint8_t> BuildID,
                                                AnswersPointer &Known) override;

private:
  StringMap<ArchivePlace> Places;
  FileAccess Access;
};

/// What a symbolizer has in one process.
struct OpenArchives {
  OpenArchives(std::unique_ptr<ArchivePlaces> Places,
               const StoreOptions &Options)
      : Places(std::move(Places)),
        Open(Options.MaxArchives, Options.MaxMemory) {}

  std::optional<StoreStatistics> storeStatistics();

  const std::unique_ptr<ArchivePlaces> Places;
  /// Guards the members below.
  std::mutex Mutex;
  /// By build ID as hexadecimal digits.
  RecentlyUsed<AnswersPointer> Open;
  /// The number of requests for open archives.
  uint64_t Reused = 0;
  /// Build IDs that were found and are not recorded yet.
  StringSet<> Used;
};

class OpenedSymbolizer final : public SymbolizerHandle {
public:
  using PlacesMaker = std::function<Expected<std::unique_ptr<ArchivePlaces>>()>;

  OpenedSymbolizer(PlacesMaker MakePlaces, const StoreOptions &Options)
      : MakePlaces(std::move(MakePlaces)), Options(Options) {}

  /// Fails only if the places cannot be made.
  Expected<OpenArchives &> open();

  Result<FrameTablePointer> symbolize(const BuildIDs &IDs,
                                      const ArrowColumn &Addresses,
                                      bool AreReturns,
                                      const Interest &GoOn) override;
  SymbolizerStatistics statistics() override;
  std::string metrics() override;
  Result<Nothing> recordUse() override;
  Result<std::vector<FrameList>> lookup(const std::string &BuildID,
                                        const std::vector<uint64_t> &Addresses,
                                        bool AreReturns) override;

private:
  Expected<AnswersPointer> find(ArrayRef<uint8_t> BuildID);

  const PlacesMaker MakePlaces;
  const StoreOptions Options;
  PerProcess<OpenArchives> Opened;
};

} // namespace

static Expected<std::shared_ptr<const Archive>> openAt(StringRef Where,
                                                       FileAccess Access) {
  Expected<Archive> A = openArchiveAt(Where, Access);
  if (!A)
    return A.takeError();
  return std::make_shared<const Archive>(std::move(*A));
}

Expected<std::shared_ptr<const Archive>>
NamedPlaces::open(ArrayRef<uint8_t> BuildID, AnswersPointer &Known) {
  std::string ID = toHex(BuildID, /*LowerCase=*/true);
  auto It = Places.find(ID);
  if (It == Places.end())
    return make_error<SystemError>(
        std::make_error_code(std::errc::no_such_file_or_directory), "",
        "no archive was given for the build ID " + ID);
  if (const auto *Path = std::get_if<std::string>(&It->second))
    return openAt(*Path, Access);
  Known = answersOf(*std::get<ArchiveHandle::Pointer>(It->second));
  return nullptr;
}

/// The maximum number of bytes that an open archive can take, without the names
/// that were requested. The file system's cache is not counted.
static uint64_t maxMemoryOf(const Archive &A) {
  constexpr uint64_t Unpacked = OpenOptions::DefaultFrameCacheSize,
                     Fetched = uint64_t(16) << 20;
  return (A.isPaged() ? std::min(A.size(), Unpacked) : 0) +
         (A.isFar() ? std::min(A.size(), Fetched) : 0);
}

Expected<OpenArchives &> OpenedSymbolizer::open() {
  return Opened.get([&]() -> Expected<std::unique_ptr<OpenArchives>> {
    Expected<std::unique_ptr<ArchivePlaces>> Places = MakePlaces();
    if (!Places)
      return Places.takeError();
    return std::make_unique<OpenArchives>(std::move(*Places), Options);
  });
}

/// Finds the answers for \p BuildID. Opens archives again that were damaged at
/// their last use, because they may have been replaced, or their server may
/// answer now.
Expected<AnswersPointer> OpenedSymbolizer::find(ArrayRef<uint8_t> BuildID) {
  std::string ID = toHex(BuildID, /*LowerCase=*/true);
  Expected<OpenArchives &> S = open();
  if (!S)
    return S.takeError();
  {
    std::lock_guard<std::mutex> Lock(S->Mutex);
    if (AnswersPointer *Known = S->Open.find(ID)) {
      if (!errorToBool((*Known)->archive().damage())) {
        ++S->Reused;
        S->Used.insert(ID);
        return *Known;
      }
      S->Places->forget(BuildID);
    }
  }
  AnswersPointer Result;
  auto A = S->Places->open(BuildID, Result);
  if (!A)
    return A.takeError();
  if (!Result)
    Result = std::make_shared<arrow::ArchiveAnswers>(
        std::move(*A), answersOptions(Options.Archive));
  std::lock_guard<std::mutex> Lock(S->Mutex);
  S->Used.insert(ID);
  if (AnswersPointer *Known = S->Open.find(ID))
    *Known = Result;
  else
    S->Open.add(ID, Result, maxMemoryOf(Result->archive()));
  return Result;
}

Result<FrameTablePointer>
OpenedSymbolizer::symbolize(const BuildIDs &IDs, const ArrowColumn &Addresses,
                            bool AreReturns, const Interest &GoOn) {
  arrow::BuildIDColumn Column;
  const ColumnOptions How{AreReturns, Options.FailOnOutage};
  auto Find = [&](uint32_t Number) {
    return find(Column.values()[Number].Bytes);
  };
  if (const auto *One = std::get_if<std::string>(&IDs)) {
    std::string Bytes = fromHex(*One);
    Column = arrow::BuildIDColumn::all(arrayRefFromStringRef(Bytes));
    return symbolizeColumns(Addresses, Column, How, GoOn, Find);
  }
  const ArrowColumn &From = *std::get<const ArrowColumn *>(IDs);
  if (Error E = Column.setType(From.type()))
    return columnFailure("build IDs", std::move(E));
  // Checked before anything is read: if two lengths differ, one may be wrong.
  if (Error E = arrow::checkLengths(From.chunks(), Addresses.chunks()))
    return failure(std::move(E));
  for (const ArrowArray &Chunk : From.chunks())
    if (Error E = Column.add(Chunk))
      return columnFailure("build IDs", std::move(E));
  Expected<OpenArchives &> S = open();
  if (!S)
    return failure(S.takeError());
  if (!S->Places->isFar())
    return symbolizeColumns(Addresses, Column, How, GoOn, Find);
  constexpr size_t MaxAhead = 32;
  ArchivesAhead Archives(
      Column.values().size(),
      std::clamp<size_t>(Options.MaxArchives / 2, 1, MaxAhead),
      [&](size_t Number) { return Find(uint32_t(Number)); });
  return symbolizeColumns(Addresses, Column, How, GoOn, [&](uint32_t Number) {
    return Archives.take(Number);
  });
}

std::optional<StoreStatistics> OpenArchives::storeStatistics() {
  std::optional<StoreStatistics> F = Places->statistics();
  std::lock_guard<std::mutex> Lock(Mutex);
  if (F)
    F->Reused += Reused;
  return F;
}

SymbolizerStatistics OpenedSymbolizer::statistics() {
  Expected<OpenArchives &> S = open();
  if (!S) {
    consumeError(S.takeError());
    return {};
  }
  std::optional<StoreStatistics> F = S->storeStatistics();
  std::lock_guard<std::mutex> Lock(S->Mutex);
  SymbolizerStatistics Result{S->Open.size(), S->Open.max(),
                              S->Open.totalCost(), S->Open.maxCost()};
  if (!F)
    return Result;
  Result.Counts = {{"opened", F->Opened},
                   {"reused", F->Reused},
                   {"missing", F->Missing},
                   {"failed", F->Failed},
                   {"unanswered", F->Unanswered},
                   {"requests", F->Requests},
                   {"retries", F->Retries},
                   {"bytes_read", F->BytesRead},
                   {"bytes_written", F->BytesWritten}};
  Result.OpenSeconds = double(F->OpenTime) / 1e9;
  for (const auto &ID : F->MissingIDs)
    Result.Missing.emplace_back(ID.first().str(), ID.second);
  llvm::sort(Result.Missing);
  return Result;
}

std::string OpenedSymbolizer::metrics() {
  std::string Text;
  raw_string_ostream OS(Text);
  Expected<OpenArchives &> S = open();
  if (!S)
    consumeError(S.takeError());
  else if (std::optional<StoreStatistics> F = S->storeStatistics())
    printMetrics(OS, *F);
  return Text;
}

Result<Nothing> OpenedSymbolizer::recordUse() {
  Expected<OpenArchives &> S = open();
  if (!S)
    return failure(S.takeError());
  std::vector<StoreBuildID> IDs;
  {
    std::lock_guard<std::mutex> Lock(S->Mutex);
    for (const auto &ID : S->Used)
      IDs.emplace_back(arrayRefFromStringRef(fromHex(ID.first())));
  }
  if (Error E = S->Places->recordUse(std::move(IDs)))
    return failure(std::move(E));
  std::lock_guard<std::mutex> Lock(S->Mutex);
  S->Used.clear();
  return Nothing();
}

Result<std::vector<FrameList>>
OpenedSymbolizer::lookup(const std::string &BuildID,
                         const std::vector<uint64_t> &Addresses,
                         bool AreReturns) {
  Expected<AnswersPointer> Archive =
      find(arrayRefFromStringRef(fromHex(BuildID)));
  if (!Archive)
    return failure(Archive.takeError());
  return lookUp(**Archive, Addresses, AreReturns);
}

static FileAccess accessOf(const StoreOptions &Options) {
  return Options.Archive.Copy ? FileAccess::Copy : FileAccess::Map;
}

Result<SymbolizerHandle::Pointer>
SymbolizerHandle::openStore(const std::string &Where,
                            const StoreOptions &Options) {
  SymbolStoreOptions O;
  O.Open = accessOf(Options);
  // The symbolizer itself keeps archives open.
  O.KeepOpen = false;
  O.MaxArchives = unsigned(Options.MaxArchives);
  O.Patience = storePatience();
  Expected<std::unique_ptr<SymbolStore>> Store = SymbolStore::open(Where, O);
  if (!Store)
    return failure(Store.takeError());
  if (Error E = (*Store)->checkFilled())
    return failure(std::move(E));
  auto Make = [Where, O]() -> Expected<std::unique_ptr<ArchivePlaces>> {
    Expected<std::unique_ptr<SymbolStore>> Store = SymbolStore::open(Where, O);
    if (!Store)
      return Store.takeError();
    return std::make_unique<StorePlaces>(std::move(*Store));
  };
  return std::make_shared<OpenedSymbolizer>(std::move(Make), Options);
}

Result<SymbolizerHandle::Pointer> SymbolizerHandle::openPlaces(
    std::vector<std::pair<std::string, ArchivePlace>> Places,
    const StoreOptions &Options) {
  StringMap<ArchivePlace> Map;
  for (auto &[ID, Place] : Places) {
    std::string Bytes;
    if (ID.empty() || !tryGetFromHex(ID, Bytes))
      return failure(make_error<ArgumentError>(
          "", "'" + ID + "' is not a build ID in hexadecimal digits"));
    Map[StringRef(ID).lower()] = std::move(Place);
  }
  auto Make = [Map = std::move(Map), Access = accessOf(Options)]()
      -> Expected<std::unique_ptr<ArchivePlaces>> {
    return std::make_unique<NamedPlaces>(Map, Access);
  };
  return std::make_shared<OpenedSymbolizer>(std::move(Make), Options);
}
