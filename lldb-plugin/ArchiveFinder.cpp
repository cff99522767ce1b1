//===- ArchiveFinder.cpp - Finds the archive of a module ------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchiveFinder.h"
#include "Object/BinaryIdentity.h"
#include "Object/DebugFiles.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "lidia/Archive/ArchiveOrigin.h"
#include "lidia/Archive/Verify.h"
#include "lidia/Cache/StableArchive.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lidia {

static std::string hex(ArrayRef<uint8_t> BuildID) {
  return toHex(BuildID, /*LowerCase=*/true);
}

/// Null if the file is not an ELF file.
static std::unique_ptr<Binary> openBinary(StringRef Path) {
  if (!sys::fs::is_regular_file(Path))
    return nullptr;
  Expected<std::unique_ptr<Binary>> File = Binary::open(Path);
  if (File)
    return std::move(*File);
  consumeError(File.takeError());
  return nullptr;
}

namespace {
class Search {
public:
  Search(Cache &C, const WantedModule &Module,
         function_ref<void(const Twine &)> Warn)
      : C(C), Module(Module), Warn(Warn) {}

  std::optional<FoundArchive> run(ArrayRef<std::string> Folders);

private:
  std::optional<FoundArchive> tryBoth(const std::string &Path,
                                      const Twine &How);
  std::optional<FoundArchive> tryFile(const std::string &File, bool Packed,
                                      const Twine &How);
  std::optional<FoundArchive> tryCache();
  Expected<Archive> open(StringRef File, StringRef Path);
  Error checkSize(StringRef File, StringRef Path);
  Error checkBuildID(StringRef File, ArrayRef<uint8_t> BuildID);
  Error checkIdentity(const Archive &A, StringRef File);

  Cache &C;
  const WantedModule &Module;
  function_ref<void(const Twine &)> Warn;
};
} // namespace

/// Anybody can copy a build ID, but not the code. A file that does not exist on
/// this machine, or has no code, cannot be compared.
Error Search::checkIdentity(const Archive &A, StringRef File) {
  if (!hasOtherIdentity(Module.Path, *A.info(), Module.BuildID))
    return Error::success();
  return createStringError(File + ": not used for " + Module.Path +
                           ", whose code differs though it has the same build "
                           "ID");
}

/// Limits the size, because archives are read into memory, and a sparse file
/// can have any size.
Error Search::checkSize(StringRef File, StringRef Path) {
  uint64_t Size, ModuleSize;
  if (sys::fs::file_size(Path, Size) ||
      sys::fs::file_size(Module.Path, ModuleSize))
    return Error::success();
  // More than the debug information of any program.
  constexpr uint64_t Small = 64 << 20;
  if (Size <= Small || (Size - Small) / 16 <= ModuleSize)
    return Error::success();
  return createStringError(File + ": not used for " + Module.Path +
                           " automatically, because " + Twine(Size) +
                           " bytes are more than a program of its size needs "
                           "('lidia add' uses it)");
}

Error Search::checkBuildID(StringRef File, ArrayRef<uint8_t> BuildID) {
  if (BuildID.empty())
    return createStringError(File + ": not used for " + Module.Path +
                             " automatically, because it has no build ID "
                             "('lidia add' uses it)");
  if (BuildID == ArrayRef(Module.BuildID))
    return Error::success();
  return createStringError(File + ": not used for " + Module.Path +
                           ", because it was made from another build (build "
                           "ID " +
                           hex(BuildID) + ", not " + hex(Module.BuildID) + ")");
}

/// \p File is the name for messages, \p Path the archive.
Expected<Archive> Search::open(StringRef File, StringRef Path) {
  if (Error E = checkSize(File, Path))
    return E;
  // Do not copy a large archive of another build.
  Expected<std::optional<ArchiveOrigin>> Origin = readArchiveOrigin(Path);
  if (!Origin)
    consumeError(Origin.takeError());
  else if (*Origin && !(*Origin)->BuildID.empty())
    if (Error E = checkBuildID(File, (*Origin)->BuildID))
      return E;
  Expected<Archive> A = openVerifiedArchive(Path);
  if (!A)
    return A;
  if (Error E = checkBuildID(File, A->info() ? A->info()->BuildID
                                             : ArrayRef<uint8_t>()))
    return E;
  if (Error E = checkIdentity(*A, File))
    return E;
  // The cache has the unpacked archive, but it was not verified before.
  if (File != Path)
    if (Error E = A->hasChecksums() ? A->verifyChecksums() : verify(*A))
      return E;
  return A;
}

std::optional<FoundArchive> Search::tryFile(const std::string &File,
                                            bool Packed, const Twine &How) {
  sys::fs::file_status Status;
  if (sys::fs::status(File, Status))
    return std::nullopt;
  if (!sys::fs::is_regular_file(Status)) {
    Warn(File + ": not used, because it is not a regular file");
    return std::nullopt;
  }
  std::string Path = File;
  Expected<Archive> A = [&]() -> Expected<Archive> {
    if (Packed) {
      Expected<CachedFile> Unpacked = cachedUnpacked(C, File);
      if (!Unpacked)
        return Unpacked.takeError();
      Path = Unpacked->Path;
    }
    return open(File, Path);
  }();
  if (A)
    return FoundArchive{File, Path, How.str(), std::move(*A)};
  Warn(toString(A.takeError()));
  return std::nullopt;
}

