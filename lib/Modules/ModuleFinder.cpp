//===- ModuleFinder.cpp - Finds the files of modules ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Modules/ModuleFinder.h"
#include "ELFHeaders.h"
#include "ForeignFile.h"
#include "Object/FileHash.h"
#include "PackedModules.h"
#include "Support/NilBuildID.h"
#include "Support/WindowsNames.h"
#include "lidia/Archive/Archive.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Error.h"
#include "lidia/MissError.h"
#include "lidia/Object/FileKind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

static constexpr StringLiteral VDSO = "[vdso]";

//===----------------------------------------------------------------------===//
// One search
//===----------------------------------------------------------------------===//

/// The htlhash of \p File; empty if it cannot be read.
static std::vector<uint8_t> hashOf(const OpenedFile &File) {
  struct stat Status;
  if (::fstat(File.descriptor(), &Status) || Status.st_size < 0)
    return {};
  uint64_t Size = uint64_t(Status.st_size);
  std::vector<uint8_t> First(std::min(Size, FileHashPart)), Last(First.size());
  if (!File.readAll(0, First) || !File.readAll(Size - Last.size(), Last))
    return {};
  FileHash Hash = hashFileParts(toStringRef(First), toStringRef(Last), Size);
  return std::vector<uint8_t>(Hash.begin(), Hash.end());
}

static bool isELF(const OpenedFile &File) {
  std::array<uint8_t, 4> First;
  return File.readAll(0, First) &&
         fileKind(toStringRef(ArrayRef(First))) == FileKind::ELF;
}

/// Whether the file \p Path is named like the module \p Name or like its debug
/// file, or is an archive of one of them.
static bool isNamedAs(StringRef Path, StringRef Name, bool IsDebugFile) {
  StringRef File = sys::path::filename(Path);
  if (!File.consume_back(CompressedArchiveExtension))
    File.consume_back(ArchiveExtension);
  return (!IsDebugFile || File.consume_back(".debug")) && File == Name;
}

/// Whether \p Path is named like the file \p Name of Windows, or like its
/// packed form.
static bool isNamedAsOnWindows(StringRef Path, StringRef Name) {
  StringRef File = sys::path::filename(Path);
  return !Name.empty() && (File.equals_insensitive(Name) ||
                           File.equals_insensitive(packedName(Name)));
}

/// Tries files for one module.
class ModuleFinder::Search {
public:
  Search(const ModuleIdentity &Wanted, ForeignFileReader &Foreign)
      : W(Wanted), Foreign(Foreign) {
    IsDeleted = W.Path.consume_back(" (deleted)");
  }

  ModuleIdentity W;
  bool IsDeleted;

  StringRef name() const {
    return W.IsWindows ? baseNameOfWindows(W.Path)
                       : sys::path::filename(W.Path);
  }
  bool isDone() const { return Found.File != nullptr; }

  /// Takes \p File, whose path is \p Name, if it may be the module.
  void offer(Expected<std::unique_ptr<OpenedFile>> File, StringRef Name,
             ArrayRef<uint8_t> BuildID) {
    if (!File)
      return handleAllErrors(File.takeError(), [&](const ErrorInfoBase &Info) {
        std::error_code EC = Info.convertToErrorCode();
        refuse(EC == std::errc::no_such_file_or_directory ? Missing : Why,
               missOf(Info));
      });
    // The build ID of a compressed module is compared when the module is
    // opened.
    bool NeedsProof = (!W.BuildID.empty() && !W.IsKernelModule) ||
                      !W.FileHash.empty() || W.IsForeign;
    if (!NeedsProof && !isELF(**File)) {
      if (!Other)
        Other = std::move(*File);
      return;
    }
    LoadedModule M;
    M.BuildID = BuildID.vec();
    if (W.IsForeign)
      Foreign.setFile(M, std::move(*File), Name, W.CodeID);
    else
      M.setFile(std::move(File), Name);
    if (M.File && W.BuildID.empty() && !W.FileHash.empty())
      checkHash(M, Name);
    if (M.File)
      Found = std::move(M);
    else if (isNamedLikeModule(Name))
      refuse(Why, M.WhyNoFile);
  }
  void offer(Expected<std::unique_ptr<OpenedFile>> File, StringRef Name) {
    offer(std::move(File), Name, W.BuildID);
  }

