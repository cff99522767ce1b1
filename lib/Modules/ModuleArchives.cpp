//===- ModuleArchives.cpp - The archives of many modules ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/ModuleArchives.h"
#include "Cache/Entries.h"
#include "Object/BinaryIdentity.h"
#include "Object/DebugFiles.h"
#include "Object/ObjectArchive.h"
#include "Support/NilBuildID.h"
#include "Support/ReturnMemory.h"
#include "lidia/Archive/Compression.h"
#include "lidia/Error.h"
#include "lidia/Extract/NamesArchive.h"
#include "lidia/MissError.h"
#include "lidia/Modules/CachedArchive.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Support/ForkLocal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include <cassert>
#include <condition_variable>
#include <deque>
#include <pthread.h>
#include <system_error>

using namespace llvm;

namespace lidia {

/// A module and, once it was searched for, its archive or the reason why there
/// is none.
struct ModuleArchives::Module {
  std::string Path;
  SmallVector<uint8_t, 20> BuildID;
  SmallVector<uint8_t, 16> FileHash;

  /// Held during the search. Protects the members below.
  std::mutex Mutex;
  bool Searched = false;
  std::shared_ptr<const Archive> A;
  RememberedError Failure;
};

/// Passes on the reports of concurrent conversions, one at a time.
class ModuleArchives::SharedObserver final : public ConvertObserver {
public:
  explicit SharedObserver(ConvertObserver &Observer) : Observer(Observer) {}

  void warning(const Twine &Message) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    Observer.warning(Message);
  }
  void progress(StringRef Phase, uint64_t Done, uint64_t Total) override {
    std::lock_guard<std::mutex> Lock(Mutex);
    Observer.progress(Phase, Done, Total);
  }
  bool isCancelled() override {
    return IsClosing.load(std::memory_order_relaxed) || Observer.isCancelled();
  }
  /// Cancels all conversions.
  void close() { IsClosing.store(true, std::memory_order_relaxed); }

private:
  ConvertObserver &Observer;
  std::mutex Mutex;
  std::atomic<bool> IsClosing{false};
};

/// A thread that makes the archives of modules with names only, one after
/// another, as each uses all of the machine.
class ModuleArchives::Background {
public:
  explicit Background(ModuleArchives &Of) : Of(Of) {}
  /// Cancels what is not done. A child of fork() has no such thread.
  ~Background();

  /// Does nothing if no thread can be created.
  void add(std::shared_ptr<Module> M);

private:
  void run();
  static void *runThread(void *This) {
    static_cast<Background *>(This)->run();
    return nullptr;
  }

  ModuleArchives &Of;
  std::mutex Mutex;
  std::condition_variable HasWork;
  std::deque<std::shared_ptr<Module>> Waiting;
  bool IsClosing = false;
  std::optional<pthread_t> Thread;
  const uint32_t Forks = forkCount();
};

ModuleArchives::ModuleArchives(Cache &C, ModuleArchivesOptions Options,
                               ConvertObserver &Observer)
    : C(C), Options(std::move(Options)),
      Observer(std::make_unique<SharedObserver>(Observer)),
      Modules(this->Options.MaxModules) {
  if (this->Options.LinesLater)
    Later = std::make_unique<Background>(*this);
}

ModuleArchives::~ModuleArchives() = default;

//===----------------------------------------------------------------------===//
// Archives made in the background
//===----------------------------------------------------------------------===//

void ModuleArchives::Background::add(std::shared_ptr<Module> M) {
  // The parent's thread may have held the mutex.
  if (Forks != forkCount())
    return;
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!Thread) {
    pthread_t New;
    if (::pthread_create(&New, nullptr, runThread, this))
      return;
    Thread = New;
  }
  Waiting.push_back(std::move(M));
  HasWork.notify_one();
}

void ModuleArchives::Background::run() {
  std::unique_lock<std::mutex> Lock(Mutex);
  while (true) {
    HasWork.wait(Lock, [&] { return IsClosing || !Waiting.empty(); });
    if (IsClosing)
      return;
    std::shared_ptr<Module> M = std::move(Waiting.front());
    Waiting.pop_front();
    Lock.unlock();
    Of.improve(*M);
    Lock.lock();
  }
}

