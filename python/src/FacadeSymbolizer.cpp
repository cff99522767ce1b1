//===- FacadeSymbolizer.cpp - Many archives behind the facade -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FacadeArchives.h"
#include "FacadeErrors.h"
#include "lidia/Store/BuildIDLists.h"
#include "lidia/Store/OpenArchive.h"
#include "lidia/Store/SymbolStore.h"
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
  /// Open archives may be damaged: later calls must open them again.
  virtual void forgetOpen() {}
  /// None without a store.
  virtual std::optional<StoreStatistics> statistics() { return std::nullopt; }
  virtual Error recordUse(std::vector<StoreBuildID>) {
    return make_error<ArgumentError>("", "use is recorded in stores only");
  }
};

/// A store.
class StorePlaces final : public ArchivePlaces {
public:
  StorePlaces(std::string Where, const SymbolStoreOptions &Options,
              std::shared_ptr<SymbolStore> Store)
      : Where(std::move(Where)), Options(Options), Store(std::move(Store)) {}

  Expected<std::shared_ptr<const Archive>> open(ArrayRef<uint8_t> BuildID,
                                                AnswersPointer &) override;
  void forgetOpen() override;
  std::optional<StoreStatistics> statistics() override;
  Error recordUse(std::vector<StoreBuildID> IDs) override {
    return lidia::recordUse(*now(), std::move(IDs));
  }

private:
  std::shared_ptr<SymbolStore> now() {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Store;
  }

  std::string Where;
  SymbolStoreOptions Options;
  /// Guards the members below.
  std::mutex Mutex;
  std::shared_ptr<SymbolStore> Store;
  /// The figures of stores that were replaced.
  StoreStatistics Before;
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

class OpenedSymbolizer final : public SymbolizerHandle {
public:
  OpenedSymbolizer(std::unique_ptr<ArchivePlaces> Places,
                   const StoreOptions &Options)
      : Places(std::move(Places)), Options(Options.Archive),
        Open(Options.MaxArchives, Options.MaxMemory) {}

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
  std::optional<StoreStatistics> storeStatistics();

