//===- AddBatches.cpp - The second pass of addToStore() -------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Begins with the files that are on the disk. Then reads the other packages
/// again, each once: while a package is read, archives are made whenever its
/// members fill the work folder. If too many pairs wait for their second half,
/// the rest is left for another round.
///
//===----------------------------------------------------------------------===//

#include "AddBatches.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Error.h"
#include "lidia/Support/Interrupt.h"
#include "lidia/Symbolize/Names.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace lidia;
using namespace llvm;

namespace {

/// Makes the archives of groups whose files are on the disk.
class BatchConversion final : ConvertManyObserver {
public:
  BatchConversion(ConvertOptions Conversion, const AddOptions &Options,
                  const std::string &Folder, size_t Total, AddState &State)
      : Conversion(std::move(Conversion)), Options(Options), Folder(Folder),
        Total(Total), State(State) {}

  void run(ArrayRef<AddGroup> Groups);

private:
  bool isWanted(size_t Job, Binary &File) override;
  void warning(size_t Job, const Twine &Message) override;
  void finished(size_t Job, Expected<ConvertStatistics> *Result) override;
  bool isCancelled() override { return State.isStopped(); }
  void failed(size_t Job, Error E);
  std::string withNames(std::string Text, size_t Job) const;
  StringRef pathOf(const AddInput &I) const;

  const ConvertOptions Conversion;
  const AddOptions &Options;
  const std::string &Folder;
  const size_t Total;
  AddState &State;
  std::atomic<size_t> Done{0};

  /// The groups that are being converted.
  ArrayRef<AddGroup> Batch;
  std::vector<ConvertJob> Jobs;
  std::vector<std::unique_ptr<RemovedOnSignal>> Outputs;
};

/// One call of addArchives().
class ArchiveMaker {
public:
  ArchiveMaker(ArrayRef<std::unique_ptr<ScannedInput>> Inputs,
               ArrayRef<AddSource> Sources, StoreLayout Layout,
               const AddOptions &Options, unsigned Threads, WorkFolder &Folder,
               AddState &State);

  void run();

private:
  ConvertOptions conversion() const;
  void convertReady();
  std::vector<size_t> order() const;
  void runRound(uint64_t MaxWaiting);
  void dropFailed();
  void failFirst();
  void readSupplementary(size_t Source);
  void readMembers(size_t Source, std::set<uint64_t> Members);
  Error readMember(size_t Source, const PackageMember &Member,
                   PackageBytes Bytes);
  void release(const AddInput *I);

  const ArrayRef<std::unique_ptr<ScannedInput>> Inputs;
  const ArrayRef<AddSource> Sources;
  const StoreLayout Layout;
  const AddOptions &Options;
  const unsigned Threads;
  WorkFolder &Folder;
  AddState &State;

  DenseMap<const AddInput *, ScannedInput *> ByInput;
  std::map<std::pair<size_t, uint64_t>, ScannedInput *> ByMember;
  /// Groups whose archives have not been made yet.
  std::vector<AddGroup> Groups;
  /// Packages that could not be read again.
  std::set<size_t> Failed;
  size_t Total = 0;
};

/// Stores readable names, after what another transformer has changed: Pyroscope
/// shows the names of an archive as they are.
class ReadableNames final : public Transformer {
public:
  explicit ReadableNames(std::shared_ptr<const Transformer> First)
      : First(std::move(First)) {}

  std::string fingerprint() const override {
    return "readable " + (First ? First->fingerprint() : "");
  }
  void transformFunction(FunctionNames &Function,
                         StringRef File) const override {
    if (First)
      First->transformFunction(Function, File);
    Function.Name = readableName(Function.Name);
    Function.SourceName.clear();
  }
  void transformFile(std::string &Path) const override {
    if (First)
      First->transformFile(Path);
  }
  bool transformsPositions() const override {
    return First && First->transformsPositions();
  }
  void transformPosition(SourcePosition &Position,
                         StringRef Callee) const override {
    First->transformPosition(Position, Callee);
  }

private:
  const std::shared_ptr<const Transformer> First;
};

} // namespace