ModuleArchives::Background::~Background() {
  if (!Thread || Forks != forkCount())
    return;
  Of.Observer->close();
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    IsClosing = true;
  }
  HasWork.notify_one();
  ::pthread_join(*Thread, nullptr);
}

/// Looks for the whole archive of \p M, or makes it. If there is none, the
/// names remain.
void ModuleArchives::improve(Module &M) {
  Result Whole = find(M, Want::Whole);
  if (!Whole) {
    consumeError(Whole.takeError());
    return;
  }
  {
    std::lock_guard<std::mutex> Lock(M.Mutex);
    M.A = std::move(*Whole);
  }
  Improvements.fetch_add(1, std::memory_order_release);
}

//===----------------------------------------------------------------------===//
// Finding an archive
//===----------------------------------------------------------------------===//

/// The error that \p Module has no archive.
static Error missing(const Twine &Module, const Twine &Message) {
  return make_error<SystemError>(
      std::make_error_code(std::errc::no_such_file_or_directory), Module,
      Message);
}

static bool hasLines(const Archive &A) {
  return A.info() && A.info()->Options & format::IO_Lines;
}

static bool hasColumns(const Archive &A) {
  return A.info() && A.info()->Options & format::IO_Columns;
}

/// Whether \p A says that it was made from \p File. An archive without an
/// identity, or of a file without a build ID, proves nothing.
static bool isMadeFrom(const Archive &A, const Binary &File) {
  return A.info() && !A.info()->Identity.empty() && !File.buildID().empty() &&
         A.info()->BuildID == File.buildID() &&
         A.info()->Machine == File.identity().Machine &&
         hasIdentityOf(File, *A.info());
}

/// Opens the archive next to \p File, if it can be used for the file.
static std::optional<Archive> openBeside(const Binary &File,
                                         const std::string &Path,
                                         const OpenOptions &Options) {
  Expected<Archive> A = Archive::open(Path, Options);
  Error E = A ? A->verifySmallParts() : A.takeError();
  if (!E && hasLines(*A) && isMadeFrom(*A, File))
    return std::move(*A);
  consumeError(std::move(E));
  return std::nullopt;
}

/// The path of the archive next to the file \p Path, plain or compressed.
static std::optional<std::string> findBeside(const std::string &Path) {
  for (const char *Extension : {ArchiveExtension, CompressedArchiveExtension}) {
    std::string Beside = Path + Extension;
    if (sys::fs::is_regular_file(Beside))
      return Beside;
  }
  return std::nullopt;
}

std::shared_ptr<const Archive> ModuleArchives::share(Archive A) {
  return Damage.watch(std::make_shared<const Archive>(std::move(A)));
}

/// \p O for the file of \p Architecture in a universal file; empty for any
/// other file.
static ConvertOptions ofArchitecture(ConvertOptions O,
                                     const std::string &Architecture) {
  if (!Architecture.empty())
    O.Architecture = Architecture;
  return O;
}

ModuleArchives::Result
ModuleArchives::openCached(const std::string &Path,
                           const std::string &Architecture) {
  ConvertOptions Conversion = ofArchitecture(Options.Conversion, Architecture);
  if (Options.MakeApart) {
    if (std::optional<Archive> A = findCachedArchive(C, Path, Conversion))
      return share(std::move(*A));
    if (Error E = Options.MakeApart(Path, Architecture))
      return E;
  }
  CachedFile File;
  Expected<Archive> A =
      openCachedArchive(C, Path, Conversion, *Observer, &File);
  if (A && !File.Made && !Options.Open.Verify.empty())
    if (Error E = A->verifyChecksums(Options.Open.Verify)) {
      // Whatever the damage, the archive can be made again.
      Observer->warning(toString(std::move(E)) + ": making it again");
      sys::fs::remove(File.Path);
      A = openCachedArchive(C, Path, Conversion, *Observer, &File);
    }
  if (!A)
    return A.takeError();
  // The file is open, and no longer needs its name.
  C.removePrivate(File.Path);
  if (File.Made) {
    returnFreedMemory();
    std::lock_guard<std::mutex> Lock(Mutex);
    ++Statistics.Made;
  }
  return share(std::move(*A));
}

