//===- AddScan.cpp - The first pass of addToStore() -----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddScan.h"
#include "ArchiveContents.h"
#include "Object/Binary.h"
#include "PackageRecord.h"
#include "Support/InputFile.h"
#include "Support/Threads.h"
#include "lidia/Error.h"
#include "lidia/Object/FileKind.h"
#include "lidia/Support/Interrupt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>

using namespace lidia;
using namespace llvm;

namespace {

/// What was found in a package.
struct PackageScan {
  size_t Source = 0;
  PackageRecord Found;
  /// Everything was read, and the build IDs are all that it is needed for.
  bool IsComplete = true;
};

class SourceScan {
public:
  SourceScan(ArrayRef<AddSource> Sources, SymbolStore &Store,
             const AddOptions &Options, unsigned Threads, WorkFolder &Folder,
             AddState &State)
      : Sources(Sources), Store(Store), Options(Options), Threads(Threads),
        Folder(Folder), State(State) {}

  std::vector<std::unique_ptr<ScannedInput>> run();

private:
  void scan(size_t Source);
  void scanFile(size_t Source, sys::fs::file_t FD);
  Error scanPackage(size_t Source, sys::fs::file_t FD);
  Error scanMember(PackageScan &Package, const PackageMember &Member,
                   PackageBytes Bytes);
  void scanArchive(const AddSource &S, FileKind Kind);
  bool isRefused(StringRef Name, ArrayRef<uint8_t> BuildID);
  void take(AddInput I, WorkFilePointer File);
  bool isKnown(const PackageRecord &Record);
  bool mayStay(const AddInput &I, uint64_t Size) const;

  const ArrayRef<AddSource> Sources;
  SymbolStore &Store;
  const AddOptions &Options;
  const unsigned Threads;
  WorkFolder &Folder;
  AddState &State;

  /// Held while writing a member if there is not enough space for every thread
  /// to write one.
  std::mutex Scratch;
  /// Protects the inputs.
  std::mutex Mutex;
  std::vector<std::unique_ptr<ScannedInput>> Inputs;
};

} // namespace

std::string lidia::nameOfMember(const AddSource &Package,
                                const PackageMember &Member) {
  return Package.Path + "(" + Member.Name + ")";
}

/// Reports \p BuildID if the caller does not want it.
bool SourceScan::isRefused(StringRef Name, ArrayRef<uint8_t> BuildID) {
  ArrayRef<uint8_t> Only = Options.OnlyBuildID;
  if (Only.empty() || BuildID == Only)
    return false;
  State.fail(make_error<ArgumentError>(
      Name, "it has the build ID " + toHex(BuildID, /*LowerCase=*/true) +
                ", not " + toHex(Only, /*LowerCase=*/true)));
  return true;
}

