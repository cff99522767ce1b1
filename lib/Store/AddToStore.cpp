//===- AddToStore.cpp - From binaries and packages to a store -------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two passes. The first reads all inputs, to know which belong together: files
/// are mapped, binaries in packages are written to the work folder, where they
/// stay as long as there is room. The second converts, first what is on the
/// disk, then, in batches that fit, what has to be read from its package again.
///
//===----------------------------------------------------------------------===//

#include "lidia/Store/AddToStore.h"
#include "ADT/Threads.h"
#include "AddInputs.h"
#include "Object/Binary.h"
#include "Package.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Error.h"
#include "lidia/Object/PackedBinary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/Threading.h"
#include <atomic>
#include <mutex>
#include <set>

using namespace lidia;
using namespace llvm;

namespace {

/// A file in the work folder, and the room that it takes there.
struct WorkFile {
  WorkFile(UnfinishedFile File, std::atomic<uint64_t> &Used, uint64_t Size)
      : File(std::move(File)), Used(Used), Size(Size) {}
  ~WorkFile() { Used -= Size; }

  UnfinishedFile File;
  std::atomic<uint64_t> &Used;
  const uint64_t Size;
};

static Error cancelled() {
  std::error_code EC = std::make_error_code(std::errc::operation_canceled);
  return make_error<SystemError>(EC, "");
}

/// One call of addToStore().
class Adder final : ConvertManyObserver {
public:
  Adder(SymbolStore &Store, const AddOptions &Options, AddObserver &Observer);

  Expected<AddCounts> run(ArrayRef<std::string> Names);

private:
  using Input = std::pair<AddInput, std::shared_ptr<WorkFile>>;

  // The first pass.
  void scan();
  void scanSource(size_t Source);
  Error scanPackage(size_t Source);
  Error scanMember(size_t Source, const PackageMember &Member,
                   PackageBytes Bytes);
  void take(AddInput I, std::shared_ptr<WorkFile> File, size_t Source,
            uint64_t Member);
  bool isPresent(ArrayRef<uint8_t> BuildID);
  std::string nameOf(size_t Source, const PackageMember &Member) const;

  // The work folder.
  Expected<std::shared_ptr<WorkFile>> copyMember(StringRef Name,
                                                 StringRef First, uint64_t Size,
                                                 PackageBytes Bytes);

  // The second pass.
  void convertAll();
  void convertBatch(ArrayRef<AddGroup> Batch);
  std::vector<AddGroup> nextBatch(ArrayRef<AddGroup> Groups, size_t &Next);
  uint64_t missingBytes(const AddGroup &G, std::set<size_t> &Sources) const;
  void fetch(ArrayRef<AddGroup> Batch);
  Error fetchFrom(size_t Source, const std::set<uint64_t> &Members);
  void release(ArrayRef<AddGroup> Batch);
  ConvertOptions conversion() const;

  bool isWanted(size_t Job, Binary &File) override;
  void warning(size_t Job, const Twine &Message) override;
  void finished(size_t Job, Expected<ConvertStatistics> *Result) override;
  Error store(size_t Job);
  std::string withNames(std::string Text, size_t Job) const;

  void fail(Error E);
  void progress(StringRef Phase, uint64_t Done, uint64_t Total);

  SymbolStore &Store;
  const AddOptions &Options;
  AddObserver &Observer;
  const unsigned Threads;

  std::vector<AddSource> Sources;
  /// Bytes in the work folder.
  std::atomic<uint64_t> Used{0};
  /// Held by who writes a member for which there is no room to stay.
  std::mutex Scratch;

  /// Guards the members below, and the observer.
  std::mutex Mutex;
  AddCounts Counts;
  uint64_t SourcesDone = 0;
  uint64_t ToConvert = 0, Converted = 0;
  StringSet<> PresentIDs, AbsentIDs;
  /// Sorted by source and member after the first pass.
  std::vector<Input> Inputs;

  /// The jobs of the batch at work.
  std::vector<AddGroup> Batch;
  std::vector<ConvertJob> Jobs;
};

} // namespace

Adder::Adder(SymbolStore &Store, const AddOptions &Options,
             AddObserver &Observer)
    : Store(Store), Options(Options), Observer(Observer),
      Threads(Options.Conversion.Threads
                  ? Options.Conversion.Threads
                  : hardware_concurrency().compute_thread_count()) {}