/// The cached archive, one that is made now or, if \p What says so, names.
ModuleArchives::Result ModuleArchives::openMade(const std::string &Path,
                                                const std::string &Architecture,
                                                Want What) {
  if (What == Want::Whole)
    return openCached(Path, Architecture);
  ConvertOptions Conversion = ofArchitecture(Options.Conversion, Architecture);
  if (std::optional<Archive> A = findCachedArchive(C, Path, Conversion))
    return share(std::move(*A));
  Expected<Archive> A = openNames(Path, Conversion, *Observer);
  if (A)
    return share(std::move(*A));
  if (!Options.LinesLater)
    return A.takeError();
  // Such as a file with DWARF and no symbols.
  consumeError(A.takeError());
  return openCached(Path, Architecture);
}

ModuleArchives::Result ModuleArchives::openFile(const std::string &Given,
                                                ArrayRef<uint8_t> BuildID,
                                                Want What) {
  Expected<std::string> InBundle = binaryFile(Given);
  if (!InBundle)
    return InBundle.takeError();
  const std::string &Path = *InBundle;
  bool IsInside = isInsideFile(Path);
  Expected<FileKind> Kind = IsInside ? FileKind::Zip : readFileKind(Path);
  if (!Kind)
    return Kind.takeError();
  bool IsPacked = IsInside || (isCompressed(*Kind) && isPackedBinary(Path));
  if (*Kind == FileKind::Archive || (*Kind == FileKind::Zstd && !IsPacked)) {
    OpenOptions Open = Options.Open;
    Open.RegularOnly = true;
    Expected<Archive> A = Archive::open(Path, Open);
    if (!A)
      return A.takeError();
    if (!BuildID.empty() && (!A->info() || A->info()->BuildID != BuildID))
      return make_error<OtherBuildError>(
          Path,
          "not an archive of build ID " + toHex(BuildID, /*LowerCase=*/true));
    return share(std::move(*A));
  }
  if (!IsPacked && Options.ELFOnly && *Kind != FileKind::ELF)
    return make_error<NotAnArchiveError>(Path,
                                         "neither an ELF file nor an archive");
  if (!IsPacked && !mayBeBinary(*Kind))
    return neitherBinaryNorArchive(Path);
  std::optional<std::string> Beside;
  std::optional<Archive> InsteadOfCached;
  std::string Architecture;
  if (Options.Beside && Options.Conversion.DebugFile.empty())
    Beside = findBeside(Path);
  if (Beside || Options.Store || !BuildID.empty()) {
    Expected<std::unique_ptr<Binary>> File =
        BuildID.empty() ? Binary::open(Path, Options.Conversion.Architecture)
                        : Binary::openWithBuildID(Path, BuildID);
    if (!File)
      return File.takeError();
    if (!BuildID.empty() && (*File)->buildID() != BuildID)
      return make_error<OtherBuildError>(
          Path, "its build ID is not " + toHex(BuildID, /*LowerCase=*/true));
    if (!BuildID.empty())
      Architecture = (*File)->architecture().str();
    if (Beside &&
        knownFile((*File)->buildID(), Options.Conversion.Search).empty())
      InsteadOfCached = openBeside(**File, *Beside, Options.Open);
    if (InsteadOfCached && (!Options.Columns || hasColumns(*InsteadOfCached)))
      return share(std::move(*InsteadOfCached));
    if (Result A = askStore((*File)->buildID()); !A || *A)
      return A;
  }
  if (Options.Make && !InsteadOfCached)
    return openMade(Path, Architecture, What);
  if (!InsteadOfCached)
    return missing(Path, "it has no archive");
  return cachedOr(std::move(*InsteadOfCached), Path, Architecture);
}

/// The archive from the cache if it has columns; otherwise \p Beside, for
/// example if the binary was stripped. Without a cache, using \p Beside avoids
/// making an archive each time.
ModuleArchives::Result
ModuleArchives::cachedOr(Archive Beside, const std::string &Path,
                         const std::string &Architecture) {
  if (!Options.Make || C.isDisabled())
    return share(std::move(Beside));
  Result Cached = openCached(Path, Architecture);
  if (Cached && (*Cached)->extensionSection(format::ET_RowColumns))
    return Cached;
  consumeError(Cached.takeError());
  return share(std::move(Beside));
}

