//===- PrivateFiles.h - Temporary files of live processes -------*- C++ -*-===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A process that is killed leaves its temporary files. A lock on each, which
/// ends with the process, tells the files that are in use from those that the
/// next process may remove.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_PRIVATEFILES_H
#define LIDIA_CACHE_PRIVATEFILES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>

namespace lidia {

/// Begins the names of private temporary files: "lidia-", 12 hexadecimal
/// digits, an extension.
inline constexpr char PrivatePrefix[] = "lidia-";

/// A lock (flock) that says that this process uses a file or a folder. Where
/// the file system has no locks there is none.
class FileInUse {
public:
  explicit FileInUse(const std::string &Path);
  FileInUse(FileInUse &&Other) : FD(std::exchange(Other.FD, -1)) {}
  FileInUse &operator=(FileInUse &&) = delete;
  ~FileInUse();

private:
  int FD;
};

/// Removes from \p Folder the user's private temporary files that no process
/// has in use and that have not been written to for an hour: one that is new
/// may not be locked yet.
void removeAbandonedFiles(llvm::StringRef Folder);

/// The same for folders of files whose names are \p Prefix and six characters,
/// as mkdtemp makes them.
void removeAbandonedFolders(llvm::StringRef Folder, llvm::StringRef Prefix);

} // namespace lidia

#endif // LIDIA_CACHE_PRIVATEFILES_H