  /// Takes the archive \p File of the build \p ItsID if the module is of that
  /// build. An archive does not tell other identifiers of the file that it was
  /// made from.
  void offerArchive(Expected<std::unique_ptr<OpenedFile>> File, StringRef Name,
                    ArrayRef<uint8_t> ItsID) {
    bool IsUnproven = !W.FileHash.empty() || !W.CodeID.empty();
    if (!File)
      refuse(Why, missOf(File.takeError()));
    else if (!W.BuildID.empty() && W.BuildID != ItsID)
      refuse(Why, isAnotherBuild(Name, ItsID, W.BuildID));
    else if (W.BuildID.empty() && IsUnproven)
      refuse(Why, {MissCode::OtherBuild,
                   (Name + " is an archive, and only the hash of the module's "
                           "file is known")
                       .str()});
    else
      Found.File = std::move(*File);
  }

  /// Returns the module. If it has no file, its reason is the one against the
  /// first candidate, or \p Otherwise if there was no candidate.
  LoadedModule take(StringRef Otherwise) {
    if (!isDone() && Other)
      Found.File = std::move(Other);
    if (isDone())
      return std::move(Found);
    LoadedModule None;
    None.BuildID = W.BuildID.vec();
    std::string Name = W.Path.empty() ? toHex(W.BuildID, true) : W.Path.str();
    None.WhyNoFile =
        !Why.empty() ? Why
        : !Missing.empty()
            ? Missing
            : Miss{MissCode::NoFile,
                   (Name + (IsDeleted ? " (deleted)" : "") + ": " + Otherwise)
                       .str()};
    return None;
  }

private:
  static void refuse(Miss &First, Miss Reason) {
    if (First.empty())
      First = std::move(Reason);
  }

  bool isNamedLikeModule(StringRef Path) const {
    if (W.IsWindows)
      return isNamedAsOnWindows(Path, name()) ||
             isNamedAsOnWindows(Path, baseNameOfWindows(W.DebugFile));
    return isNamedAs(Path, name(), /*IsDebugFile=*/false) ||
           isNamedAs(Path, name(), /*IsDebugFile=*/true);
  }

  void checkHash(LoadedModule &M, StringRef Name) const {
    std::vector<uint8_t> Hash = hashOf(*M.File);
    if (ArrayRef(Hash) == W.FileHash)
      return;
    M.File.reset();
    M.WhyNoFile = {MissCode::OtherBuild,
                   (Name + " is another file: its htlhash is " +
                    toHex(Hash, true) + " instead of " +
                    toHex(W.FileHash, true))
                       .str()};
  }

  ForeignFileReader &Foreign;
  LoadedModule Found;
  /// The first file that is not ELF, but has the module's name.
  std::unique_ptr<OpenedFile> Other;
  /// The first reason against an existing file, and the first missing file.
  Miss Why;
  Miss Missing;
};

//===----------------------------------------------------------------------===//
// Files that the user named
//===----------------------------------------------------------------------===//

ModuleFinder::ModuleFinder(const FileSources &Sources)
    : TrustNames(Sources.TrustNames), HowToAllow(Sources.HowToAllow),
      Foreign(std::make_unique<ForeignFileReader>()) {}

ModuleFinder::~ModuleFinder() = default;

Error ModuleFinder::addFile(const std::string &Path) {
  Expected<std::unique_ptr<OpenedFile>> File = openRegularFile(AT_FDCWD, Path);
  if (!File)
    return File.takeError();
  NamedFile &N = Files.emplace_back();
  N.Path = Path;
  N.FileHash = hashOf(**File);
  FileKind Kind = fileKindOf(**File);
  if (Kind == FileKind::Archive || Kind == FileKind::Zstd) {
    if (Expected<Archive> A = Archive::open((*File)->path())) {
      N.IsArchive = true;
      N.BuildID = A->info() ? A->info()->BuildID.vec() : std::vector<uint8_t>();
    } else {
      consumeError(A.takeError());
    }
    return Error::success();
  }
  if (Kind == FileKind::Unknown)
    return neitherBinaryNorArchive(Path);
  LoadedModule M;
  M.setFile(std::move(File), Path);
  N.BuildID = std::move(M.BuildID);
  return Error::success();
}

