//===- ModuleFiles.cpp - Where the files of a profile are -----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Profile/ModuleFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>

using namespace llvm;

namespace lidia {

Error ModuleFiles::addBinary(StringRef Path) {
  LoadedModule M;
  M.setFile(openRegularFile(AT_FDCWD, Path), Path);
  if (!M.File)
    return createStringError(M.WhyNoFile);
  Binaries.push_back({Path.str(), M.BuildID});
  return Error::success();
}

const ModuleFiles::Binary *ModuleFiles::findBinary(StringRef Path,
                                                   ArrayRef<uint8_t> BuildID,
                                                   bool IsFirst) const {
  for (const Binary &B : Binaries)
    if (!BuildID.empty() && ArrayRef(B.BuildID) == BuildID)
      return &B;
  for (const Binary &B : Binaries) {
    // One without a build ID cannot be that of another build.
    if (!BuildID.empty() && !B.BuildID.empty())
      continue;
    if (sys::path::filename(B.Path) == sys::path::filename(Path) ||
        (IsFirst && Binaries.size() == 1))
      return &B;
  }
  return nullptr;
}

/// Whether a file was found that is the right one.
bool ModuleFiles::openInFolders(StringRef Path, LoadedModule &Result) const {
  SmallVector<std::string, 3> Names;
  StringRef Base = sys::path::filename(Path);
  if (Path.starts_with("/"))
    Names.push_back(Path.str());
  if (!Base.empty() && Base != "/") {
    if (!Result.BuildID.empty())
      Names.push_back("/" + toHex(Result.BuildID, true) + "/" + Base.str());
    Names.push_back("/" + Base.str());
  }
  for (const RootFolder &Folder : Folders) {
    for (const std::string &Name : Names) {
      Expected<std::unique_ptr<OpenedFile>> File = Folder.openFile(Name);
      if (!File) {
        consumeError(File.takeError());
        continue;
      }
      Result.setFile(std::move(File), Name);
      if (Result.File)
        return true;
    }
  }
  return false;
}

LoadedModule ModuleFiles::open(StringRef Path, ArrayRef<uint8_t> BuildID,
                               bool IsFirst) const {
  LoadedModule Result;
  Result.BuildID = BuildID.vec();
  bool Deleted = Path.consume_back(" (deleted)");
  if (const Binary *B = findBinary(Path, BuildID, IsFirst)) {
    Result.BuildID = B->BuildID;
    Result.setFile(openRegularFile(AT_FDCWD, B->Path), B->Path);
    return Result;
  }
  if (openInFolders(Path, Result))
    return Result;
  if (Path.empty()) {
    Result.WhyNoFile = "the mapping names no file";
  } else if (Deleted && BuildID.empty()) {
    // The path may name another file now.
    Result.WhyNoFile = "it was deleted, and its build ID is not known";
  } else if (Root) {
    Result.setFile(Root->openFile(Path), Path);
  } else if (Result.WhyNoFile.empty()) {
    Result.WhyNoFile = Folders.empty()
                           ? "not opened: --sysroot or --modules-from allows it"
                           : "not in the folders of --modules-from";
  }
  return Result;
}

} // namespace lidia