//===----------------------------------------------------------------------===//
// BatchConversion
//===----------------------------------------------------------------------===//

void BatchConversion::run(ArrayRef<AddGroup> Groups) {
  Batch = Groups;
  Jobs.clear();
  Outputs.clear();
  for (auto [I, G] : enumerate(Batch))
    Jobs.push_back(
        {G.Main->Path, Folder + "/archive-" + utostr(I) + ArchiveExtension});
  Outputs.resize(Jobs.size());
  convertMany(Jobs, Conversion, *this, Options.Limits);
}

bool BatchConversion::isWanted(size_t Job, Binary &) {
  if (State.isStopped())
    return false;
  if (Conversion.Output.RemoveOnSignals)
    Outputs[Job] = std::make_unique<RemovedOnSignal>(Jobs[Job].Output);
  return true;
}

/// \p Text with paths in the work folder replaced by the names of inputs.
std::string BatchConversion::withNames(std::string Text, size_t Job) const {
  if (StringRef Rest = Text; Rest.consume_front(Jobs[Job].Output))
    Text =
        Batch[Job].Main->Name + ": cannot be written to " + Folder + Rest.str();
  for (const AddInput *I : {Batch[Job].Main, Batch[Job].Debug})
    for (size_t At = 0; I && I->Path != I->Name &&
                        (At = Text.find(I->Path, At)) != std::string::npos;
         At += I->Name.size())
      Text.replace(At, I->Path.size(), I->Name);
  return Text;
}

/// The path that has the name of the binary \p I; empty if none has.
StringRef BatchConversion::pathOf(const AddInput &I) const {
  if (!I.PathInPackage.empty())
    return I.PathInPackage;
  return Options.HasNames ? StringRef(I.Path) : "";
}

void BatchConversion::warning(size_t Job, const Twine &Message) {
  State.warn(Batch[Job].Main->Name, withNames(Message.str(), Job));
}

void BatchConversion::failed(size_t Job, Error E) {
  if (State.isStopped()) {
    consumeError(std::move(E));
    return State.leave();
  }
  if (E.isA<MissingInformationError>() && !Batch[Job].Main->IsNamed) {
    consumeError(std::move(E));
    return State.skip();
  }
  std::unique_ptr<LidiaError> Ours = toLidiaError(std::move(E));
  State.fail(make_error<SystemError>(Ours->convertToErrorCode(), "",
                                     withNames(Ours->message(), Job)));
}

void BatchConversion::finished(size_t Job,
                               Expected<ConvertStatistics> *Result) {
  if (!Result)
    return State.leave();
  InterruptScope Scope([&] { return !State.isCancelled(); });
  const AddInput &Main = *Batch[Job].Main;
  if (*Result)
    State.add(Main.BuildID, Jobs[Job].Output, Main.Name, pathOf(Main),
              Batch[Job].FileHashes);
  else
    failed(Job, Result->takeError());
  (void)sys::fs::remove(Jobs[Job].Output);
  Outputs[Job].reset();
  State.progress("Making archives", ++Done, Total);
}

//===----------------------------------------------------------------------===//
// ArchiveMaker
//===----------------------------------------------------------------------===//

ArchiveMaker::ArchiveMaker(ArrayRef<std::unique_ptr<ScannedInput>> Inputs,
                           ArrayRef<AddSource> Sources, StoreLayout Layout,
                           const AddOptions &Options, unsigned Threads,
                           WorkFolder &Folder, AddState &State)
    : Inputs(Inputs), Sources(Sources), Layout(Layout), Options(Options),
      Threads(Threads), Folder(Folder), State(State) {
  std::vector<const AddInput *> All;
  for (const std::unique_ptr<ScannedInput> &I : Inputs) {
    All.push_back(&I->Input);
    ByInput[&I->Input] = I.get();
    ByMember[{I->Input.Source, I->Input.Member}] = I.get();
  }
  Groups = groupInputs(All);
  Total = Groups.size();
}