void Adder::fail(Error E) {
  // The rest of a package that was not read is no failure.
  if (Observer.isCancelled())
    return consumeError(std::move(E));
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Counts.Failed;
  Observer.failed(std::move(E));
}

void Adder::progress(StringRef Phase, uint64_t Done, uint64_t Total) {
  Observer.progress(Phase, Done, Total);
}

//===----------------------------------------------------------------------===//
// The first pass
//===----------------------------------------------------------------------===//

/// The first bytes of the file \p Path.
static Expected<std::string> firstBytes(const std::string &Path) {
  Expected<sys::fs::file_t> File = sys::fs::openNativeFileForRead(Path);
  if (!File)
    return make_error<SystemError>(errorToErrorCode(File.takeError()), Path);
  char Bytes[512];
  Expected<size_t> Size = sys::fs::readNativeFile(*File, Bytes);
  sys::fs::closeFile(*File);
  if (!Size)
    return make_error<SystemError>(errorToErrorCode(Size.takeError()), Path);
  return std::string(Bytes, *Size);
}

bool Adder::isPresent(ArrayRef<uint8_t> BuildID) {
  std::string Digits = toHex(BuildID);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (PresentIDs.contains(Digits))
      return true;
    if (Options.Force || AbsentIDs.contains(Digits))
      return false;
  }
  Expected<bool> IsThere = Store.contains(BuildID);
  // Adding it says what is wrong with the store.
  bool Present = IsThere && *IsThere;
  consumeError(IsThere.takeError());
  std::lock_guard<std::mutex> Lock(Mutex);
  if (!Present)
    AbsentIDs.insert(Digits);
  else if (PresentIDs.insert(Digits).second)
    ++Counts.Present;
  return Present;
}

/// Keeps \p I for the second pass, unless the store has it.
void Adder::take(AddInput I, std::shared_ptr<WorkFile> File, size_t Source,
                 uint64_t Member) {
  if (I.Kind != InputKind::Supplementary && isPresent(I.BuildID))
    return;
  I.Source = Source;
  I.Member = Member;
  I.IsNamed = Sources[Source].IsNamed && !isNamedLikePackage(I.Name);
  std::lock_guard<std::mutex> Lock(Mutex);
  Inputs.emplace_back(std::move(I), std::move(File));
}

void Adder::scanSource(size_t Source) {
  const AddSource &S = Sources[Source];
  Expected<std::string> First = firstBytes(S.Path);
  if (!First)
    return fail(First.takeError());
  // Kernel modules are compressed, too.
  bool IsPacked = mayBePackage(*First) && isPackedBinary(S.Path);
  if (mayBePackage(*First) && !IsPacked &&
      (S.IsNamed || isNamedLikePackage(S.Path))) {
    if (Error E = scanPackage(Source))
      fail(std::move(E));
    return;
  }
  if (!IsPacked && !mayBeBinary(*First)) {
    if (S.IsNamed)
      fail(make_error<NotABinaryError>(S.Path,
                                       "neither a binary nor a package"));
    return;
  }
  Expected<std::optional<AddInput>> I = describeInput(S.Path, S.Path);
  if (I && *I)
    return take(std::move(**I), nullptr, Source, 0);
  if (S.IsNamed)
    return fail(I ? make_error<MissingInformationError>(
                        S.Path, "it has no code or no build ID, by which a "
                                "store finds archives")
                  : I.takeError());
  // Folders have objects, plugins of compilers and what only looks like a
  // binary.
  consumeError(I.takeError());
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Counts.Skipped;
}

