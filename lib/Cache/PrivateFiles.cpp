//===- PrivateFiles.cpp - Temporary files of live processes ---------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lidia/Cache/PrivateFiles.h"
#include "lidia/Archive/ArchiveExtension.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lidia {

/// Opens the file without following links or waiting for the other end of a
/// pipe.
static int openToLock(const std::string &Path) {
  return sys::RetryAfterSignal(-1, ::open, Path.c_str(),
                               O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

FileInUse::FileInUse(const std::string &Path) : FD(openToLock(Path)) {
  if (FD >= 0)
    (void)::flock(FD, LOCK_SH | LOCK_NB);
}

FolderTurn::FolderTurn(const std::string &Folder) : FD(openToLock(Folder)) {
  if (FD >= 0)
    (void)sys::RetryAfterSignal(-1, ::flock, FD, LOCK_EX);
}

FolderTurn::~FolderTurn() {
  if (FD >= 0)
    ::close(FD);
}

FileInUse::~FileInUse() {
  if (FD >= 0)
    ::close(FD);
}

static bool isPrivateName(StringRef Name) {
  constexpr size_t Digits = 12;
  return Name.consume_front(PrivatePrefix) && Name.size() > Digits &&
         all_of(Name.take_front(Digits), isHexDigit) &&
         (Name.drop_front(Digits) == ".debug" ||
          Name.drop_front(Digits) == ArchiveExtension);
}

/// Whether the open file \p FD, which must be of type \p Type, is old, belongs
/// to this user and is not used by a process.
static bool isAbandoned(int FD, mode_t Type, std::chrono::seconds MinAge) {
  struct stat Status;
  if (::fstat(FD, &Status) != 0 || (Status.st_mode & S_IFMT) != Type ||
      Status.st_uid != ::geteuid())
    return false;
  auto Age = std::chrono::system_clock::now() -
             std::chrono::system_clock::from_time_t(Status.st_mtime);
  return Age >= MinAge && ::flock(FD, LOCK_EX | LOCK_NB) == 0;
}

/// Calls \p Remove with the path and the descriptor of each abandoned file in
/// \p Folder whose name satisfies \p IsOurs.
static void
forEachAbandoned(StringRef Folder, mode_t Type, std::chrono::seconds Age,
                 function_ref<bool(StringRef)> IsOurs,
                 function_ref<void(const std::string &, int)> Remove) {
  std::error_code EC;
  sys::fs::directory_iterator It(Folder, EC, /*follow_symlinks=*/false), End;
  for (; !EC && It != End; It.increment(EC)) {
    if (!IsOurs(sys::path::filename(It->path())))
      continue;
    int FD = openToLock(It->path());
    if (FD < 0)
      continue;
    if (isAbandoned(FD, Type, Age))
      Remove(It->path(), FD);
    ::close(FD);
  }
}

void removeAbandonedFiles(StringRef Folder) {
  forEachAbandoned(
      Folder, S_IFREG, std::chrono::hours(1), isPrivateName,
      [](const std::string &Path, int) { (void)::unlink(Path.c_str()); });
}

/// Removes what is in the folder \p FD, down to \p Depth folders below, without
/// following links: a killed helper may have unpacked a package there.
static void removeAllIn(int FD, unsigned Depth) {
  int Copy = ::dup(FD);
  DIR *Entries = Copy < 0 ? nullptr : ::fdopendir(Copy);
  if (!Entries && Copy >= 0)
    ::close(Copy);
  if (!Entries)
    return;
  while (const dirent *Entry = ::readdir(Entries)) {
    StringRef Name = Entry->d_name;
    if (Name == "." || Name == ".." || ::unlinkat(FD, Entry->d_name, 0) == 0 ||
        !Depth)
      continue;
    int Below = ::openat(FD, Entry->d_name,
                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (Below < 0)
      continue;
    removeAllIn(Below, Depth - 1);
    ::close(Below);
    (void)::unlinkat(FD, Entry->d_name, AT_REMOVEDIR);
  }
  ::closedir(Entries);
}

void removeAbandonedFolders(StringRef Folder, StringRef Prefix,
                            std::chrono::seconds Age) {
  auto IsOurs = [&](StringRef Name) {
    return Name.consume_front(Prefix) && Name.size() == 6 &&
           all_of(Name, isAlnum);
  };
  constexpr unsigned Depth = 64;
  forEachAbandoned(Folder, S_IFDIR, Age, IsOurs,
                   [](const std::string &Path, int FD) {
                     removeAllIn(FD, Depth);
                     (void)::rmdir(Path.c_str());
                   });
}

} // namespace lidia