ConvertOptions ArchiveMaker::conversion() const {
  ConvertOptions O = Options.Conversion;
  keepAllForLookup(O);
  O.FileHashAsID = true;
  if (Layout == StoreLayout::Pyroscope) {
    O.Archive.Extension = false;
    O.Archive.Columns = false;
    O.FindReturnPads = nullptr;
    O.Compress.reset();
    O.Transform = std::make_shared<ReadableNames>(O.Transform);
  } else if (!O.Compress) {
    O.Compress.emplace();
    O.Compress->Threads = Threads;
  }
  auto Known = std::make_shared<StringMap<std::string>>();
  for (const std::unique_ptr<ScannedInput> &I : Inputs)
    if (!I->Input.Path.empty() && I->Input.Kind != InputKind::Program)
      Known->try_emplace(toHex(I->Input.BuildID, /*LowerCase=*/true),
                         I->Input.Path);
  O.Search.Known = std::move(Known);
  return O;
}

static bool isOnDisk(const AddGroup &G) {
  return !G.Main->Path.empty() && (!G.Debug || !G.Debug->Path.empty());
}

/// Removes the file of \p I from the work folder.
void ArchiveMaker::release(const AddInput *I) {
  if (!I)
    return;
  ScannedInput &Input = *ByInput[I];
  if (!Input.File)
    return;
  Input.File.reset();
  Input.Input.Path.clear();
}

/// Makes the archives whose files are on the disk.
void ArchiveMaker::convertReady() {
  std::vector<AddGroup> Ready;
  std::vector<AddGroup> Rest;
  for (AddGroup &G : Groups)
    (isOnDisk(G) ? Ready : Rest).push_back(std::move(G));
  Groups = std::move(Rest);
  if (Ready.empty())
    return;
  BatchConversion(conversion(), Options, Folder.path(), Total, State)
      .run(Ready);
  for (const AddGroup &G : Ready) {
    release(G.Main);
    release(G.Debug);
  }
}

//===----------------------------------------------------------------------===//
// Reading packages again
//===----------------------------------------------------------------------===//

/// Writes the member to the disk, and makes space for it if necessary.
Error ArchiveMaker::readMember(size_t Source, const PackageMember &Member,
                               PackageBytes Bytes) {
  if (Folder.used() + Member.Size > Folder.max())
    convertReady();
  // Groups that wait for other packages fill the folder: leave this member for
  // another round.
  if (Folder.used() + Member.Size > Folder.max())
    return Error::success();
  Expected<WorkFilePointer> File = Folder.write(
      nameOfMember(Sources[Source], Member), "", Member.Size, Bytes);
  if (!File)
    return File.takeError();
  ScannedInput &Input = *ByMember[{Source, Member.Index}];
  Input.Input.Path = (*File)->path();
  Input.File = std::move(*File);
  return Error::success();
}

/// Reads the package until \p Members have been read.
void ArchiveMaker::readMembers(size_t Source, std::set<uint64_t> Members) {
  Error E = readPackage(
      Sources[Source].Path,
      [&](const PackageMember &Member, PackageBytes Bytes) -> Error {
        if (State.isStopped() || Members.empty())
          return cancelledError("");
        if (!Members.erase(Member.Index))
          return Error::success();
        return readMember(Source, Member, Bytes);
      });
  if (Members.empty())
    return consumeError(std::move(E));
  if (E)
    State.fail(std::move(E));
  Failed.insert(Source);
}

/// Reads the supplementary files that did not fit in the first pass, before the
/// binaries that may need them. This takes another pass over the package.
void ArchiveMaker::readSupplementary(size_t Source) {
  std::set<uint64_t> Members;
  for (auto It = ByMember.lower_bound({Source, 0});
       It != ByMember.end() && It->first.first == Source; ++It)
    if (const AddInput &I = It->second->Input;
        I.Kind == InputKind::Supplementary && I.Path.empty())
      Members.insert(It->first.second);
  if (!Members.empty())
    readMembers(Source, std::move(Members));
}

