//===- ModuleFinder.cpp - Finds the files of modules ----------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Process/ModuleFinder.h"
#include "ELFHeaders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>

using namespace llvm;

namespace lidia {

/// A folder may hold more; those beyond are not found by base name.
static constexpr size_t MaxListed = 1'000'000;

//===----------------------------------------------------------------------===//
// One search
//===----------------------------------------------------------------------===//

/// Tries files for one module.
class ModuleFinder::Search {
public:
  Search(StringRef Path, ArrayRef<uint8_t> BuildID)
      : Path(Path), BuildID(BuildID) {}

  const StringRef Path;
  const ArrayRef<uint8_t> BuildID;

  StringRef name() const { return sys::path::filename(Path); }
  bool isDone() const { return Found != nullptr; }

  /// Takes \p File if it may be the module.
  void offer(Expected<std::unique_ptr<OpenedFile>> File, StringRef Name) {
    if (!File)
      return handleAllErrors(File.takeError(), [&](const ErrorInfoBase &Info) {
        std::error_code EC = Info.convertToErrorCode();
        refuse(EC == std::errc::no_such_file_or_directory ? Missing : Why,
               Info.message());
      });
    if (BuildID.empty()) {
      Found = std::move(*File);
      return;
    }
    std::vector<uint8_t> Own;
    if (Expected<ELFHeaders> Headers = readELFHeaders(**File, Name))
      Own = lidia::readBuildID(**File, *Headers);
    else
      return refuse(Why, toString(Headers.takeError()));
    if (ArrayRef(Own) == BuildID)
      Found = std::move(*File);
    else if (sys::path::filename(Name) == name())
      refuse(Why, (Name + " is another build: its build ID is " +
                   (Own.empty() ? std::string("missing") : toHex(Own, true)) +
                   " instead of " + toHex(BuildID, true))
                      .str());
  }

  /// The file, or the reason against the first; \p Otherwise if there was none.
  Expected<std::unique_ptr<OpenedFile>> take(StringRef Otherwise) {
    if (Found)
      return std::move(Found);
    std::string Name = Path.empty() ? toHex(BuildID, true) : Path.str();
    return createStringError(
        std::make_error_code(std::errc::no_such_file_or_directory),
        !Why.empty()       ? Why
        : !Missing.empty() ? Missing
                           : (Name + ": " + Otherwise).str());
  }

private:
  static void refuse(std::string &First, std::string Reason) {
    if (First.empty())
      First = std::move(Reason);
  }

  std::unique_ptr<OpenedFile> Found;
  /// The first reason against a file that is there, and the first that is not.
  std::string Why;
  std::string Missing;
};

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

ModuleFinder::ModuleFinder(ModuleFinderOptions ItsOptions)
    : Options(std::move(ItsOptions)) {
  for (RootFolder &Root : Options.Folders)
    Folders.push_back({std::move(Root), false, false, {}, {}});
}

/// Lists the folder once.
void ModuleFinder::list(Folder &F) {
  if (std::exchange(F.IsListed, true))
    return;
  std::string Prefix = F.Root.path().rtrim('/').str();
  std::error_code EC;
  size_t Count = 0;
  for (sys::fs::recursive_directory_iterator
           I(F.Root.path(), EC, /*follow_symlinks=*/false),
       E;
       I != E && !EC && Count != MaxListed; I.increment(EC), ++Count) {
    StringRef Path = I->path();
    if (I->type() != sys::fs::file_type::directory_file &&
        Path.consume_front(Prefix))
      F.ByName[sys::path::filename(Path)].push_back(Path.str());
  }
  for (auto &Entry : F.ByName)
    llvm::sort(Entry.second);
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
    Expected<std::unique_ptr<OpenedFile>> File = F.Root.openFile(Path);
    if (!File) {
      consumeError(File.takeError());
      continue;
    }
    Expected<ELFHeaders> Headers = readELFHeaders(**File, Path);
    if (!Headers) {
      consumeError(Headers.takeError());
      continue;
    }
    std::vector<uint8_t> ID = lidia::readBuildID(**File, *Headers);
    if (!ID.empty())
      F.ByBuildID.try_emplace(toHex(ID, true), Path.str());
  }
}

void ModuleFinder::searchFolder(Search &S, Folder &F) {
  auto Offer = [&](const Twine &Path) {
    std::string Name = Path.str();
    if (!S.isDone())
      S.offer(F.Root.openFile(Name), (F.Root.path() + Name).str());
  };
  if (S.Path.starts_with("/"))
    Offer(S.Path);
  std::string ID = toHex(S.BuildID, /*LowerCase=*/true);
  if (ID.size() > 2)
    for (StringRef Suffix : {"", ".debug"})
      Offer("/.build-id/" + StringRef(ID).take_front(2) + "/" +
            StringRef(ID).drop_front(2) + Suffix);
  if (S.isDone())
    return;
  list(F);
  auto Named = F.ByName.find(S.name());
  if (!S.name().empty() && Named != F.ByName.end())
    for (const std::string &Path : Named->second)
      Offer(Path);
  if (S.isDone() || ID.empty())
    return;
  readBuildIDs(F);
  auto Known = F.ByBuildID.find(ID);
  if (Known != F.ByBuildID.end())
    Offer(Known->second);
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
  if (!Options.Root || S.Path.empty())
    return;
  const RootFolder &Root = *Options.Root;
  auto Offer = [&](const Twine &Path) {
    std::string Name = Path.str();
    if (!S.isDone())
      S.offer(Root.openFile(Name), Name);
  };
  if (S.Path.starts_with("/"))
    return Offer(S.Path);
  if (!Options.WorkingFolder.empty())
    Offer(Options.WorkingFolder + "/" + S.Path);
  if (S.Path.contains('/') || !S.Path.contains(".so"))
    return;
  for (StringRef Folder : LibraryFolders)
    Offer(Folder + "/" + S.Path);
  for (StringRef Folder : MultiarchFolders)
    for (StringRef Machine : Multiarch)
      Offer(Folder + "/" + Machine + "/" + S.Path);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<OpenedFile>>
ModuleFinder::open(StringRef Path, ArrayRef<uint8_t> BuildID) {
  Search S(Path, BuildID);
  for (const std::string &File : Options.Files)
    if (!S.isDone() &&
        (!BuildID.empty() || sys::path::filename(File) == S.name()))
      S.offer(openRegularFile(AT_FDCWD, File), File);
  for (Folder &F : Folders)
    if (!S.isDone())
      searchFolder(S, F);
  if (!S.isDone())
    searchRoot(S);
  return S.take(!Options.Root && Folders.empty()
                    ? "not opened: --sysroot or --modules-from allows it"
                    : "not in the folders to search");
}

bool ModuleFinder::isNamed(StringRef Name) {
  Name = sys::path::filename(Name);
  if (any_of(Options.Files,
             [&](StringRef File) { return sys::path::filename(File) == Name; }))
    return true;
  for (Folder &F : Folders) {
    list(F);
    if (F.ByName.contains(Name))
      return true;
  }
  return false;
}

} // namespace lidia