/// The first of \p Cached with lines, or else the first.
static Archive &best(std::vector<Archive> &Cached) {
  auto Found = find_if(Cached, hasLines);
  return Found == Cached.end() ? Cached.front() : *Found;
}

/// The beginning of why there is no archive, if there is a store.
static std::string notInStore(const ModuleArchivesOptions &Options,
                              StringRef Kind) {
  if (Options.StoreName.empty())
    return "";
  return ("no archive of this " + Kind + " in " + Options.StoreName + ", ")
      .str();
}

ModuleArchives::Result
ModuleArchives::openByFileHash(ArrayRef<uint8_t> FileHash) {
  if (Result A = askStoreForFile(FileHash); !A || *A)
    return A;
  std::vector<Archive> Cached = cachedArchivesOfFile(C, FileHash);
  if (!Cached.empty())
    return share(std::move(best(Cached)));
  return missing(
      toHex(FileHash, /*LowerCase=*/true),
      notInStore(Options, "htlhash") +
          "no archive in the cache was made from a file with this htlhash");
}

/// Null if there is no store, or if it does not have the archive. Fails only if
/// ModuleArchivesOptions::NeedsStore is set.
ModuleArchives::Result ModuleArchives::askStore(ArrayRef<uint8_t> BuildID) {
  if (!Options.Store || BuildID.empty())
    return nullptr;
  return fromStore(Options.Store.ByBuildID(BuildID));
}

/// The same for the file with \p FileHash.
ModuleArchives::Result
ModuleArchives::askStoreForFile(ArrayRef<uint8_t> FileHash) {
  if (!Options.Store || !Options.Store.BuildIDOfFile || FileHash.empty())
    return nullptr;
  Expected<SmallVector<uint8_t, 20>> BuildID =
      Options.Store.BuildIDOfFile(FileHash);
  if (!BuildID)
    return fromStore(BuildID.takeError());
  return askStore(*BuildID);
}

/// What askStore() makes of the store's answer.
ModuleArchives::Result ModuleArchives::fromStore(Result A) {
  if (A)
    return Damage.watch(std::move(*A));
  std::unique_ptr<LidiaError> Why = toLidiaError(A.takeError());
  if (static_cast<ErrorInfoBase &>(*Why).isA<OutageError>()) {
    if (noteOutage(*Why))
      Observer->warning(Why->message());
    if (Options.NeedsStore)
      return Error(std::move(Why));
  } else if (Why->convertToErrorCode() !=
             std::errc::no_such_file_or_directory) {
    // It is normal that a store lacks an archive.
    Observer->warning(Why->message());
  }
  return nullptr;
}

/// Returns whether to warn about it: once is enough, and not if the caller
/// fails.
bool ModuleArchives::noteOutage(const LidiaError &Why) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!Outage)
    Outage = RememberedError(Error(Why.clone()));
  return Outages++ == 0 && !Options.NeedsStore;
}

uint64_t ModuleArchives::outages() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Outages;
}

Error ModuleArchives::outage() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Outage.get();
}

ModuleArchives::Result ModuleArchives::openByBuildID(ArrayRef<uint8_t> BuildID,
                                                     Want What) {
  if (Result A = askStore(BuildID); !A || *A)
    return A;
  std::vector<Archive> Cached = cachedArchivesOf(C, BuildID);
  if (!Cached.empty())
    return share(std::move(best(Cached)));
  const DebugFileSearch &Search = Options.Conversion.Search;
  std::vector<std::string> Files =
      filesOfBuildID(BuildID, debugDirectories(Search));
  if (std::string Known = knownFile(BuildID, Search); !Known.empty())
    Files.insert(Files.begin(), std::move(Known));
  for (const std::string &Path : Files)
    if (sys::fs::is_regular_file(Path))
      return openFile(Path, BuildID, What);
  if (Search.Fetch) {
    std::string Path = Search.Fetch(
        BuildID, [&](const Twine &Message) { Observer->warning(Message); });
    if (!Path.empty())
      return openFile(Path, BuildID, What);
  }
  return missing(
      toHex(BuildID, /*LowerCase=*/true),
      notInStore(Options, "build ID") +
          "no archive in the cache and no debug file has this build ID");
}

