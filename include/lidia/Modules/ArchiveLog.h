//===- ArchiveLog.h - What the archives of a folder were made from --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Neither an archive nor its time of modification tells which debug file and
/// which options it was made from: packages install debug files with the time
/// at which the files were built. So a folder of archives has a log, like a
/// folder that Ninja builds in.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_MODULES_ARCHIVELOG_H
#define LIDIA_MODULES_ARCHIVELOG_H

#include "lidia/Cache/Cache.h"
#include "lidia/Extract/Convert.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>
#include <string>

namespace lidia {

class Binary;

/// A key that covers everything that the archive of \p Main depends on, like
/// the key of a cache entry (lidia/Modules/CachedArchive.h), and also the
/// requirements on the archive and its compression.
CacheKey archiveKeyOf(Binary &Main, const ConvertOptions &Options);

/// The file ".lidia_log" in a folder of archives. Several threads and processes
/// can use it at once. A line that one process appends while another rewrites
/// the file may get lost; the archive is then made again.
///
/// Each line has two hashes of 32 hexadecimal digits: one of an archive's path
/// relative to the folder, and one of the key, the size and the time of the
/// latest archive at that path. Other lines are ignored.
class ArchiveLog {
public:
  static constexpr char FileName[] = ".lidia_log";

  ArchiveLog() = default;
  ~ArchiveLog();
  ArchiveLog(const ArchiveLog &) = delete;
  ArchiveLog &operator=(const ArchiveLog &) = delete;

  /// Reads the log in \p Folder, which must exist, or creates it. Call this
  /// once, before all other methods. The error names the file; after an error,
  /// no archive is up to date.
  llvm::Error open(llvm::StringRef Folder);

  /// Whether the archive at \p Path was made with \p Key and is unchanged.
  bool isUpToDate(llvm::StringRef Path, const CacheKey &Key);

  /// Records that the archive at \p Path was just made with \p Key, which must
  /// have been computed before the binary was read. The error names the log.
  llvm::Error add(llvm::StringRef Path, const CacheKey &Key);

private:
  std::string hashOfPath(llvm::StringRef Path) const;
  void parse(llvm::StringRef Text);
  llvm::Error rewrite();

  std::string Folder;
  std::string LogPath;
  int FD = -1;
  /// Guards the members below.
  std::mutex Mutex;
  /// Maps the hash of a path to the hash of its archive.
  llvm::StringMap<std::string> Known;
  size_t Lines = 0;
};

} // namespace lidia

#endif // LIDIA_MODULES_ARCHIVELOG_H
