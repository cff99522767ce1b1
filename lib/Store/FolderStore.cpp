//===- FolderStore.cpp - A store in a folder ------------------------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FolderStore.h"
#include "lidia/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <mutex>
#include <vector>

using namespace lidia;
using namespace llvm;

namespace {
class FolderStore : public ObjectStore {
public:
  FolderStore(StringRef Folder, OutputFileOptions Options)
      : ObjectStore(Folder.str()), Output(Options) {
    // What was stored remains, even after a power failure.
    Output.Sync = true;
  }

  bool isFar() const override { return false; }
  Error checkPlace() override;
  Expected<bool> exists(StringRef Object) override;
  Expected<bool> put(StringRef Object, StringRef From, PutMode Mode) override;
  Error list(StringRef Prefix, Visitor Visit, unsigned AtOnce,
             StringRef After) override;
  Error listSome(StringRef Prefix, Visitor Visit) override;
  Error remove(StringRef Object) override;
  void removeAbandoned() override;

private:
  /// A folder that is listed.
  struct ListedFolder {
    std::string Path;
    /// Its part of the objects' names.
    std::string Prefix;
    /// Whether objects are visited in order of name.
    bool IsSorted;
    /// Objects up to this one are left out.
    StringRef After;

    /// Whether all of \p Name, an object or a folder, is left out.
    bool isBefore(StringRef Name) const {
      std::string Whole = Prefix + Name.str();
      return !After.empty() && Whole <= After &&
             !(Name.ends_with("/") && After.starts_with(Whole));
    }
  };

  Error listPrefix(StringRef Prefix, Visitor Visit, bool IsSorted,
                   StringRef After = "");
  Error listFolder(const ListedFolder &P, StringRef Begin, Visitor Visit);
  Error listName(const ListedFolder &P, StringRef Name, Visitor Visit);
  void removeAbandonedOnce(StringRef Folder);

  OutputFileOptions Output;
  std::mutex Mutex;
  /// Folders that were already searched for abandoned files.
  StringSet<> Clean;
};
} // namespace

static Error systemError(StringRef Path, std::error_code EC) {
  return make_error<SystemError>(EC, Path);
}

Error FolderStore::checkPlace() {
  sys::fs::file_status Status;
  std::error_code EC = sys::fs::status(name(), Status);
  if (EC == std::errc::no_such_file_or_directory)
    return make_error<SystemError>(
        EC, name(), "no such folder (llvm-lidia store add makes a store)");
  if (EC)
    return systemError(name(), EC);
  if (!sys::fs::is_directory(Status))
    return systemError(name(),
                       std::make_error_code(std::errc::not_a_directory));
  return Error::success();
}

Expected<bool> FolderStore::exists(StringRef Object) {
  std::string Path = location(Object);
  sys::fs::file_status Status;
  std::error_code EC = sys::fs::status(Path, Status);
  if (EC == std::errc::no_such_file_or_directory)
    return false;
  if (EC)
    return systemError(Path, EC);
  if (!sys::fs::is_regular_file(Status))
    return make_error<ArgumentError>(Path, "not a regular file: remove it");
  return true;
}

static constexpr StringLiteral TemporaryPrefix = "lidia.tmp-";

/// Removes files with temporary names from \p Folder that were last modified
/// more than an hour ago. Writers keep such a file only for as long as copying
/// an archive takes.
static void removeAbandonedFrom(StringRef Folder) {
  std::error_code EC;
  sys::fs::directory_iterator It(Folder, EC, /*follow_symlinks=*/false), End;
  for (; !EC && It != End; It.increment(EC)) {
    StringRef Name = sys::path::filename(It->path());
    sys::fs::file_status Status;
    if (!Name.consume_front(TemporaryPrefix) || Name.size() != 12 ||
        !all_of(Name, isHexDigit) ||
        sys::fs::status(It->path(), Status, /*follow=*/false) ||
        !sys::fs::is_regular_file(Status))
      continue;
    auto Age =
        std::chrono::system_clock::now() - Status.getLastModificationTime();
    if (Age > std::chrono::hours(1))
      (void)sys::fs::remove(It->path());
  }
}

void FolderStore::removeAbandonedOnce(StringRef Folder) {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (!Clean.insert(Folder).second)
      return;
  }
  removeAbandonedFrom(Folder);
}

void FolderStore::removeAbandoned() {
  std::error_code EC;
  sys::fs::recursive_directory_iterator It(name(), EC,
                                           /*follow_symlinks=*/false),
      End;
  for (; !EC && It != End; It.increment(EC))
    if (It->type() == sys::fs::file_type::directory_file)
      removeAbandonedOnce(It->path());
}

/// Creates \p Folder and the folders above it, each so that its name survives
/// a power failure. An object's name has few parts.
static std::error_code createFolders(StringRef Folder) {
  if (sys::fs::is_directory(Folder))
    return std::error_code();
  StringRef Above = sys::path::parent_path(Folder);
  if (Above.empty())
    Above = ".";
  if (std::error_code EC = createFolders(Above))
    return EC;
  if (std::error_code EC = sys::fs::create_directory(
          Folder, /*IgnoreExisting=*/true, sys::fs::all_all))
    return EC;
  return syncFolder(Above);
}