/// The packages to read, in ascending order of the bytes needed from each,
/// because members of earlier packages wait on the disk for those of later
/// ones.
std::vector<size_t> ArchiveMaker::order() const {
  std::map<size_t, uint64_t> Bytes;
  for (const AddGroup &G : Groups)
    for (const AddInput *I : {G.Main, G.Debug})
      if (I && I->Path.empty())
        Bytes[I->Source] += I->Size;
  std::vector<size_t> Order;
  for (const auto &[Source, Sum] : Bytes)
    Order.push_back(Source);
  llvm::sort(Order, [&](size_t A, size_t B) {
    return std::pair(Bytes.at(A), A) < std::pair(Bytes.at(B), B);
  });
  return Order;
}

/// Reads each package once, and makes the archives of all single binaries, and
/// of pairs: of at least one, and of as many as have their first halves, which
/// wait on the disk for the second, in \p MaxWaiting bytes.
void ArchiveMaker::runRound(uint64_t MaxWaiting) {
  std::vector<size_t> Order = order();
  DenseMap<size_t, size_t> Rank;
  for (auto [I, Source] : enumerate(Order))
    Rank[Source] = I;
  DenseMap<size_t, std::set<uint64_t>> Wanted;
  // Files that stayed on the disk since the first pass wait, too.
  uint64_t Waiting = Folder.used();
  bool AnyWaits = false;
  auto PlaceOf = [&](const AddInput *I) {
    return std::pair(Rank.lookup(I->Source), I->Member);
  };
  for (const AddGroup &G : Groups) {
    if (G.Debug && G.Main->Path.empty() && G.Debug->Path.empty()) {
      const AddInput *First =
          PlaceOf(G.Main) < PlaceOf(G.Debug) ? G.Main : G.Debug;
      if (AnyWaits && Waiting + First->Size > MaxWaiting)
        continue;
      AnyWaits = true;
      Waiting += First->Size;
    }
    for (const AddInput *I : {G.Main, G.Debug})
      if (I && I->Path.empty())
        Wanted[I->Source].insert(I->Member);
  }
  for (size_t Source : Order)
    readSupplementary(Source);
  for (size_t Source : Order)
    if (!State.isStopped() && !Wanted[Source].empty())
      readMembers(Source, Wanted[Source]);
  convertReady();
}

/// Drops groups whose package could not be read.
void ArchiveMaker::dropFailed() {
  erase_if(Groups, [&](const AddGroup &G) {
    return any_of(std::initializer_list<const AddInput *>{G.Main, G.Debug},
                  [&](const AddInput *I) {
                    return I && I->Path.empty() && Failed.count(I->Source);
                  });
  });
}

void ArchiveMaker::failFirst() {
  const AddGroup &G = Groups.front();
  uint64_t Bytes = G.Main->Size + (G.Debug ? G.Debug->Size : 0);
  State.fail(make_error<LimitError>(
      G.Main->Name,
      formatv("it and its debug file take {0} bytes, more than the work "
              "folder has left of {1}: allow more (--max-disk=)",
              Bytes, Folder.max())));
  Groups.erase(Groups.begin());
}

void ArchiveMaker::run() {
  convertReady();
  uint64_t MaxWaiting = Folder.max() / 4 * 3;
  for (bool IsFirst = true; !Groups.empty() && !State.isStopped();
       IsFirst = false) {
    size_t Before = Groups.size();
    runRound(MaxWaiting);
    dropFailed();
    for (const AddGroup &G : Groups) {
      release(G.Main);
      release(G.Debug);
    }
    if (IsFirst || Groups.size() != Before)
      continue;
    // Nothing was made: waiting pairs fill the folder, or one pair is too
    // large.
    if (MaxWaiting)
      MaxWaiting = 0;
    else
      failFirst();
  }
  for (size_t I = 0; I != Groups.size(); ++I)
    State.leave();
}

void lidia::addArchives(ArrayRef<std::unique_ptr<ScannedInput>> Inputs,
                        ArrayRef<AddSource> Sources, StoreLayout Layout,
                        const AddOptions &Options, unsigned Threads,
                        WorkFolder &Folder, AddState &State) {
  ArchiveMaker(Inputs, Sources, Layout, Options, Threads, Folder, State).run();
}