void Adder::scan() {
  std::atomic<size_t> Next{0};
  runOnThreads(Threads, [&] {
    for (size_t I; !Observer.isCancelled() && (I = Next++) < Sources.size();) {
      scanSource(I);
      std::lock_guard<std::mutex> Lock(Mutex);
      progress("Reading inputs", ++SourcesDone, Sources.size());
    }
  });
  llvm::sort(Inputs, [](const Input &A, const Input &B) {
    return std::pair(A.first.Source, A.first.Member) <
           std::pair(B.first.Source, B.first.Member);
  });
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

std::string Adder::nameOf(size_t Source, const PackageMember &Member) const {
  return Sources[Source].Path + "(" + Member.Name + ")";
}

/// Writes a member of \p Size bytes, of which \p First has been read, to the
/// work folder.
Expected<std::shared_ptr<WorkFile>> Adder::copyMember(StringRef Name,
                                                      StringRef First,
                                                      uint64_t Size,
                                                      PackageBytes Bytes) {
  OutputFileOptions Output;
  Output.RemoveOnSignals = Options.Conversion.Output.RemoveOnSignals;
  ErrorOr<UnfinishedFile> File =
      UnfinishedFile::create(Options.WorkFolder, "member-", "", 0600, Output);
  if (!File)
    return make_error<SystemError>(File.getError(), Options.WorkFolder);
  File->os() << First;
  uint64_t Written = First.size();
  while (true) {
    Expected<StringRef> Piece = Bytes();
    if (!Piece)
      return Piece.takeError();
    if (Piece->empty())
      break;
    Written += Piece->size();
    if (Written > Size)
      return make_error<DamagedError>(Name, "is longer than its package says");
    File->os() << *Piece;
  }
  if (std::error_code EC = File->close())
    return make_error<SystemError>(
        EC, Name,
        "cannot be written to " + Options.WorkFolder + ": " + EC.message());
  Used += Size;
  return std::make_shared<WorkFile>(std::move(*File), Used, Size);
}

Error Adder::scanMember(size_t Source, const PackageMember &Member,
                        PackageBytes Bytes) {
  if (Observer.isCancelled())
    return cancelled();
  std::string First;
  while (First.size() < 64) {
    Expected<StringRef> Piece = Bytes();
    if (!Piece)
      return Piece.takeError();
    if (Piece->empty())
      break;
    First += Piece->str();
  }
  if (!mayBeBinary(StringRef(First).take_front(64)))
    return Error::success();
  std::string Name = nameOf(Source, Member);
  uint64_t Room = Options.MaxDisk / 2;
  if (Member.Size > Room) {
    fail(make_error<LimitError>(
        Name, formatv("its {0} bytes are more than half of the {1} that the "
                      "work folder may take: allow more (--max-disk=)",
                      Member.Size, Options.MaxDisk)));
    return Error::success();
  }
  std::unique_lock<std::mutex> Alone(Scratch, std::defer_lock);
  bool Stays = Used + Member.Size * Threads <= Room;
  if (!Stays)
    Alone.lock();
  Expected<std::shared_ptr<WorkFile>> File =
      copyMember(Name, First, Member.Size, Bytes);
  if (!File)
    return File.takeError();
  Expected<std::optional<AddInput>> I =
      describeInput((*File)->File.path(), Name);
  if (I && *I) {
    if (!Stays) {
      (*I)->Path.clear();
      File->reset();
    }
    take(std::move(**I), std::move(*File), Source, Member.Index);
    return Error::success();
  }
  consumeError(I.takeError());
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Counts.Skipped;
  return Error::success();
}

Error Adder::scanPackage(size_t Source) {
  return readPackage(Sources[Source].Path,
                     [&](const PackageMember &Member, PackageBytes Bytes) {
                       return scanMember(Source, Member, Bytes);
                     });
}

/// Reads \p Members of the package again.
Error Adder::fetchFrom(size_t Source, const std::set<uint64_t> &Members) {
  return readPackage(
      Sources[Source].Path,
      [&](const PackageMember &Member, PackageBytes Bytes) -> Error {
        if (Observer.isCancelled())
          return cancelled();
        if (!Members.count(Member.Index))
          return Error::success();
        Expected<std::shared_ptr<WorkFile>> File =
            copyMember(nameOf(Source, Member), "", Member.Size, Bytes);
        if (!File)
          return File.takeError();
        for (Input &I : Inputs)
          if (I.first.Source == Source && I.first.Member == Member.Index) {
            I.first.Path = (*File)->File.path();
            I.second = std::move(*File);
            break;
          }
        return Error::success();
      });
}

//===----------------------------------------------------------------------===//
// The second pass
//===----------------------------------------------------------------------===//

ConvertOptions Adder::conversion() const {
  ConvertOptions O = Options.Conversion;
  keepAllForLookup(O);
  if (Store.options().Layout == StoreLayout::Pyroscope) {
    O.Archive.Extension = false;
    O.Archive.Columns = false;
    O.FindReturnPads = nullptr;
    O.Compress.reset();
  } else if (!O.Compress) {
    O.Compress.emplace();
    O.Compress->Threads = Threads;
  }
  auto Known = std::make_shared<StringMap<std::string>>();
  for (const Input &I : Inputs)
    if (!I.first.Path.empty() && I.first.Kind != InputKind::Program)
      Known->try_emplace(toHex(I.first.BuildID, /*LowerCase=*/true),
                         I.first.Path);
  O.Search.Known = std::move(Known);
  return O;
}

bool Adder::isWanted(size_t Job, Binary &) {
  if (Observer.isCancelled())
    return false;
  if (Options.Conversion.Output.RemoveOnSignals)
    sys::RemoveFileOnSignal(Jobs[Job].Output);
  return true;
}

/// \p Text with the names of inputs for those of files in the work folder.
std::string Adder::withNames(std::string Text, size_t Job) const {
  if (StringRef Rest = Text; Rest.consume_front(Jobs[Job].Output))
    Text = Batch[Job].Main->Name + ": cannot be written to " +
           Options.WorkFolder + Rest.str();
  for (const AddInput *I : {Batch[Job].Main, Batch[Job].Debug})
    for (size_t At = 0; I && I->Path != I->Name &&
                        (At = Text.find(I->Path, At)) != std::string::npos;
         At += I->Name.size())
      Text.replace(At, I->Path.size(), I->Name);
  return Text;
}

void Adder::warning(size_t Job, const Twine &Message) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Observer.warning(Batch[Job].Main->Name, withNames(Message.str(), Job));
}

