//===- ArchiveLog.h - What the archives of a folder were made from --------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Neither an archive nor its time says which debug file it was made from, or
/// by which options: packages install debug files with the time when they were
/// built. So a folder of archives has a log, as Ninja has for what it builds.
///
//===----------------------------------------------------------------------===//

#ifndef LIDIA_CACHE_ARCHIVELOG_H
#define LIDIA_CACHE_ARCHIVELOG_H

#include "lidia/Cache/Cache.h"
#include "lidia/Extract/Convert.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>
#include <string>

namespace lidia {

class Binary;

/// Names everything that the archive of \p Main depends on, as the key of a
/// cache entry does (lidia/Cache/CachedArchive.h), what is required of it, and
/// how it is compressed.
CacheKey archiveKeyOf(Binary &Main, const ConvertOptions &Options);

/// The file ".lidia_log" in a folder of archives. Several threads and processes
/// can use it at once; what one process appends while another rewrites the file
/// may get lost, which costs making an archive again.
///
/// Each line is two hashes of 32 hexadecimal digits: of the path of an archive,
/// relative to the folder, and of the key, the size and the time of the archive
/// that was there last.
/// Other lines are ignored.
class ArchiveLog {
public:
  static constexpr char FileName[] = ".lidia_log";

  ArchiveLog() = default;
  ~ArchiveLog();
  ArchiveLog(const ArchiveLog &) = delete;
  ArchiveLog &operator=(const ArchiveLog &) = delete;

  /// Reads the log in \p Folder, which must exist, or creates it. To be called
  /// once, before anything else. The error names the file; afterwards nothing
  /// is up to date.
  llvm::Error open(llvm::StringRef Folder);

  /// Whether the archive at \p Path was made with \p Key and is unchanged.
  bool isUpToDate(llvm::StringRef Path, const CacheKey &Key);

  /// Appends that the archive at \p Path was just made with \p Key, which was
  /// computed before its binary was read. The error names the log.
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
  /// From the hash of a path to that of the archive.
  llvm::StringMap<std::string> Known;
  size_t Lines = 0;
};

} // namespace lidia

#endif // LIDIA_CACHE_ARCHIVELOG_H
