//===- Upstream.cpp - Files from other debuginfod servers -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Upstream.h"
#include "Object/Binary.h"
#include "Object/SupplementaryFile.h"
#include "OriginalFiles.h"
#include "lidia/Cache/Cache.h"
#include "lidia/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/RandomNumberGenerator.h"

using namespace llvm;

namespace lidia {

//===----------------------------------------------------------------------===//
// Wanted files
//===----------------------------------------------------------------------===//

static StringRef nameOf(UpstreamKind Kind) {
  switch (Kind) {
  case UpstreamKind::Archive:
    return "archive";
  case UpstreamKind::DebugFile:
    return "debuginfo";
  case UpstreamKind::Executable:
    return "executable";
  case UpstreamKind::Source:
    return "source";
  }
  llvm_unreachable("no other kind");
}

std::string withoutDots(StringRef Path) {
  SmallString<256> Result(Path);
  sys::path::remove_dots(Result, /*remove_dot_dot=*/true,
                         sys::path::Style::posix);
  return Result.str().str();
}

UpstreamWish UpstreamWish::source(ArrayRef<uint8_t> BuildID, StringRef Path) {
  return {UpstreamKind::Source, BuildIDBytes(BuildID), withoutDots(Path)};
}

std::string UpstreamWish::fileName() const {
  return Kind == UpstreamKind::Source
             ? DebuginfodClient::nameOfSource(SourcePath)
             : nameOf(Kind).str();
}

std::string UpstreamWish::key() const {
  return (fileName() + " " + toStringRef(BuildID)).str();
}

Error noteWishes(Error E, std::vector<UpstreamWish> &To) {
  return handleErrors(std::move(E),
                      [&](std::unique_ptr<MissingFilesError> Missing) -> Error {
                        llvm::append_range(To, Missing->Wishes);
                        return Error(std::move(Missing));
                      });
}

Error Upstream::missing(const HTTPRequest &Request, UpstreamWish Wish,
                        Error Why) {
  if (!isUsed() || !Request.ForwardedFor)
    return Why;
  Wish.ForwardedFor = *Request.ForwardedFor;
  std::unique_lock<std::mutex> Lock(Mutex);
  Known *K = KnownWishes.find(Wish.key());
  bool IsKnown = K && Clock::now() < K->Until;
  if (IsKnown && !K->HasFailed)
    return Why;
  Lock.unlock();
  consumeError(std::move(Why));
  if (IsKnown)
    return make_error<UpstreamFailedError>("", "an upstream server failed");
  return make_error<MissingFilesError>(std::vector{std::move(Wish)});
}

//===----------------------------------------------------------------------===//
// Servers that ask each other
//===----------------------------------------------------------------------===//

static constexpr StringLiteral NamePrefix = "lidia-";
static constexpr size_t NameDigits = 16;

static std::string makeName() {
  uint64_t Number = 0;
  (void)getRandomBytes(&Number, sizeof(Number));
  return (Twine(NamePrefix) + utohexstr(Number, /*LowerCase=*/true, NameDigits))
      .str();
}

/// Whether \p Name may have been made by makeName().
static bool isServerName(StringRef Name) {
  return Name.consume_front(NamePrefix) && Name.size() == NameDigits &&
         all_of(Name, isHexDigit);
}

std::optional<std::string> Upstream::forwardedFor(StringRef Header) const {
  // debuginfod adds the address of the client, and has this limit, too.
  constexpr unsigned MaxHops = 8;
  std::string Names;
  unsigned Hops = 0;
  for (StringRef Name : split(Header, ',')) {
    Name = Name.trim();
    if (Name == OwnName || ++Hops > MaxHops)
      return std::nullopt;
    // Upstream servers need not know addresses of clients.
    if (isServerName(Name))
      Names += Name.str() + ", ";
  }
  return Names + OwnName;
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

/// The maximum number of remembered results.
static constexpr unsigned MaxKnown = 1 << 16;

Upstream::Upstream(const ServerOptions &Options, SymbolStore &Store,
                   ServedModules &Modules, Conversions &Adding,
                   ServerStatistics &Statistics)
    : Options(Options), Store(Store), Modules(Modules), Adding(Adding),
      Statistics(Statistics), OwnName(makeName()), KnownWishes(MaxKnown) {}

Upstream::~Upstream() { stop(); }

void Upstream::open(Conversions::Warning TheWarning) {
  if (!isUsed())
    return;
  Warn = std::move(TheWarning);
  Folder = (Options.CacheFolder.empty() ? Cache::defaultFolder()
                                        : Options.CacheFolder) +
           "/upstream";
  DebuginfodOptions O;
  O.Servers = Options.Upstream.Servers;
  O.CacheFolder = Folder;
  O.StallSeconds = Options.Upstream.StallSeconds;
  O.FirstByteSeconds = Options.Upstream.FirstByteSeconds;
  // One file that a server cannot give is no reason to do without the others.
  O.MaxFailures = 3;
  O.MaxSizeOption = "--upstream-max-size";
  O.MaxSeconds = Options.Upstream.MaxSeconds;
  O.MaxSize = Options.Upstream.MaxSize;
  O.FollowRedirects = false;
  O.Cancel = &IsStopping;
  O.Output.RemoveOnSignals = true;
  Client = std::make_unique<DebuginfodClient>(std::move(O));
  Fetches = std::make_unique<WorkQueue>(Options.Upstream.Threads,
                                        Options.Conversion.MaxWaiting);
}

void Upstream::stop() {
  IsStopping = true;
  if (Fetches)
    Fetches->finish();
}

//===----------------------------------------------------------------------===//
// Waiting requests
//===----------------------------------------------------------------------===//

/// Calls \p Done when \p Wish was fetched or is known to be missing. Returns
/// false if the queue is full.
bool Upstream::join(const UpstreamWish &Wish, std::function<void()> Done) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto [It, IsNew] = UnderWay.try_emplace(Wish.key());
  if (IsNew && (IsStopping || !Fetches->add([this, Wish] { work(Wish); }))) {
    UnderWay.erase(It);
    return false;
  }
  if (Done)
    It->second.push_back(std::move(Done));
  return true;
}

bool Upstream::fetch(std::vector<UpstreamWish> Wishes,
                     std::function<void()> Done) {
  // Counts one more than the number of wishes, so that the count cannot reach
  // zero before the last wish was queued.
  auto Left = std::make_shared<std::atomic<size_t>>(Wishes.size() + 1);
  // The wishes for which the queue has no place.
  auto Rest = std::make_shared<std::vector<UpstreamWish>>();
  auto End = [=] {
    if (--*Left == 0 && (Rest->empty() || !fetch(std::move(*Rest), Done)))
      Done();
  };
  for (UpstreamWish &Wish : Wishes)
    if (!join(Wish, End)) {
      Rest->push_back(std::move(Wish));
      --*Left;
    }
  if (Rest->size() == Wishes.size())
    return false;
  End();
  return true;
}

/// Fetches \p Wish, remembers the result, and calls the waiting callbacks.
void Upstream::work(const UpstreamWish &Wish) {
  Ended Result = Ended::Failed;
  if (IsStopping) {
  } else if (Wish.Kind == UpstreamKind::Archive) {
    Result = makeArchive(Wish);
  } else {
    DownloadedFile File = download(Wish);
    Result = !File.Path.empty() ? Ended::Found
             : File.MayExist    ? Ended::Failed
                                : Ended::Missing;
  }
  // Before the callbacks open the file, and while UnderWay protects it from
  // removal.
  if (Result == Ended::Found && Wish.Kind != UpstreamKind::Archive)
    makeRoom();
  Known Now;
  Now.HasFailed = Result == Ended::Failed;
  // Short, because the client itself avoids servers that have failed.
  constexpr std::chrono::seconds Soon{10};
  Now.Until = Clock::now() +
              (Result == Ended::Missing
                   ? std::chrono::seconds(Options.Upstream.MissingSeconds)
                   : Soon);
  Waiting Called;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    std::string Key = Wish.key();
    if (Known *Before = KnownWishes.find(Key))
      *Before = Now;
    else
      KnownWishes.add(Key, Now);
    Called = std::move(UnderWay[Key]);
    UnderWay.erase(Key);
  }
  if (Wish.Kind == UpstreamKind::Archive &&
      sys::fs::exists(pathOf({UpstreamKind::DebugFile, Wish.BuildID, ""})))
    makeRoom();
  for (const std::function<void()> &Done : Called)
    Done();
  // Clients that take the original file may ask for frames next.
  if (Wish.Kind == UpstreamKind::DebugFile && Result == Ended::Found)
    convertLater(Wish);
}

