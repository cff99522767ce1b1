//===- PrivateFiles.h - Temporary files of live processes -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A process that is killed leaves its temporary files. Each file has a lock
/// that ends with the process, so that the next process can tell which files
/// are still in use and may remove the others.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_PRIVATEFILES_H
#define LIDIA_CACHE_PRIVATEFILES_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <string>
#include <utility>

namespace lidia {

/// The prefix of the names of private temporary files, which are followed by 12
/// hexadecimal digits and an extension.
inline constexpr char PrivatePrefix[] = "lidia-";

/// A lock (flock) that marks a file or folder as used by this process. It has
/// no effect if the file system does not support locks.
class FileInUse {
public:
  explicit FileInUse(const std::string &Path);
  FileInUse(FileInUse &&Other) : FD(std::exchange(Other.FD, -1)) {}
  FileInUse &operator=(FileInUse &&) = delete;
  ~FileInUse();

private:
  int FD;
};

/// Waits until no other process has its turn with a folder, and has it then, if
/// the file system supports locks.
class FolderTurn {
public:
  explicit FolderTurn(const std::string &Folder);
  FolderTurn(const FolderTurn &) = delete;
  ~FolderTurn();

private:
  const int FD;
};

/// Removes from \p Folder the user's private temporary files that no process
/// uses and that have not been written to for an hour, because a new file may
/// not be locked yet.
void removeAbandonedFiles(llvm::StringRef Folder);

/// Like removeAbandonedFiles(), for folders whose names are \p Prefix and six
/// characters, as mkdtemp creates them, with all that is in them. \p Age is the
/// time since they were written to; zero for callers that have a FolderTurn
/// when they create and lock such a folder.
void removeAbandonedFolders(llvm::StringRef Folder, llvm::StringRef Prefix,
                            std::chrono::seconds Age = std::chrono::hours(1));

} // namespace lidia

#endif // LIDIA_CACHE_PRIVATEFILES_H