/// Copies \p From to a new file in the folder of \p Path, ready to be renamed.
static ErrorOr<UnfinishedFile> copyBeside(StringRef Path,
                                          const MemoryBuffer &From,
                                          const OutputFileOptions &Output) {
  StringRef Folder = sys::path::parent_path(Path);
  if (std::error_code EC = createFolders(Folder))
    return EC;
  ErrorOr<UnfinishedFile> File =
      UnfinishedFile::create(Folder, TemporaryPrefix, "", 0666, Output);
  if (!File)
    return File.getError();
  File->os() << From.getBuffer();
  if (std::error_code EC = File->close())
    return EC;
  return File;
}

Expected<bool> FolderStore::put(StringRef Object, StringRef From,
                                PutMode Mode) {
  if (Mode == PutMode::IfAbsent) {
    Expected<bool> IsThere = exists(Object);
    if (!IsThere || *IsThere)
      return IsThere ? Expected<bool>(false) : IsThere.takeError();
  }
  auto Contents = MemoryBuffer::getFile(From, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
  if (!Contents)
    return systemError(From, Contents.getError());
  std::string Path = location(Object);
  removeAbandonedOnce(sys::path::parent_path(Path));
  ErrorOr<UnfinishedFile> File = copyBeside(Path, **Contents, Output);
  if (!File)
    return systemError(Path, File.getError());
  std::error_code EC = Mode == PutMode::IfAbsent ? File->renameToNew(Path)
                                                 : File->renameTo(Path);
  if (Mode == PutMode::IfAbsent && EC == std::errc::file_exists)
    return false;
  if (!EC)
    EC = syncFolder(sys::path::parent_path(Path));
  if (EC)
    return systemError(Path, EC);
  return true;
}

/// Calls \p Visit with the names of files and folders in the folder \p Path, in
/// any order, until it fails. The name of a folder ends with a slash.
static Error forEachName(const std::string &Path,
                         function_ref<Error(std::string)> Visit) {
  std::error_code EC;
  sys::fs::directory_iterator It(Path, EC, /*follow_symlinks=*/false), End;
  for (; !EC && It != End; It.increment(EC)) {
    sys::fs::file_type Type = It->type();
    if (Type == sys::fs::file_type::type_unknown) {
      sys::fs::file_status Status;
      if (!sys::fs::status(It->path(), Status, /*follow=*/false))
        Type = Status.type();
    }
    std::string Name = sys::path::filename(It->path()).str();
    if (Type == sys::fs::file_type::directory_file)
      Name += '/';
    else if (Type != sys::fs::file_type::regular_file)
      continue;
    if (Error E = Visit(std::move(Name)))
      return E;
  }
  if (EC && EC != std::errc::no_such_file_or_directory)
    return systemError(Path, EC);
  return Error::success();
}

/// Visits the object \p Name in the folder of \p P, or those in and below the
/// folder of this name.
Error FolderStore::listName(const ListedFolder &P, StringRef Name,
                            Visitor Visit) {
  std::string Below = P.Path + "/" + Name.str();
  if (Name.back() == '/') {
    Below.pop_back();
    return listFolder({Below, P.Prefix + Name.str(), P.IsSorted, P.After}, "",
                      Visit);
  }
  sys::fs::file_status Status;
  // The file may have been removed in the meantime.
  if (sys::fs::status(Below, Status, /*follow=*/false))
    return Error::success();
  StoredObject Object;
  Object.Name = P.Prefix + Name.str();
  Object.Size = Status.getSize();
  Object.Written = Status.getLastModificationTime();
  // Not the time of the last access: backups and scans read every file.
  Object.LastUsed = Object.Written;
  return Visit(Object);
}

/// Lists the objects in the folder of \p P and below it, whose names in it
/// begin with \p Begin.
Error FolderStore::listFolder(const ListedFolder &P, StringRef Begin,
                              Visitor Visit) {
  std::vector<std::string> Names;
  if (Error E = forEachName(P.Path, [&](std::string Name) -> Error {
        if (!StringRef(Name).starts_with(Begin) || P.isBefore(Name))
          return Error::success();
        if (!P.IsSorted)
          return listName(P, Name, Visit);
        Names.push_back(std::move(Name));
        return Error::success();
      }))
    return E;
  // Like names of objects, which contain the slash.
  llvm::sort(Names);
  for (const std::string &Name : Names)
    if (Error E = listName(P, Name, Visit))
      return E;
  return Error::success();
}

Error FolderStore::listPrefix(StringRef Prefix, Visitor Visit, bool IsSorted,
                              StringRef After) {
  auto [Folder, Begin] = Prefix.rsplit('/');
  if (!Prefix.contains('/'))
    std::swap(Folder, Begin);
  return listFolder({Folder.empty() ? name().str() : location(Folder),
                     Prefix.drop_back(Begin.size()).str(), IsSorted, After},
                    Begin, Visit);
}

Error FolderStore::list(StringRef Prefix, Visitor Visit, unsigned,
                        StringRef After) {
  return listPrefix(Prefix, Visit, /*IsSorted=*/true, After);
}

Error FolderStore::listSome(StringRef Prefix, Visitor Visit) {
  return listPrefix(Prefix, Visit, /*IsSorted=*/false);
}

Error FolderStore::remove(StringRef Object) {
  std::string Path = location(Object);
  if (std::error_code EC = sys::fs::remove(Path, /*IgnoreNonExisting=*/true))
    return systemError(Path, EC);
  return Error::success();
}

std::unique_ptr<ObjectStore>
lidia::createFolderStore(StringRef Folder, const OutputFileOptions &Output) {
  StringRef Trimmed = Folder.rtrim('/');
  return std::make_unique<FolderStore>(Trimmed.empty() ? "/." : Trimmed,
                                       Output);
}