/// Adds the folder of the running kernel's modules, if there is one.
void ModuleFinder::addRunningKernel() {
  struct utsname Running;
  if (::uname(&Running) != 0)
    return;
  StringRef Above = Root ? Root->path().rtrim('/') : StringRef();
  Expected<RootFolder> Modules =
      RootFolder::open(Above + "/lib/modules/" + Running.release);
  if (Modules)
    KernelFolders.emplace_back(std::move(*Modules));
  else
    consumeError(Modules.takeError());
}

Expected<std::unique_ptr<ModuleFinder>>
ModuleFinder::create(const FileSources &Sources) {
  std::unique_ptr<ModuleFinder> Finder(new ModuleFinder(Sources));
  for (const std::string &Path : Sources.Files)
    if (Error E = Finder->addFile(Path))
      return E;
  for (const std::string &Path : Sources.Folders) {
    Expected<RootFolder> Opened = RootFolder::open(Path);
    if (!Opened)
      return Opened.takeError();
    Finder->Folders.emplace_back(std::move(*Opened));
  }
  if (!Sources.Root.empty()) {
    Expected<RootFolder> Opened = RootFolder::open(Sources.Root);
    if (!Opened)
      return Opened.takeError();
    Finder->Root.emplace(std::move(*Opened));
  }
  SmallString<128> Here;
  if (Sources.Root == "/" && !sys::fs::current_path(Here))
    Finder->WorkingFolder = Here.str().str();
  if (Sources.RunningKernel)
    Finder->addRunningKernel();
  return Finder;
}

void ModuleFinder::searchFiles(Search &S) {
  const ModuleIdentity &W = S.W;
  auto Offer = [&](const NamedFile &N, ArrayRef<uint8_t> BuildID) {
    if (S.isDone())
      return;
    Expected<std::unique_ptr<OpenedFile>> File =
        openRegularFile(AT_FDCWD, N.Path);
    if (N.IsArchive)
      S.offerArchive(std::move(File), N.Path, N.BuildID);
    else
      S.offer(std::move(File), N.Path, BuildID);
  };
  for (const NamedFile &N : Files)
    if (W.BuildID.empty()
            ? !W.FileHash.empty() && ArrayRef(N.FileHash) == W.FileHash
            : ArrayRef(N.BuildID) == W.BuildID)
      Offer(N, N.BuildID);
  bool IsAlone = W.IsProgram && Files.size() == 1;
  for (bool IsDebugFile : {false, true})
    for (const NamedFile &N : Files) {
      if (!isNamedAs(N.Path, S.name(), IsDebugFile) && !IsAlone)
        continue;
      // A file without a build ID may be of the same build.
      bool IsTrusted = TrustNames && N.BuildID.empty();
      Offer(N, IsTrusted ? ArrayRef<uint8_t>() : W.BuildID);
    }
}

//===----------------------------------------------------------------------===//
// The kernel's modules
//===----------------------------------------------------------------------===//

/// The name of the module that the file \p Name, without its extensions, has.
static std::string kernelModuleName(StringRef Name) {
  std::string Result = Name.str();
  std::replace(Result.begin(), Result.end(), '-', '_');
  return Result;
}

/// The name of the kernel module in the file \p Path; empty if it is not a
/// kernel module.
static std::string kernelModuleOf(StringRef Path) {
  StringRef File = sys::path::filename(Path);
  File.consume_back(".xz") || File.consume_back(".zst") ||
      File.consume_back(".debug");
  return File.consume_back(".ko") ? kernelModuleName(File) : "";
}

static uint64_t sizeOf(const OpenedFile &File) {
  struct stat Status;
  return ::fstat(File.descriptor(), &Status) ? 0 : uint64_t(Status.st_size);
}