Error Adder::store(size_t Job) {
  Expected<bool> Added =
      Store.add(Batch[Job].Main->BuildID, Jobs[Job].Output,
                Options.Force ? PutMode::Replace : PutMode::IfAbsent);
  if (!Added)
    return Added.takeError();
  std::lock_guard<std::mutex> Lock(Mutex);
  // Somebody else may have added it meanwhile.
  ++(*Added ? Counts.Added : Counts.Present);
  return Error::success();
}

void Adder::finished(size_t Job, Expected<ConvertStatistics> *Result) {
  // It was cancelled.
  if (!Result)
    return;
  const AddInput &Main = *Batch[Job].Main;
  if (*Result) {
    if (Error E = store(Job))
      fail(addPrefix(Main.Name, std::move(E)));
  } else {
    Error E = Result->takeError();
    if (E.isA<MissingInformationError>() && !Main.IsNamed) {
      consumeError(std::move(E));
      std::lock_guard<std::mutex> Lock(Mutex);
      ++Counts.Skipped;
    } else {
      std::unique_ptr<LidiaError> Ours = toLidiaError(std::move(E));
      fail(make_error<SystemError>(Ours->convertToErrorCode(), "",
                                   withNames(Ours->message(), Job)));
    }
  }
  (void)sys::fs::remove(Jobs[Job].Output);
  if (Options.Conversion.Output.RemoveOnSignals)
    sys::DontRemoveFileOnSignal(Jobs[Job].Output);
  std::lock_guard<std::mutex> Lock(Mutex);
  progress("Making archives", ++Converted, ToConvert);
}

void Adder::convertBatch(ArrayRef<AddGroup> Wanted) {
  Batch.assign(Wanted.begin(), Wanted.end());
  Jobs.clear();
  ConvertOptions O = conversion();
  for (auto [I, G] : enumerate(Batch))
    Jobs.push_back({G.Main->Path, Options.WorkFolder + "/archive-" + utostr(I) +
                                      ArchiveExtension});
  convertMany(Jobs, O, *this, Options.Limits);
}

static bool isOnDisk(const AddGroup &G) {
  return !G.Main->Path.empty() && (!G.Debug || !G.Debug->Path.empty());
}