std::optional<FoundArchive> Search::tryBoth(const std::string &Path,
                                            const Twine &How) {
  if (std::optional<FoundArchive> Plain = tryFile(Path, /*Packed=*/false, How))
    return Plain;
  return tryFile(Path + ".zst", /*Packed=*/true, How);
}

/// Of several archives, selects the newest one with lines. One without lines
/// has no more information than the module's symbol table.
std::optional<FoundArchive> Search::tryCache() {
  if (!C.mayHave(Module.BuildID))
    return std::nullopt;
  for (Archive &A : cachedArchivesOf(C, Module.BuildID)) {
    if (A.rowCount() == 0)
      continue;
    std::string Path = A.name().str();
    // Another binary with the same build ID is no reason for a warning.
    if (Error E = checkIdentity(A, Path)) {
      consumeError(std::move(E));
      continue;
    }
    return FoundArchive{Path, Path, "found in the cache", std::move(A)};
  }
  return std::nullopt;
}

std::optional<FoundArchive> Search::run(ArrayRef<std::string> Folders) {
  // Libraries may have been loaded by a relative path.
  SmallString<256> Path(Module.Path);
  (void)sys::fs::make_absolute(Path);
  if (std::optional<FoundArchive> Beside =
          tryBoth((Path + ArchiveExtension).str(), "found beside it"))
    return Beside;
  // libz.so.1 is a link to libz.so.1.2.13, and the archive may be next to that.
  SmallString<256> Real;
  if (sys::fs::is_symlink_file(Module.Path) &&
      !sys::fs::real_path(Module.Path, Real))
    if (std::optional<FoundArchive> Beside =
            tryBoth((Real + ArchiveExtension).str(), "found beside it"))
      return Beside;
  for (const std::string &Folder : Folders)
    for (const std::string &File :
         filesOfBuildID(Module.BuildID, Folder, ArchiveExtension))
      if (std::optional<FoundArchive> Found =
              tryBoth(File, "found by its build ID below " + Folder))
        return Found;
  return tryCache();
}

std::optional<FoundArchive>
findArchive(Cache &C, const WantedModule &Module, ArrayRef<std::string> Folders,
            function_ref<void(const Twine &Message)> Warn) {
  if (Module.BuildID.size() < 2 || Module.Path.empty())
    return std::nullopt;
  return Search(C, Module, Warn).run(Folders);
}

//===----------------------------------------------------------------------===//
// LLDB's own search
//===----------------------------------------------------------------------===//

/// The file name in .gnu_debuglink; empty if there is none.
static std::string debugLink(Binary &File) {
  const Section *Link = File.findSection(".gnu_debuglink");
  if (!Link)
    return std::string();
  Expected<StringRef> Contents = File.contents(*Link);
  if (!Contents) {
    consumeError(Contents.takeError());
    return std::string();
  }
  return Contents->take_until([](char C) { return C == '\0'; }).str();
}

/// The files that SymbolLocatorDefault checks as debug files of \p Main.
static std::vector<std::string>
debugFilesOfLLDB(Binary &Main, ArrayRef<std::string> Folders) {
  SmallString<256> Real;
  if (sys::fs::real_path(Main.path(), Real))
    Real = Main.path();
  StringRef Beside = sys::path::parent_path(Real);
  std::string Link = debugLink(Main);
  std::vector<std::string> Paths;
  auto Append = [&](const std::string &Folder) {
    append_range(Paths, filesOfBuildID(Main.buildID(), Folder));
    if (Link.empty())
      return;
    Paths.push_back(Folder + "/" + Link);
    Paths.push_back(Folder + "/.debug/" + Link);
    Paths.push_back((Folder + Beside + "/" + Link).str());
  };
  for (const std::string &Folder : Folders)
    Append(Folder);
  Append(Beside.str());
  return Paths;
}

static bool isDebugFile(const std::string &Path, const Binary &Main) {
  if (sys::fs::equivalent(Path, Main.path()))
    return false;
  std::unique_ptr<Binary> Debug = openBinary(Path);
  return Debug && Debug->buildID() == Main.buildID() && hasDWARF(*Debug);
}

std::vector<uint8_t> buildIDWithoutDWARF(StringRef Path) {
  std::unique_ptr<Binary> File = openBinary(Path);
  if (!File || hasDWARF(*File))
    return {};
  return File->buildID().vec();
}

std::string debugFileInLLDB(StringRef Path, ArrayRef<std::string> Folders) {
  std::unique_ptr<Binary> Main = openBinary(Path);
  if (!Main)
    return std::string();
  for (const std::string &Candidate : debugFilesOfLLDB(*Main, Folders))
    if (isDebugFile(Candidate, *Main))
      return Candidate;
  return std::string();
}

} // namespace lidia