/// The largest of \p Files, which has the debug information; null if they are
/// of several builds, as the modules of several kernels are.
static LoadedModule *largestOf(MutableArrayRef<LoadedModule> Files) {
  LoadedModule *Best = &Files.front();
  for (LoadedModule &M : Files.drop_front()) {
    if (M.BuildID.empty() || M.BuildID != Best->BuildID)
      return nullptr;
    if (sizeOf(*M.File) > sizeOf(*Best->File))
      Best = &M;
  }
  return Best;
}

LoadedModule ModuleFinder::openKernelModule(const ModuleIdentity &W) {
  std::string Name = kernelModuleName(W.Path);
  std::vector<LoadedModule> Found;
  Miss Why;
  auto Offer = [&](Expected<std::unique_ptr<OpenedFile>> File, StringRef Path) {
    ModuleIdentity Named = W;
    Named.Path = Path;
    Search S(Named, *Foreign);
    S.offer(std::move(File), Path);
    LoadedModule M = S.take("not opened");
    if (M.File)
      Found.push_back(std::move(M));
    else if (Why.empty())
      Why = std::move(M.WhyNoFile);
  };
  for (const NamedFile &N : Files)
    if (kernelModuleOf(N.Path) == Name)
      Offer(openRegularFile(AT_FDCWD, N.Path), N.Path);
  for (std::vector<Folder> *Group : {&Folders, &KernelFolders})
    for (Folder &F : *Group) {
      if (!Found.empty())
        break;
      list(F);
      for (const std::string &Path : F.ByKernelModule.lookup(Name))
        Offer(F.Root.openFile(Path), (F.Root.path() + Path).str());
    }
  if (LoadedModule *Best = Found.empty() ? nullptr : largestOf(Found))
    return std::move(*Best);
  LoadedModule None;
  None.BuildID = W.BuildID.vec();
  if (!Found.empty())
    Why = {MissCode::OtherBuild,
           "several builds: " + Found.front().File->path().str() + " and " +
               Found.back().File->path().str()};
  else if (Why.empty())
    Why = {MissCode::NoFile, hasKernelModules()
                                 ? "neither given nor in the folders to search"
                                 : "not opened: no folder to search is given"};
  None.WhyNoFile = {Why.Code,
                    "kernel module " + W.Path.str() + ": " + Why.Text};
  return None;
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// Lists the folder once.
void ModuleFinder::list(Folder &F) {
  if (std::exchange(F.IsListed, true))
    return;
  F.Root.forEachFile([&](StringRef Path) {
    F.ByName[sys::path::filename(Path)].push_back(Path.str());
    for (const std::string &Library : librariesIn(F.Root, Path))
      F.ByName[sys::path::filename(Library)].push_back(Library);
    if (std::string Name = kernelModuleOf(Path); !Name.empty())
      F.ByKernelModule[Name].push_back(Path.str());
  });
  for (auto *Map : {&F.ByName, &F.ByKernelModule})
    for (auto &Entry : *Map)
      llvm::sort(Entry.second);
}

/// The build ID of \p File, and whether it is a PDB file. Files in cabinet
/// files are left out, because unpacking them takes long.
static std::pair<std::vector<uint8_t>, bool> identify(const OpenedFile &File,
                                                      StringRef Path) {
  if (fileKindOf(File) == FileKind::Cabinet)
    return {};
  if (isForeignFile(File)) {
    Expected<ForeignFile> Its = readForeignFile(File, Path, {});
    if (Its)
      return {std::move(Its->BuildID), Its->IsPDB};
    consumeError(Its.takeError());
    return {};
  }
  Expected<ELFHeaders> Headers = readELFHeaders(File, Path);
  if (!Headers) {
    consumeError(Headers.takeError());
    return {};
  }
  return {readBuildID(File), false};
}

/// Reads the build ID of each file in the folder, once.
void ModuleFinder::readBuildIDs(Folder &F) {
  if (std::exchange(F.BuildIDsRead, true))
    return;
  list(F);
  std::vector<StringRef> Paths;
  for (const auto &Entry : F.ByName)
    Paths.insert(Paths.end(), Entry.second.begin(), Entry.second.end());
  llvm::sort(Paths);
  for (StringRef Path : Paths) {
    Expected<std::unique_ptr<OpenedFile>> File = openIn(F.Root, Path);
    if (!File) {
      consumeError(File.takeError());
      continue;
    }
    auto [ID, IsPDB] = identify(**File, Path);
    if (!ID.empty())
      (IsPDB ? F.PDBByBuildID : F.ByBuildID)
          .try_emplace(toHex(ID, true), Path.str());
  }
}

/// A missing path in a folder is not reported as a reason, because the file may
/// be anywhere in the folder.
void ModuleFinder::offerIn(Search &S, const Folder &F, const Twine &Path) {
  if (S.isDone())
    return;
  std::string Name = Path.str();
  Expected<std::unique_ptr<OpenedFile>> File = openIn(F.Root, Name);
  if (File)
    S.offer(std::move(File), (F.Root.path() + Name).str());
  else
    consumeError(File.takeError());
}

/// Offers the file of the build ID, or the PDB file.
void ModuleFinder::offerOfBuildID(Search &S, Folder &F, bool PDB) {
  if (S.isDone() || S.W.BuildID.empty())
    return;
  readBuildIDs(F);
  const StringMap<std::string> &Map = PDB ? F.PDBByBuildID : F.ByBuildID;
  auto Known = Map.find(toHex(S.W.BuildID, /*LowerCase=*/true));
  if (Known != Map.end())
    offerIn(S, F, Known->second);
}

/// Offers the files with the name \p Name of Windows, first those that are not
/// packed.
void ModuleFinder::offerByLowerName(Search &S, Folder &F, StringRef Name) {
  list(F);
  if (F.ByLowerName.empty())
    for (const auto &Entry : F.ByName)
      append_range(F.ByLowerName[Entry.first().lower()], Entry.second);
  for (const std::string &Wanted : {Name.str(), packedName(Name)}) {
    std::vector<std::string> Paths =
        F.ByLowerName.lookup(StringRef(Wanted).lower());
    llvm::sort(Paths);
    for (const std::string &Path : Paths)
      offerIn(S, F, Path);
  }
}

void ModuleFinder::searchPDB(Search &S, Folder &F) {
  StringRef Name = baseNameOfWindows(S.W.DebugFile);
  if (Name.empty() || S.W.BuildID.empty())
    return;
  offerByLowerName(S, F, Name);
  offerOfBuildID(S, F, /*PDB=*/true);
}

void ModuleFinder::searchFolder(Search &S, Folder &F) {
  auto Offer = [&](const Twine &Path) { offerIn(S, F, Path); };
  if (S.W.IsWindows) {
    if (!S.name().empty())
      offerByLowerName(S, F, S.name());
    return offerOfBuildID(S, F, /*PDB=*/false);
  }
  StringRef Base = S.name() == "/" ? "" : S.name();
  std::string ID = toHex(S.W.BuildID, /*LowerCase=*/true);
  if (S.W.Path.starts_with("/"))
    Offer(S.W.Path);
  if (!Base.empty() && !ID.empty())
    Offer("/" + ID + "/" + Base);
  if (ID.size() > 2)
    for (StringRef Suffix : {"", ".debug"})
      Offer("/.build-id/" + StringRef(ID).take_front(2) + "/" +
            StringRef(ID).drop_front(2) + Suffix);
  if (!Base.empty())
    Offer("/" + Base);
  if (S.isDone())
    return;
  list(F);
  auto Named = F.ByName.find(Base);
  if (!Base.empty() && Named != F.ByName.end())
    for (const std::string &Path : Named->second)
      Offer(Path);
  offerOfBuildID(S, F, /*PDB=*/false);
}

//===----------------------------------------------------------------------===//
// The file system of the log
//===----------------------------------------------------------------------===//

/// Where the dynamic linkers of Linux look for libraries.
static constexpr StringRef LibraryFolders[] = {"/lib64", "/usr/lib64", "/lib",
                                               "/usr/lib", "/usr/local/lib"};
static constexpr StringRef MultiarchFolders[] = {"/lib", "/usr/lib",
                                                 "/usr/local/lib"};
static constexpr StringRef Multiarch[] = {
    "x86_64-linux-gnu",   "aarch64-linux-gnu",     "i386-linux-gnu",
    "riscv64-linux-gnu",  "powerpc64le-linux-gnu", "s390x-linux-gnu",
    "arm-linux-gnueabihf"};

void ModuleFinder::searchRoot(Search &S) {
  StringRef Path = S.W.Path;
  // The path of a deleted file may name another one now.
  bool MayDiffer = S.IsDeleted && S.W.BuildID.empty() && S.W.FileHash.empty();
  if (!Root || Path.empty() || MayDiffer)
    return;
  auto Offer = [&](const Twine &At) {
    std::string Name = At.str();
    if (!S.isDone())
      S.offer(openIn(*Root, Name), Name);
  };
  if (Path.starts_with("/"))
    return Offer(Path);
  if (!WorkingFolder.empty())
    Offer(WorkingFolder + "/" + Path);
  if (Path.contains('/') || !Path.contains(".so"))
    return;
  for (StringRef Folder : LibraryFolders)
    Offer(Folder + "/" + Path);
  for (StringRef Folder : MultiarchFolders)
    for (StringRef Machine : Multiarch)
      Offer(Folder + "/" + Machine + "/" + Path);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The bytes of the vdso of this process, which the kernel has mapped.
static ArrayRef<uint8_t> ownVDSO() {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Maps =
      MemoryBuffer::getFileAsStream("/proc/self/maps");
  if (!Maps)
    return {};
  StringRef Lines = (*Maps)->getBuffer();
  StringRef Line = Lines.take_front(Lines.find(VDSO)).rsplit('\n').second;
  uint64_t Begin, End;
  if (Line.consumeInteger(16, Begin) || !Line.consume_front("-") ||
      Line.consumeInteger(16, End) || Begin >= End)
    return {};
  return ArrayRef(reinterpret_cast<const uint8_t *>(Begin), End - Begin);
}

/// The vdso of this process, if it has the build ID \p BuildID or that is
/// empty: the kernel maps the same into all, or one for each class of ELF.
static LoadedModule openOwnVDSO(ArrayRef<uint8_t> BuildID) {
  LoadedModule Own;
  if (ArrayRef<uint8_t> Bytes = ownVDSO(); !Bytes.empty())
    Own.setFile(OpenedFile::ofImage(Bytes, VDSO), VDSO);
  if (Own.File && (BuildID.empty() || BuildID.equals(Own.BuildID)))
    return Own;
  LoadedModule None;
  None.BuildID = BuildID.vec();
  None.WhyNoFile = {MissCode::OtherBuild, "it is not that of this system"};
  return None;
}

LoadedModule ModuleFinder::open(const ModuleIdentity &Given) {
  std::lock_guard<std::mutex> Lock(Mutex);
  ModuleIdentity W = Given;
  W.BuildID = usableBuildID(W.BuildID);
  if (W.IsKernelModule)
    return openKernelModule(W);
  if (W.Path == VDSO && isOfThisSystem())
    return openOwnVDSO(W.BuildID);
  Search S(W, *Foreign);
  searchFiles(S);
  for (Folder &F : Folders)
    if (!S.isDone())
      searchFolder(S, F);
  if (!S.isDone() && !W.IsWindows)
    searchRoot(S);
  // The file of the module has more than its PDB file, such as the rows for
  // unwinding, and leads to that.
  for (Folder &F : Folders)
    if (!S.isDone())
      searchPDB(S, F);
  if (S.W.Path.empty() && S.W.BuildID.empty())
    return S.take("no file is named");
  if (S.IsDeleted && W.BuildID.empty() && W.FileHash.empty())
    return S.take("was deleted, and its build ID is not known");
  if (isClosed())
    return S.take(whyNotOpened());
  return S.take("not in the folders to search");
}

bool ModuleFinder::isNamed(StringRef Name) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Name.consume_back(" (deleted)");
  Name = sys::path::filename(Name);
  if (any_of(Files, [&](const NamedFile &N) {
        return isNamedAs(N.Path, Name, /*IsDebugFile=*/false) ||
               isNamedAs(N.Path, Name, /*IsDebugFile=*/true);
      }))
    return true;
  for (Folder &F : Folders) {
    list(F);
    if (F.ByName.contains(Name))
      return true;
  }
  return false;
}

} // namespace lidia
