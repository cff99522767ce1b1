//===- ModuleFiles.cpp - Where the files of a profile are -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/ModuleFiles.h"
#include "Object/FileHash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

using namespace llvm;

namespace lidia {

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

/// As LoadedModule::setFile(); a hash decides if there is no build ID.
static void setFile(LoadedModule &Result, const ModuleFiles::Wanted &W,
                    Expected<std::unique_ptr<OpenedFile>> Opened,
                    StringRef Path) {
  Result.setFile(std::move(Opened), Path);
  if (!Result.File || !W.BuildID.empty() || W.FileHash.empty())
    return;
  std::vector<uint8_t> Hash = hashOf(*Result.File);
  if (ArrayRef(Hash) == W.FileHash)
    return;
  Result = LoadedModule();
  Result.WhyNoFile =
      (Path + " is another file: its htlhash is " + toHex(Hash, true) +
       " instead of " + toHex(W.FileHash, true))
          .str();
}

Error ModuleFiles::addBinary(StringRef Path) {
  LoadedModule M;
  M.setFile(openRegularFile(AT_FDCWD, Path), Path);
  if (!M.File)
    return createStringError(M.WhyNoFile);
  Binaries.push_back({Path.str(), M.BuildID, hashOf(*M.File)});
  return Error::success();
}

const ModuleFiles::Binary *ModuleFiles::findBinary(const Wanted &W) const {
  for (const Binary &B : Binaries)
    if (W.BuildID.empty()
            ? !W.FileHash.empty() && ArrayRef(B.FileHash) == W.FileHash
            : ArrayRef(B.BuildID) == W.BuildID)
      return &B;
  for (const Binary &B : Binaries) {
    // One without a build ID cannot be that of another build.
    if (W.BuildID.empty() ? !W.FileHash.empty() : !B.BuildID.empty())
      continue;
    if (sys::path::filename(B.Path) == sys::path::filename(W.Path) ||
        (W.IsFirst && Binaries.size() == 1))
      return &B;
  }
  return nullptr;
}

/// Whether a file was found that is the right one.
bool ModuleFiles::openInFolders(const Wanted &W, LoadedModule &Result) const {
  SmallVector<std::string, 3> Names;
  StringRef Base = sys::path::filename(W.Path);
  if (W.Path.starts_with("/"))
    Names.push_back(W.Path.str());
  if (!Base.empty() && Base != "/") {
    if (!W.BuildID.empty())
      Names.push_back("/" + toHex(W.BuildID, true) + "/" + Base.str());
    Names.push_back("/" + Base.str());
  }
  for (const RootFolder &Folder : Folders) {
    for (const std::string &Name : Names) {
      Expected<std::unique_ptr<OpenedFile>> File = Folder.openFile(Name);
      if (!File) {
        consumeError(File.takeError());
        continue;
      }
      setFile(Result, W, std::move(File), Name);
      if (Result.File)
        return true;
    }
  }
  return false;
}

LoadedModule ModuleFiles::open(const Wanted &Asked) const {
  Wanted W = Asked;
  LoadedModule Result;
  Result.BuildID = W.BuildID.vec();
  bool Deleted = W.Path.consume_back(" (deleted)");
  if (const Binary *B = findBinary(W)) {
    Result.BuildID = B->BuildID;
    Result.setFile(openRegularFile(AT_FDCWD, B->Path), B->Path);
    return Result;
  }
  if (openInFolders(W, Result))
    return Result;
  if (W.Path.empty()) {
    Result.WhyNoFile = "the mapping names no file";
  } else if (Deleted && W.BuildID.empty() && W.FileHash.empty()) {
    // The path may name another file now.
    Result.WhyNoFile = "it was deleted, and its build ID is not known";
  } else if (Root) {
    setFile(Result, W, Root->openFile(W.Path), W.Path);
  } else if (Result.WhyNoFile.empty()) {
    Result.WhyNoFile = isClosed()
                           ? "not opened: --sysroot or --modules-from allows it"
                           : "not in the folders of --modules-from";
  }
  return Result;
}

} // namespace lidia