ModuleArchives::Result ModuleArchives::onlyStored(const Module &M) {
  if (Result A = askStore(M.BuildID); !A || *A)
    return A;
  if (Result A = askStoreForFile(M.FileHash); !A || *A)
    return A;
  if (!M.BuildID.empty())
    return missing(toHex(M.BuildID, /*LowerCase=*/true),
                   "the store has no archive of this build ID");
  if (!M.FileHash.empty())
    return missing(toHex(M.FileHash, /*LowerCase=*/true),
                   "the store has no archive of this htlhash");
  return missing("the module", "its build ID is not known");
}

/// The file has precedence, because its path identifies one of several binaries
/// with the same build ID.
ModuleArchives::Result ModuleArchives::find(const Module &M, Want What) {
  if (Options.StoreOnly)
    return onlyStored(M);
  if (!M.FileHash.empty())
    return openByFileHash(M.FileHash);
  if (M.Path.empty())
    return openByBuildID(M.BuildID, What);
  Result A = openFile(M.Path, M.BuildID, What);
  if (A || M.BuildID.empty())
    return A;
  Result ByID = openByBuildID(M.BuildID, What);
  if (!ByID) {
    consumeError(ByID.takeError());
    return A;
  }
  consumeError(A.takeError());
  return ByID;
}

//===----------------------------------------------------------------------===//
// Remembering archives
//===----------------------------------------------------------------------===//

std::shared_ptr<ModuleArchives::Module>
ModuleArchives::module(StringRef Name, function_ref<void(Module &)> Fill) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (std::shared_ptr<Module> *Known = Modules.find(Name))
    return *Known;
  auto M = std::make_shared<Module>();
  Fill(*M);
  Modules.add(Name, M);
  return M;
}

ModuleArchives::Result ModuleArchives::get(StringRef Path,
                                           ArrayRef<uint8_t> BuildID,
                                           StringRef Version) {
  BuildID = usableBuildID(BuildID);
  if (Path.empty() && BuildID.empty())
    return missing("a build ID of zeros", "it identifies nothing");
  // The system would end the path at the NUL.
  if (Path.contains('\0'))
    return make_error<ArgumentError>(Path, "not a path");
  // Neither a path nor hexadecimal digits contain a NUL, so the parts cannot be
  // confused.
  SmallString<128> Name(Path);
  Name += '\0';
  Name += toHex(BuildID);
  Name += '\0';
  Name += Version;
  return search(module(Name, [&](Module &M) {
    M.Path = Path.str();
    M.BuildID.assign(BuildID.begin(), BuildID.end());
  }));
}

ModuleArchives::Result
ModuleArchives::getByFileHash(ArrayRef<uint8_t> FileHash) {
  assert(!FileHash.empty() && "no module");
  // Names of get() contain a NUL, so these are different.
  return search(module(toHex(FileHash), [&](Module &M) {
    M.FileHash.assign(FileHash.begin(), FileHash.end());
  }));
}

ModuleArchives::Result ModuleArchives::search(std::shared_ptr<Module> Of) {
  Module &M = *Of;
  std::lock_guard<std::mutex> Lock(M.Mutex);
  if (!M.Searched) {
    uint64_t Before = outages();
    Result Found = find(M, Options.NamesOnly ? Want::Names : Want::Whole);
    bool HadOutage = outages() != Before;
    if (Found)
      M.A = std::move(*Found);
    else
      M.Failure = RememberedError(Found.takeError());
    // Another source that has nothing does not show that there is nothing.
    if (!M.A && HadOutage)
      M.Failure = RememberedError(outage());
    M.Searched = M.A || !HadOutage;
    if (M.A && mayImprove(*M.A))
      Later->add(std::move(Of));
    std::lock_guard<std::mutex> FiguresLock(Mutex);
    ++(M.A ? Statistics.Opened : Statistics.Failed);
  }
  if (!M.A)
    return M.Failure.get();
  return M.A;
}

ModuleArchivesStatistics ModuleArchives::statistics() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  ModuleArchivesStatistics Result = Statistics;
  Result.Forgotten = Modules.dropped();
  return Result;
}

} // namespace lidia