/// Makes the archive of \p DebugFile in the background if the store lacks it.
void Upstream::convertLater(const UpstreamWish &DebugFile) {
  Expected<bool> IsThere = Store.contains(DebugFile.BuildID);
  if (IsThere && !*IsThere)
    (void)join(DebugFile.with(UpstreamKind::Archive), nullptr);
  consumeError(IsThere.takeError());
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string Upstream::pathOf(const UpstreamWish &Wish) const {
  return Folder + "/" + toHex(Wish.BuildID, /*LowerCase=*/true) + "/" +
         Wish.fileName();
}

std::string Upstream::fetched(const UpstreamWish &Wish) const {
  std::string Path = pathOf(Wish);
  sys::fs::file_status Status;
  if (!isUsed() || sys::fs::status(Path, Status, /*follow=*/false) ||
      !sys::fs::is_regular_file(Status) || !Status.getSize())
    return "";
  markAsUsed(Path);
  return Path;
}

Expected<std::string> Upstream::find(const HTTPRequest &Request,
                                     UpstreamKind Kind,
                                     ArrayRef<uint8_t> BuildID) {
  UpstreamWish Wish = {Kind, BuildIDBytes(BuildID), ""};
  std::string Path = fetched(Wish);
  if (!Path.empty())
    return Path;
  return missing(Request, std::move(Wish),
                 make_error<SystemError>(
                     std::make_error_code(std::errc::no_such_file_or_directory),
                     toHex(BuildID, /*LowerCase=*/true),
                     "no such file of this build ID"));
}

bool hasBuildID(StringRef Path, ArrayRef<uint8_t> BuildID) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (File)
    return (*File)->buildID() == BuildID;
  consumeError(File.takeError());
  return false;
}