  std::unique_ptr<ArchivePlaces> Places;
  const ArchiveOptions Options;
  /// Guards the members below.
  std::mutex Mutex;
  /// By build ID as hexadecimal digits.
  RecentlyUsed<AnswersPointer> Open;
  /// The number of requests for open archives.
  uint64_t Reused = 0;
  /// Build IDs that were found and are not recorded yet.
  StringSet<> Used;
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
StorePlaces::open(ArrayRef<uint8_t> BuildID, AnswersPointer &) {
  return now()->archive(BuildID);
}

std::optional<StoreStatistics> StorePlaces::statistics() {
  std::lock_guard<std::mutex> Lock(Mutex);
  StoreStatistics Sum = Before;
  Sum += Store->statistics();
  return Sum;
}

void StorePlaces::forgetOpen() {
  Expected<std::unique_ptr<SymbolStore>> New =
      SymbolStore::open(Where, Options);
  if (!New)
    return consumeError(New.takeError());
  std::lock_guard<std::mutex> Lock(Mutex);
  Before += Store->statistics();
  Store = std::move(*New);
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
static uint64_t mostMemoryOf(const Archive &A) {
  constexpr uint64_t Unpacked = OpenOptions::DefaultFrameCacheSize,
                     Fetched = uint64_t(16) << 20;
  return (A.isPaged() ? std::min(A.size(), Unpacked) : 0) +
         (A.isFar() ? std::min(A.size(), Fetched) : 0);
}

/// Finds the answers for \p BuildID. Opens archives again that were damaged at
/// their last use, because they may have been replaced, or their server may
/// answer now.
Expected<AnswersPointer> OpenedSymbolizer::find(ArrayRef<uint8_t> BuildID) {
  std::string ID = toHex(BuildID, /*LowerCase=*/true);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (AnswersPointer *Known = Open.find(ID)) {
      if (!errorToBool((*Known)->archive().damage())) {
        ++Reused;
        Used.insert(ID);
        return *Known;
      }
      Places->forgetOpen();
    }
  }
  AnswersPointer Result;
  auto A = Places->open(BuildID, Result);
  if (!A)
    return A.takeError();
  if (!Result)
    Result = std::make_shared<arrow::ArchiveAnswers>(std::move(*A),
                                                     answersOptions(Options));
  std::lock_guard<std::mutex> Lock(Mutex);
  Used.insert(ID);
  if (AnswersPointer *Known = Open.find(ID))
    *Known = Result;
  else
    Open.add(ID, Result, mostMemoryOf(Result->archive()));
  return Result;
}

Result<FrameTablePointer>
OpenedSymbolizer::symbolize(const BuildIDs &IDs, const ArrowColumn &Addresses,
                            bool AreReturns, const Interest &GoOn) {
  arrow::BuildIDColumn Column;
  auto Find = [&](uint32_t Number) {
    return find(Column.values()[Number].Bytes);
  };
  if (const auto *One = std::get_if<std::string>(&IDs)) {
    std::string Bytes = fromHex(*One);
    Column = arrow::BuildIDColumn::all(arrayRefFromStringRef(Bytes));
    return symbolizeColumns(Addresses, Column, AreReturns, GoOn, Find);
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
  return symbolizeColumns(Addresses, Column, AreReturns, GoOn, Find);
}

std::optional<StoreStatistics> OpenedSymbolizer::storeStatistics() {
  std::optional<StoreStatistics> F = Places->statistics();
  std::lock_guard<std::mutex> Lock(Mutex);
  if (F)
    F->Reused += Reused;
  return F;
}

SymbolizerStatistics OpenedSymbolizer::statistics() {
  std::optional<StoreStatistics> F = storeStatistics();
  std::lock_guard<std::mutex> Lock(Mutex);
  SymbolizerStatistics Result{Open.size(), Open.most(), Open.totalCost(),
                              Open.mostCost()};
  if (!F)
    return Result;
  Result.Counts = {
      {"opened", F->Opened},        {"reused", F->Reused},
      {"missing", F->Missing},      {"failed", F->Failed},
      {"requests", F->Requests},    {"retries", F->Retries},
      {"bytes_read", F->BytesRead}, {"bytes_written", F->BytesWritten}};
  Result.OpenSeconds = double(F->OpenTime) / 1e9;
  for (const auto &ID : F->MissingIDs)
    Result.Missing.emplace_back(ID.first().str(), ID.second);
  llvm::sort(Result.Missing);
  return Result;
}

std::string OpenedSymbolizer::metrics() {
  std::string Text;
  raw_string_ostream OS(Text);
  if (std::optional<StoreStatistics> F = storeStatistics())
    printMetrics(OS, *F);
  return Text;
}

Result<Nothing> OpenedSymbolizer::recordUse() {
  std::vector<StoreBuildID> IDs;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (const auto &ID : Used)
      IDs.emplace_back(arrayRefFromStringRef(fromHex(ID.first())));
  }
  if (Error E = Places->recordUse(std::move(IDs)))
    return failure(std::move(E));
  std::lock_guard<std::mutex> Lock(Mutex);
  Used.clear();
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
  Expected<std::unique_ptr<SymbolStore>> Store = SymbolStore::open(Where, O);
  if (!Store)
    return failure(Store.takeError());
  if (Error E = (*Store)->checkFilled())
    return failure(std::move(E));
  return std::make_shared<OpenedSymbolizer>(
      std::make_unique<StorePlaces>(Where, O, std::move(*Store)), Options);
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
  return std::make_shared<OpenedSymbolizer>(
      std::make_unique<NamedPlaces>(std::move(Map), accessOf(Options)),
      Options);
}