/// The bytes that reading \p G again writes. Adds its packages to \p Sources,
/// whose supplementary files are read, too.
uint64_t Adder::missingBytes(const AddGroup &G,
                             std::set<size_t> &Sources) const {
  uint64_t Bytes = 0;
  for (const AddInput *I : {G.Main, G.Debug}) {
    if (!I || !I->Path.empty())
      continue;
    Bytes += I->Size;
    if (!Sources.insert(I->Source).second)
      continue;
    for (const Input &Other : Inputs)
      if (Other.first.Source == I->Source && Other.first.Path.empty() &&
          Other.first.Kind == InputKind::Supplementary)
        Bytes += Other.first.Size;
  }
  return Bytes;
}

/// As many of \p Groups from \p Next on as fit into the work folder.
std::vector<AddGroup> Adder::nextBatch(ArrayRef<AddGroup> Groups,
                                       size_t &Next) {
  std::vector<AddGroup> Result;
  std::set<size_t> Packages;
  uint64_t Bytes = Used;
  for (; Next != Groups.size(); ++Next) {
    uint64_t More = missingBytes(Groups[Next], Packages);
    if (Bytes + More > Options.MaxDisk && !Result.empty())
      break;
    if (Bytes + More > Options.MaxDisk) {
      fail(make_error<LimitError>(
          Groups[Next].Main->Name,
          formatv("it and its debug file take {0} bytes, more than the work "
                  "folder has left of {1}: allow more (--max-disk=)",
                  More, Options.MaxDisk)));
      Packages.clear();
      continue;
    }
    Bytes += More;
    Result.push_back(Groups[Next]);
  }
  return Result;
}

/// Reads what \p Batch lacks from its packages.
void Adder::fetch(ArrayRef<AddGroup> Batch) {
  std::map<size_t, std::set<uint64_t>> Wanted;
  for (const AddGroup &G : Batch)
    for (const AddInput *I : {G.Main, G.Debug})
      if (I && I->Path.empty())
        Wanted[I->Source].insert(I->Member);
  for (const Input &I : Inputs)
    if (I.first.Kind == InputKind::Supplementary && I.first.Path.empty())
      if (auto At = Wanted.find(I.first.Source); At != Wanted.end())
        At->second.insert(I.first.Member);
  for (const auto &[Source, Members] : Wanted)
    if (Error E = fetchFrom(Source, Members))
      fail(std::move(E));
}

/// Removes the files of \p Batch from the work folder.
void Adder::release(ArrayRef<AddGroup> Batch) {
  std::set<const AddInput *> Done;
  for (const AddGroup &G : Batch)
    Done.insert({G.Main, G.Debug});
  for (Input &I : Inputs)
    if (I.second && Done.count(&I.first)) {
      I.second.reset();
      I.first.Path.clear();
    }
}

void Adder::convertAll() {
  std::vector<AddGroup> OnDisk, Others;
  // The inputs stay where they are from here on.
  std::vector<const AddInput *> All;
  for (const Input &I : Inputs)
    All.push_back(&I.first);
  std::vector<AddGroup> Groups = groupInputs(All);
  for (const AddGroup &G : Groups)
    (isOnDisk(G) ? OnDisk : Others).push_back(G);
  ToConvert = Groups.size();
  convertBatch(OnDisk);
  release(OnDisk);
  for (size_t Next = 0; Next != Others.size() && !Observer.isCancelled();) {
    std::vector<AddGroup> Fitting = nextBatch(Others, Next);
    fetch(Fitting);
    // Those that could not be read have failed.
    std::vector<AddGroup> Read = Fitting;
    erase_if(Read, [](const AddGroup &G) { return !isOnDisk(G); });
    convertBatch(Read);
    release(Fitting);
  }
}

Expected<AddCounts> Adder::run(ArrayRef<std::string> Names) {
  Sources = findSources(Names, [this](Error E) { fail(std::move(E)); });
  scan();
  convertAll();
  if (Observer.isCancelled())
    return cancelled();
  return Counts;
}

Expected<AddCounts> lidia::addToStore(SymbolStore &Store,
                                      ArrayRef<std::string> Inputs,
                                      const AddOptions &Options,
                                      AddObserver &Observer) {
  if (!sys::fs::is_directory(Options.WorkFolder))
    return make_error<ArgumentError>(Options.WorkFolder, "not a folder");
  return Adder(Store, Options, Observer).run(Inputs);
}