DownloadedFile Upstream::ask(const UpstreamWish &Wish) {
  auto Log = [&](const Twine &Message) { Warn(Message.str()); };
  if (Wish.Kind == UpstreamKind::Source)
    return Client->source(Wish.BuildID, Wish.SourcePath, Log,
                          Wish.ForwardedFor);
  // Servers may send any file.
  auto IsRight = [&](StringRef Path) { return hasBuildID(Path, Wish.BuildID); };
  return Client->file(Wish.BuildID, nameOf(Wish.Kind), IsRight, Log,
                      Wish.ForwardedFor);
}

DownloadedFile Upstream::download(const UpstreamWish &Wish) {
  auto Fetch = [&]() -> Expected<DownloadedFile> {
    DownloadedFile File = ask(Wish);
    Statistics.UpstreamRequests += File.Requests;
    Statistics.UpstreamBytes += File.Bytes;
    if (!File.Path.empty())
      Statistics.UpstreamFound += File.Requests != 0;
    else
      ++(File.MayExist ? Statistics.UpstreamFailed
                       : Statistics.UpstreamMissing);
    return File;
  };
  // An archive and its debug file may be wanted at the same time.
  return cantFail(Downloads.get(Wish.key(), Fetch));
}

/// The supplementary file (dwz) that \p DebugFile refers to; empty without one.
std::string Upstream::supplementaryOf(const std::string &DebugFile,
                                      const UpstreamWish &Wish) {
  Expected<std::unique_ptr<Binary>> File = Binary::open(DebugFile);
  if (!File) {
    consumeError(File.takeError());
    return "";
  }
  BuildIDBytes BuildID = supplementaryBuildID(**File);
  if (!whyNotABuildID(BuildID).empty())
    return "";
  return download({UpstreamKind::DebugFile, BuildID, "", Wish.ForwardedFor})
      .Path;
}

/// Also fetches the executable, because it has information that the debug file
/// lacks: which sections are code, and unwind rows.
Upstream::Ended Upstream::makeArchive(const UpstreamWish &Wish) {
  const BuildIDBytes &BuildID = Wish.BuildID;
  DownloadedFile Debug = download(Wish.with(UpstreamKind::DebugFile));
  if (Debug.Path.empty())
    return Debug.MayExist ? Ended::Failed : Ended::Missing;
  std::vector<std::string> Files = {Debug.Path};
  for (std::string Other : {download(Wish.with(UpstreamKind::Executable)).Path,
                            supplementaryOf(Debug.Path, Wish)})
    if (!Other.empty())
      Files.push_back(std::move(Other));
  Expected<std::vector<StoredFile>> Stored = Adding.add(Files, BuildID);
  if (Stored) {
    Modules.forget(BuildID);
    // Asking again for lines would not give any.
    Expected<std::shared_ptr<const Archive>> Now = Store.archive(BuildID);
    bool HasLines = !Now || (*Now)->rowCount() != 0;
    consumeError(Now.takeError());
    return HasLines ? Ended::Found : Ended::Missing;
  }
  std::unique_ptr<LidiaError> Why = toLidiaError(Stored.takeError());
  const ErrorInfoBase &Base = *Why;
  // These two errors are final: the same file would fail again.
  if (!Base.isA<ArgumentError>() && !Base.isA<LimitError>())
    return Ended::Failed;
  Warn("the debug file of " + toHex(BuildID, /*LowerCase=*/true) +
       " from upstream cannot be used: " + Why->message());
  return Ended::Missing;
}

/// Removes the least recently used files, except those in use.
void Upstream::makeRoom() {
  StringSet<> Busy;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    for (const auto &Each : UnderWay)
      Busy.insert(toHex(Each.first().split(' ').second, /*LowerCase=*/true));
  }
  removeOldest(Folder, Options.Upstream.MaxKept, Busy);
}

} // namespace lidia