/// Keeps \p I for the second pass, unless the store has it.
void SourceScan::take(AddInput I, WorkFilePointer File) {
  if (I.Kind != InputKind::Supplementary && isRefused(I.Name, I.BuildID))
    return;
  if (I.Kind != InputKind::Supplementary &&
      State.isPresent(I.BuildID, I.MayHaveLines))
    return;
  auto Kept = std::make_unique<ScannedInput>();
  Kept->Input = std::move(I);
  Kept->File = std::move(File);
  std::lock_guard<std::mutex> Lock(Mutex);
  Inputs.push_back(std::move(Kept));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Whether \p Path has the name of a kernel module. The file may be damaged.
static bool isNamedLikeModule(StringRef Path) {
  return Path.ends_with(".ko.xz") || Path.ends_with(".ko.zst");
}

/// The kind of the open file \p Path.
static Expected<FileKind> kindOf(sys::fs::file_t FD, StringRef Path) {
  char Bytes[FileKindBytes];
  Expected<size_t> Size = sys::fs::readNativeFileSlice(FD, Bytes, 0);
  if (!Size)
    return make_error<SystemError>(errorToErrorCode(Size.takeError()), Path);
  return fileKind(StringRef(Bytes, *Size));
}

/// Adds the archive \p S, which needs no second pass.
void SourceScan::scanArchive(const AddSource &S, FileKind Kind) {
  if (Store.options().Layout == StoreLayout::Pyroscope)
    return State.fail(make_error<UnsupportedError>(
        S.Path, "this layout has archives of its own form: add the binary"));
  Expected<SmallVector<uint8_t, 20>> BuildID = verifyArchive(S.Path);
  if (!BuildID)
    return State.fail(BuildID.takeError());
  if (isRefused(S.Path, *BuildID) ||
      State.isPresent(*BuildID, /*HasLines=*/true))
    return;
  StringRef Path = Options.HasNames ? StringRef(S.Path) : "";
  if (Kind != FileKind::Archive)
    return State.add(*BuildID, S.Path, S.Path, Path);
  Expected<WorkFilePointer> Packed = Folder.compress(S.Path);
  if (!Packed)
    return State.fail(Packed.takeError());
  State.add(*BuildID, (*Packed)->path(), S.Path, Path);
}

void SourceScan::scanFile(size_t Source, sys::fs::file_t FD) {
  const AddSource &S = Sources[Source];
  Expected<FileKind> Kind = kindOf(FD, S.Path);
  if (!Kind)
    return State.fail(Kind.takeError());
  if (S.IsNamed && (*Kind == FileKind::Archive ||
                    (*Kind == FileKind::Zstd && isPackedArchive(S.Path))))
    return scanArchive(S, *Kind);
  // Kernel modules and other binaries may be compressed, too.
  bool IsPacked = mayBePackage(*Kind) && !isSurelyPackage(*Kind) &&
                  (isNamedLikeModule(S.Path) || isPackedBinary(S.Path));
  if (mayBePackage(*Kind) && !IsPacked &&
      (S.IsNamed || isNamedLikePackage(S.Path))) {
    if (Error E = scanPackage(Source, FD))
      State.fail(std::move(E));
    return;
  }
  if (!IsPacked && !mayBeBinary(*Kind)) {
    if (S.IsNamed)
      State.fail(make_error<NotABinaryError>(S.Path,
                                             "neither a binary nor a package"));
    return;
  }
  Expected<std::optional<AddInput>> I =
      describeInput(S.Path, S.Path, Store.options().Layout);
  if (I && *I) {
    (*I)->Source = Source;
    (*I)->IsNamed = S.IsNamed;
    return take(std::move(**I), nullptr);
  }
  if (S.IsNamed)
    return State.fail(I ? make_error<MissingInformationError>(
                              S.Path, "it has no code or no build ID, by which "
                                      "a store finds archives")
                        : I.takeError());
  // Ignore files in folders that are objects, compiler plugins, or only look
  // like binaries.
  consumeError(I.takeError());
  State.skip();
}

void SourceScan::scan(size_t Source) {
  const std::string &Path = Sources[Source].Path;
  Expected<sys::fs::file_t> FD = openRegularFile(Path);
  if (!FD)
    return State.fail(FD.takeError());
  scanFile(Source, *FD);
  sys::fs::closeFile(*FD);
}

std::vector<std::unique_ptr<ScannedInput>> SourceScan::run() {
  std::atomic<size_t> Next{0}, Done{0};
  runOnThreads(Threads, [&] {
    InterruptScope Scope([&] { return !State.isCancelled(); });
    for (size_t I; !State.isStopped() && (I = Next++) < Sources.size();) {
      scan(I);
      State.progress("Reading inputs", ++Done, Sources.size());
    }
  });
  llvm::sort(Inputs, [](const auto &A, const auto &B) {
    return std::pair(A->Input.Source, A->Input.Member) <
           std::pair(B->Input.Source, B->Input.Member);
  });
  return std::move(Inputs);
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

/// Whether the member \p I, of \p Size bytes, may stay on the disk until the
/// second pass.
bool SourceScan::mayStay(const AddInput &I, uint64_t Size) const {
  uint64_t Room = Folder.max() / 2;
  if (I.Kind == InputKind::Supplementary)
    Room += Room / 2;
  return Folder.used() + Size * (Threads - 1) <= Room;
}

Error SourceScan::scanMember(PackageScan &Package, const PackageMember &Member,
                             PackageBytes Bytes) {
  if (State.isStopped())
    return cancelledError("");
  std::string First;
  while (First.size() < 64) {
    Expected<StringRef> Piece = Bytes();
    if (!Piece)
      return Piece.takeError();
    if (Piece->empty())
      break;
    First += Piece->str();
  }
  // Other data may look like a COFF object, which has no build ID anyway.
  FileKind Kind = fileKind(First);
  if (!mayBeBinary(Kind) || Kind == FileKind::COFFObject)
    return Error::success();
  std::string Name = nameOfMember(Sources[Package.Source], Member);
  uint64_t Room = Folder.max() / 2;
  if (Member.Size > Room) {
    Package.IsComplete = false;
    State.fail(make_error<LimitError>(
        Name, formatv("its {0} bytes are more than half of the {1} that the "
                      "work folder may take: allow more (--max-disk=)",
                      Member.Size, Folder.max())));
    return Error::success();
  }
  std::unique_lock<std::mutex> Alone(Scratch, std::defer_lock);
  if (Folder.used() + Member.Size * Threads > Room)
    Alone.lock();
  Expected<WorkFilePointer> File =
      Folder.write(Name, First, Member.Size, Bytes);
  if (!File)
    return File.takeError();
  Expected<std::optional<AddInput>> I =
      describeInput((*File)->path(), Name, Store.options().Layout);
  if (!I || !*I) {
    consumeError(I.takeError());
    ++Package.Found.Skipped;
    State.skip();
    return Error::success();
  }
  AddInput &Input = **I;
  // Other binaries may need it, so the package must be read again next time.
  if (Input.Kind == InputKind::Supplementary)
    Package.IsComplete = false;
  else
    Package.Found.BuildIDs.push_back(Input.BuildID);
  Input.Source = Package.Source;
  Input.Member = Member.Index;
  Input.PathInPackage = Member.Name;
  if (!mayStay(Input, Member.Size)) {
    Input.Path.clear();
    File->reset();
  }
  take(std::move(Input), std::move(*File));
  return Error::success();
}

/// Whether the store has everything in \p Record.
bool SourceScan::isKnown(const PackageRecord &Record) {
  return all_of(Record.BuildIDs,
                [&](const auto &ID) { return State.isPresent(ID); });
}

Error SourceScan::scanPackage(size_t Source, sys::fs::file_t FD) {
  const std::string &Path = Sources[Source].Path;
  PackageRecords Records(Store, Folder.path());
  PackageScan Package;
  Package.Source = Source;
  Expected<std::string> Name = Records.nameOf(FD, Path);
  if (!Name)
    return Name.takeError();
  if (!Options.Force && !Options.Improve)
    if (std::optional<PackageRecord> Record = Records.read(*Name);
        Record && isKnown(*Record)) {
      State.skip(Record->Skipped);
      return Error::success();
    }
  if (Error E = readPackage(
          FD, Path, [&](const PackageMember &Member, PackageBytes Bytes) {
            return scanMember(Package, Member, Bytes);
          }))
    return E;
  if (Package.IsComplete)
    Records.write(*Name, Package.Found);
  return Error::success();
}

std::vector<std::unique_ptr<ScannedInput>>
lidia::scanSources(ArrayRef<AddSource> Sources, SymbolStore &Store,
                   const AddOptions &Options, unsigned Threads,
                   WorkFolder &Folder, AddState &State) {
  return SourceScan(Sources, Store, Options, Threads, Folder, State).run();
}
